/** "Media": the files of the environment as tiles, with search, upload and deletion. */
import { useEffect } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { DropZone } from "../parts/DropZone.tsx";
import { acceptedMedia } from "../parts/MediaSource.ts";
import { ListPage } from "../parts/list/ListPage.tsx";
import { may } from "../session/SessionState.ts";
import { MediaTile } from "./MediaTile.tsx";
import { UploadList } from "./UploadList.tsx";
import { addUploads, continueUploads, uploadScope } from "./Uploads.ts";

const types = [
  { value: "", text: "All types" },
  { value: "image", text: "Images" },
  { value: "video", text: "Videos" },
  { value: "audio", text: "Audio" },
];

const filters = [
  { name: "q", label: "Search media" },
  { name: "type", label: "Type", choices: types },
] as const;

const Upload = () => {
  if (!may("media:write")) return null;
  return (
    <DropZone action="Upload" accept={acceptedMedia} isMultiple onFiles={addUploads}>
      <p>or drop files here. Images, videos and audio of at most 50 MB each.</p>
    </DropZone>
  );
};

/** The media files of the environment. */
export const MediaPage = () => {
  const scope = uploadScope();
  useEffect(continueUploads, [scope]);
  return (
    <ListPage
      title="Media"
      lead="Pictures, videos and sounds that notifications show."
      above={
        <>
          <Upload />
          <UploadList />
        </>
      }
      list={platform.media.list}
      filters={filters}
      limit={24}
      empty={[
        "No media yet",
        may("media:write")
          ? "Upload a picture first. A notification shows it once it is chosen there."
          : "Files appear here once somebody with the ability media:write uploads them.",
      ]}
    >
      {(files) => (
        <>
          {files.length === 0 && <p class="quiet">No file matches these filters.</p>}
          <ul class="tiles" aria-label="Media files">
            {files.map((file) => (
              <MediaTile key={file.id} file={file} />
            ))}
          </ul>
        </>
      )}
    </ListPage>
  );
};
