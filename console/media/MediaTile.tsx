/** A tile of a media file: its picture, what it is, and where it is used. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { MediaFile } from "../data/Resources.ts";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { formatBytes, mediaSource } from "../parts/MediaSource.ts";
import { may } from "../session/SessionState.ts";

const kinds: Readonly<Record<string, string>> = { image: "Image", video: "Video", audio: "Audio" };

const factsOf = ({ duration_seconds: seconds, height, size_bytes: bytes, type, width }: MediaFile) => {
  const facts = [kinds[type] ?? type];
  if (width !== null && height !== null) facts.push(`${formatNumber(width)} × ${formatNumber(height)}`);
  if (seconds !== null) facts.push(`${formatNumber(Math.round(seconds))} s`);
  return [...facts, formatBytes(bytes)].join(" · ");
};

const namesShown = 3;

/** The notifications that show a file, by name. */
const MediaUse = ({ id }: { readonly id: string }) => {
  const { data } = useData(platform.media.get(id));
  if (data === undefined) return <p class="media-use quiet">…</p>;
  const { notifications } = data.data;
  if (notifications.length === 0) return <p class="media-use quiet">Not used</p>;
  const more = notifications.length - namesShown;
  return (
    <div class="media-use">
      <p>Used by</p>
      <ul>
        {notifications.slice(0, namesShown).map((each) => (
          <li key={each.id}>{each.name}</li>
        ))}
        {more > 0 && <li>and {formatNumber(more)} more</li>}
      </ul>
    </div>
  );
};

/** The tile. */
export const MediaTile = ({ file }: { readonly file: MediaFile }) => (
  <li class="tile">
    <a class="tile-picture" href={mediaSource(file.url)} target="_blank" rel="noreferrer">
      <img src={mediaSource(file.thumbnail_url)} alt="" loading="lazy" />
      <span class="unseen">Open {file.name}</span>
    </a>
    <div class="tile-text">
      <h2 dir="auto">{file.name}</h2>
      <p class="quiet">{factsOf(file)}</p>
      <MediaUse id={file.id} />
      {may("media:write") && (
        <ConfirmButton
          title={`Delete “${file.name}”?`}
          action="Delete"
          label={`Delete ${file.name}`}
          request={platform.media.delete(file.id)}
          done={`“${file.name}” was deleted.`}
          variant="plain"
        >
          <p>Its public address stops working at once. A file that a notification shows is not deleted.</p>
        </ConfirmButton>
      )}
    </div>
  </li>
);
