import { Context, type Effect } from "effect";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { MediaContent } from "./formats/MediaFormat.ts";
import type { MediaFile, MediaUser } from "./MediaFile.ts";

/** A media file without its addresses. */
export interface MediaRow extends Omit<MediaFile, "url" | "thumbnail_url" | "source"> {
  readonly key: string;
}

/** Stored bytes that are about to become a file. */
export interface NewFile {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly content: Omit<MediaContent, "extension">;
}

/** A file as its public address serves it. */
export interface ServedFile {
  /** The type detected at the upload. */
  readonly mimeType: string;
  readonly bytes: number;
  /** The uploader's name for it: any text. */
  readonly name: string;
}

/** Which files a list has; null selects all. `search` is a pattern of `searchPattern` for the name. */
export interface MediaFilters {
  readonly kind: MediaKind | null;
  readonly search: string | null;
}

/**
 * Stores the rows of media files, and the keys whose bytes belong to no file. Instants are in epoch
 * milliseconds.
 */
export class MediaLibraryRepository extends Context.Service<
  MediaLibraryRepository,
  {
    /** A page of files, newest first. */
    readonly page: (
      tenant: Tenant,
      filters: MediaFilters,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<MediaRow>>;
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<MediaRow | null>;
    /** The file of a key, over all tenants. A deleted file is gone for every process at once. */
    readonly findByKey: (key: string) => Effect.Effect<ServedFile | null>;
    /** The size of all files of the environment, in bytes. */
    readonly total: (tenant: Tenant) => Effect.Effect<number>;
    /** Records a key before its first byte is stored. Without a file it is garbage at `dueAt`. */
    readonly expect: (key: string, dueAt: number) => Effect.Effect<void>;
    /** Inserts the file of an expected key. Null if the key has become garbage. */
    readonly insert: (
      tenant: Tenant,
      id: string,
      file: NewFile,
      now: number,
    ) => Effect.Effect<MediaRow | null>;
    /** The notifications whose current content shows the file, oldest first. */
    readonly usedBy: (tenant: Tenant, id: string) => Effect.Effect<ReadonlyArray<MediaUser>>;
    /** Deletes a file. Its key is garbage, with two removals due at once. */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<void>;
    /** Claims up to `limit` due keys until `claimedUntil`. An upload can no longer turn them into files. */
    readonly claimGarbage: (
      now: number,
      claimedUntil: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<string>>;
    /** Records a removal of a key's bytes. If another removal is due, it is due at `again`. */
    readonly removed: (key: string, again: number) => Effect.Effect<void>;
  }
>()("waypost/media/MediaLibraryRepository") {}
