import { type Call, listed, type ListQuery } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import { type CallOptions, type ChangeOptions, slow } from "./Connection.ts";
import type { Answer } from "./Contract.ts";
import { type FileSource, openFile } from "./FileSource.ts";
import type { Pages } from "./Pages.ts";

/** A media file, as the service shows it. */
export type MediaFile = Answer<"media", "get">;

/** Media files: uploaded here, then shown by notifications. */
export class MediaClient {
  readonly #call: Call;
  constructor(call: Call) {
    this.#call = call;
  }
  /** All media files, newest first; with `type` those of one kind. */
  list(query: ListQuery<"media"> = {}, options?: CallOptions): Pages<MediaFile> {
    return listed(query, (query) => this.#call(["media", "list"], { query, options }));
  }
  /** One media file; `not_found` when there is none. */
  async get(id: string, options?: CallOptions): Promise<MediaFile> {
    return (await this.#call(["media", "get"], { ids: { media: id }, options })).data;
  }
  /**
   * Uploads an image, video or audio file, given by its path or as a `Blob` or `File`: at most 51,200 KB, streamed. `name` is a name for
   * people; the file's own unless given.
   */
  async upload(
    source: FileSource,
    options: ChangeOptions & { readonly name?: string | undefined } = {},
  ): Promise<MediaFile> {
    const { blob, name } = await openFile(source);
    const form = new FormData();
    if (options.name !== undefined) form.set("name", options.name);
    form.set("file", blob, name ?? "file");
    return (await this.#call(["media", "upload"], { raw: form, options: { ...slow, ...options } })).data;
  }
  /** Deletes the file; `media_in_use` while a notification shows it. */
  async delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return (await this.#call(["media", "delete"], { ids: { media: id }, options })).data;
  }
}
