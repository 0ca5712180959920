/** "Media": the files of the environment as tiles, with search, upload and deletion. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/ApiCall.ts";
import { useLast } from "../data/LastData.ts";
import { listPath } from "../data/ListPath.ts";
import { refresh, usePlatform } from "../data/Query.ts";
import type { MediaFile, Page } from "../data/Resources.ts";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { DropZone } from "../parts/DropZone.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { ChoiceFilter, SearchFilter } from "../parts/Filters.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Pager } from "../parts/Pager.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { parameter, setParameters } from "../routing/Router.ts";
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

/** The endings as well: some systems do not know the type of each. */
const accepted =
  "image/jpeg,image/png,image/gif,image/webp,video/mp4,video/quicktime,video/webm,audio/mpeg,audio/mp4," +
  "audio/wav,audio/ogg,.jpg,.jpeg,.png,.gif,.webp,.mp4,.mov,.webm,.mp3,.m4a,.wav,.ogg";

const filters = ["q", "type"] as const;

const Upload = () => {
  if (!may("media:write")) return null;
  return (
    <DropZone action="Upload" accept={accepted} isMultiple onFiles={addUploads}>
      <p>or drop files here. Images, videos and audio of at most 50 MB each.</p>
    </DropZone>
  );
};

const DeleteDialog = ({ file, onClose }: { readonly file: MediaFile; readonly onClose: () => void }) => {
  const remove = async (): Promise<void> => {
    await platform(`/media/${file.id}`, { method: "DELETE" });
    showToast(`“${file.name}” was deleted.`);
    await refresh();
  };
  return (
    <ConfirmDialog
      title={`Delete “${file.name}”?`}
      action="Delete"
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>Its public address stops working at once. A file that a notification shows is not deleted.</p>
    </ConfirmDialog>
  );
};

/** The media files of the environment. */
export const MediaPage = () => {
  const { data, problem } = usePlatform<Page<MediaFile>>(listPath("/media", filters, 24));
  const list = useLast(data);
  const [doomed, setDoomed] = useState<MediaFile | null>(null);
  const scope = uploadScope();
  useEffect(continueUploads, [scope]);
  const isFiltered = filters.some((name) => parameter(name) !== "");
  const isEmpty = list?.data.length === 0 && !isFiltered && parameter("cursor") === "";
  const filter = (name: string) => (value: string) => setParameters({ [name]: value, cursor: undefined });
  return (
    <PageFrame title="Media" lead="Pictures, videos and sounds that notifications show.">
      <Upload />
      <UploadList />
      {!isEmpty && (
        <div class="filters" role="search">
          <SearchFilter label="Search media" value={parameter("q")} onValue={filter("q")} />
          <ChoiceFilter label="Type" value={parameter("type")} choices={types} onValue={filter("type")} />
        </div>
      )}
      <LoadProblem problem={problem} />
      {list === undefined && problem === undefined && <Loading />}
      {isEmpty && (
        <EmptyState title="No media yet">
          {may("media:write")
            ? "Upload a picture first. A notification shows it once it is chosen there."
            : "Files appear here once somebody with the ability media:write uploads them."}
        </EmptyState>
      )}
      {list !== undefined && !isEmpty && (
        <>
          {list.data.length === 0 && <p class="quiet">No file matches these filters.</p>}
          <ul class="tiles" aria-label="Media files">
            {list.data.map((file) => (
              <MediaTile key={file.id} file={file} onDelete={may("media:write") ? setDoomed : undefined} />
            ))}
          </ul>
          <Pager nextCursor={list.meta.next_cursor} />
        </>
      )}
      {doomed !== null && <DeleteDialog file={doomed} onClose={() => setDoomed(null)} />}
    </PageFrame>
  );
};
