/** A tile of a media file: its picture, what it is, and where it is used. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { MediaFile } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { formatBytes, mediaSource } from "../parts/MediaSource.ts";

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
export const MediaTile = ({
  file,
  onDelete,
}: {
  readonly file: MediaFile;
  readonly onDelete?: ((file: MediaFile) => void) | undefined;
}) => (
  <li class="tile">
    <a class="tile-picture" href={mediaSource(file.url)} target="_blank" rel="noreferrer">
      <img src={mediaSource(file.thumbnail_url)} alt="" loading="lazy" />
      <span class="unseen">Open {file.name}</span>
    </a>
    <div class="tile-text">
      <h2>{file.name}</h2>
      <p class="quiet">{factsOf(file)}</p>
      <MediaUse id={file.id} />
      {onDelete !== undefined && (
        <Button variant="plain" label={`Delete ${file.name}`} onPress={() => onDelete(file)}>
          Delete
        </Button>
      )}
    </div>
  </li>
);
