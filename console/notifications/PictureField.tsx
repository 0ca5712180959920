/** The picture of a notification: one of the media files, by its name or thumbnail, or a new one. */
import { sentencesOf } from "../data/ApiCall.ts";
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import type { MediaFile } from "../data/Resources.ts";
import { refresh, useData } from "../data/Query.ts";
import { upload } from "../data/Upload.ts";
import { DropZone } from "../parts/DropZone.tsx";
import { Field } from "../parts/form/Fields.tsx";
import { SearchChoice } from "../parts/form/SearchChoice.tsx";
import { acceptedMedia, mediaSource } from "../parts/MediaSource.ts";
import { ProblemText } from "../parts/PageFrame.tsx";
import { ProgressBar } from "../parts/ProgressBar.tsx";
import { may } from "../session/SessionState.ts";

/** A list of all media files can be long. */
const listMillis = 60_000;
/** The newest files have thumbnails. */
const maxThumbnails = 12;

/** The media files to choose from, with the chosen one, which may be older than the list. */
export const usePictures = (
  chosen: string,
): { readonly pictures: ReadonlyArray<MediaFile>; readonly picture: MediaFile | undefined } => {
  const isAllowed = may("media:read");
  const { data } = useData(isAllowed ? platform.media.list() : null, {
    isWhole: true,
    millis: listMillis,
  });
  const listed = data?.data ?? [];
  const isListed = listed.some(({ id }) => id === chosen);
  const single = useData(
    isAllowed && chosen !== "" && data !== undefined && !isListed ? platform.media.get(chosen) : null,
  );
  const own = single.data?.data;
  const pictures = own === undefined || isListed ? listed : [own, ...listed];
  return { pictures, picture: pictures.find(({ id }) => id === chosen) };
};

const textOf = ({ name, type }: MediaFile): string => (type === "image" ? name : `${name} (${type})`);

const Upload = ({ onUploaded }: { readonly onUploaded: (id: string) => void }) => {
  const [part, setPart] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const take = async ([file]: ReadonlyArray<File>): Promise<void> => {
    if (file === undefined) return;
    setPart(0);
    setProblem(null);
    try {
      const request = platform.media.upload(file, { idempotencyKey: crypto.randomUUID() });
      onUploaded((await upload(request, setPart)).data.id);
      await refresh();
    } catch (error) {
      setProblem(sentencesOf(error).join(" "));
    }
    setPart(null);
  };
  return (
    <DropZone
      action="Upload a picture"
      accept={acceptedMedia}
      isMain={false}
      onFiles={(files) => void take(files)}
    >
      {part === null ? (
        <p>or drop a file here.</p>
      ) : (
        <ProgressBar label="Upload" done={part} total={1} text="is uploaded and checked" />
      )}
      <ProblemText text={problem} />
    </DropZone>
  );
};

interface FieldProps {
  readonly value: string;
  readonly pictures: ReadonlyArray<MediaFile>;
  readonly onValue: (id: string) => void;
}

/** The choice of a picture by its name. */
export const PictureChoice = ({
  pictures,
  none = "None",
  onValue,
  value,
  ...field
}: FieldProps & { readonly name: string; readonly label: string; readonly none?: string }) => (
  <Field
    {...field}
    hint={
      may("media:read") ? "An image, a video or a sound. Optional." : "Your access key may not list media."
    }
  >
    {(attributes) => (
      <SearchChoice
        {...attributes}
        choices={[
          { value: "", text: none },
          ...pictures.map((picture) => ({ value: picture.id, text: textOf(picture) })),
        ]}
        value={value}
        onValue={onValue}
      />
    )}
  </Field>
);

/** "Picture", with thumbnails and "Upload". */
export const PictureField = (props: FieldProps) => {
  const { onValue, pictures, value } = props;
  return (
    <div class="stack">
      <PictureChoice {...props} name="media_asset_id" label="Picture" />
      {pictures.length > 0 && (
        <div class="thumbnails" role="group" aria-label="Newest pictures">
          {pictures.slice(0, maxThumbnails).map((picture) => (
            <button
              key={picture.id}
              type="button"
              class="button thumbnail"
              aria-pressed={picture.id === value}
              onClick={() => onValue(picture.id === value ? "" : picture.id)}
            >
              <img src={mediaSource(picture.thumbnail_url)} alt={textOf(picture)} loading="lazy" />
            </button>
          ))}
        </div>
      )}
      {may("media:write") && <Upload onUploaded={onValue} />}
    </div>
  );
};
