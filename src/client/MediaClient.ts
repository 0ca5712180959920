import { EndpointGroup, type ListQuery } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import { type CallOptions, type ChangeOptions, slow } from "./Connection.ts";
import type { Answer } from "./Contract.ts";
import { type FileSource, openFile } from "./FileSource.ts";
import type { Pages } from "./Pages.ts";

/** A media file. */
export type MediaFile = Answer<"media", "upload">;
/** A media file with the notifications that show it. */
export type UsedMediaFile = Answer<"media", "get">;

/** Media files, which notifications show. */
export class MediaClient extends EndpointGroup {
  /** Lists all media files, newest first. With `type`, only files of that type. */
  list(query: ListQuery<"media"> = {}, options?: CallOptions): Pages<MediaFile> {
    return this.pages(["media", "list"], query, options);
  }
  /** Retrieves a media file, with the notifications that show it. Rejects with the code `not_found`. */
  get(id: string, options?: CallOptions): Promise<UsedMediaFile> {
    return this.data(["media", "get"], { ids: { media: id }, options });
  }
  /**
   * Uploads an image, video or audio file: the path of a file (Node.js), or a `Blob` or `File`. It may have
   * up to 51,200 KB and is streamed. `name` is its display name; the default is the name of the file.
   */
  async upload(
    source: FileSource,
    options: ChangeOptions & { readonly name?: string | undefined } = {},
  ): Promise<MediaFile> {
    const { blob, name } = await openFile(source);
    const form = new FormData();
    if (options.name !== undefined) form.set("name", options.name);
    form.set("file", blob, name ?? "file");
    return this.data(["media", "upload"], { raw: form, options: { ...slow, ...options } });
  }
  /** Deletes a media file. Rejects with the code `media_in_use` while a notification shows it. */
  delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return this.data(["media", "delete"], { ids: { media: id }, options });
  }
}
