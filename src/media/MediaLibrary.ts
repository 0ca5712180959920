import { Clock, Context, Effect, Layer } from "effect";
import { Activity, type ResourceChange } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { oneAtATime } from "../database/SharedWork.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import {
  Conflict,
  Forbidden,
  NotFound,
  ServiceUnavailable,
  Unprocessable,
  type UnsupportedMediaType,
} from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import { counted } from "../wire/Text.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { MediaContent } from "./formats/MediaFormat.ts";
import { fileUrl, thumbnailUrl } from "./MediaAddress.ts";
import {
  maxSandboxBytes,
  type MediaFile,
  type MediaRow,
  type NewFile,
  type UsedMediaFile,
} from "./MediaFile.ts";
import { type MediaFilters, MediaLibrarySql } from "./MediaLibrarySql.ts";
import { countUpload } from "./MediaMetrics.ts";
import type { MediaStoreUnavailable } from "./store/MediaStore.ts";
import { storedBytes } from "./StoredBytes.ts";
import { Thumbnails } from "./Thumbnails.ts";
import { UploadFolder } from "./upload/UploadFolder.ts";
import { readUpload, type UploadRequest } from "./upload/UploadParsing.ts";
import { MediaWorkers, type MediaWorkersUnavailable } from "./worker/MediaWorkers.ts";

/** The media files of an environment (contract H1–H4). */
export class MediaLibrary extends Context.Service<
  MediaLibrary,
  {
    /** A page of files, newest first. */
    readonly page: (
      tenant: Tenant,
      filters: MediaFilters,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<MediaFile>>;
    /** One file, with the notifications that show it. @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<typeof UsedMediaFile.Type, NotFound>;
    /** The file as it is stored, with the key of its bytes; null for an unknown id. */
    readonly row: (tenant: Tenant, id: string) => Effect.Effect<MediaRow | null>;
    /** The size of all files of the environment, in bytes. */
    readonly total: (tenant: Tenant) => Effect.Effect<number>;
    /** The kind of the file with this id, or null if this tenant has none. Lock the tenant first. */
    readonly kindOf: (tenant: Tenant, id: string) => Effect.Effect<MediaKind | null>;
    /** Adds the file of a request. @throws 415, 422 with every problem, 403 for the plan, 503 */
    readonly upload: (
      tenant: Tenant,
      input: UploadRequest,
    ) => Effect.Effect<MediaFile, UnsupportedMediaType | Unprocessable | Forbidden | ServiceUnavailable>;
    /** Fails if there is no room for the bytes; exact only while the tenant is locked (H4). @throws 403 */
    readonly checkRoom: (tenant: Tenant, bytes: number) => Effect.Effect<void, Forbidden>;
    /**
     * Copies the bytes of a file to a new key, outside any transaction; null if the store has lost them. The
     * sweeping removes the copy if no file follows. @throws 503
     */
    readonly copyBytes: (row: MediaRow) => Effect.Effect<NewFile | null, ServiceUnavailable>;
    /** Adds a file whose bytes are stored. @throws 403 for the plan, 503 */
    readonly add: (tenant: Tenant, file: NewFile) => Effect.Effect<MediaFile, Forbidden | ServiceUnavailable>;
    /** Deletes a file that no notification shows. Its address is gone at once. @throws 404, 409 */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<DeletedResource, NotFound | Conflict>;
  }
>()("waypost/media/MediaLibrary") {
  static readonly layer = Layer.effect(
    MediaLibrary,
    Effect.gen(function* () {
      const database = yield* Database;
      const workspaces = yield* Workspaces;
      const repository = yield* MediaLibrarySql;
      const workers = yield* MediaWorkers;
      const folder = yield* UploadFolder;
      const { copyBytes, keep } = yield* storedBytes;
      const thumbnails = yield* Thumbnails;
      const activity = yield* Activity;
      const { media: base } = yield* PublicAddresses;

      const show = ({ key, ...row }: MediaRow): MediaFile => ({
        ...row,
        source: "upload",
        url: fileUrl(base, key),
        thumbnail_url: thumbnailUrl(base, key),
      });

      const notFound = NotFound.resource("media file");

      const findRow = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const row = isUuid(id) ? yield* repository.find(tenant, id) : null;
        return row ?? (yield* notFound);
      });

      const checkRoom = Effect.fnUntraced(function* (tenant: Tenant, bytes: number) {
        const limit = maxBytes(tenant);
        if (limit === null) return;
        const total = yield* repository.total(tenant);
        if (total + bytes > limit) return yield* full(tenant, limit, total, bytes);
      });

      /** Receives, inspects and stores an upload without a database connection. */
      const receive = Effect.fnUntraced(function* (tenant: Tenant, input: UploadRequest) {
        const { bytes, name, ownName, path, problems } = yield* readUpload(input, folder);
        let content: MediaContent | null = null;
        if (!problems.has("file") && !problems.has("body")) {
          content = yield* workers.inspect(tenant.workspaceId, path).pipe(
            Effect.catchTag("MediaRefused", ({ message }) => {
              problems.add("file", message);
              return Effect.succeed(null);
            }),
          );
          if (content !== null && !tenant.workspace.plan.media_kinds.includes(content.kind)) {
            problems.add("file", kindSentence(tenant, content.kind));
          }
        }
        if (content === null || !problems.isEmpty) return yield* Unprocessable.validation(problems.fields);
        yield* checkRoom(tenant, bytes);
        const fileName = name ?? ownName ?? `${content.kind}.${content.extension}`;
        return yield* keep(path, { name: fileName, bytes, content });
      }, Effect.scoped);

      const insert = Effect.fnUntraced(function* (tenant: Tenant, file: NewFile) {
        yield* workspaces.lock(tenant);
        yield* checkRoom(tenant, file.bytes);
        const now = yield* Clock.currentTimeMillis;
        const row = yield* repository.insert(tenant, idAt(now), file, now);
        if (row === null) return yield* tookTooLong;
        yield* activity.record(tenant, mediaChange("create", row));
        return show(row);
      }, database.atomically);

      return MediaLibrary.of({
        page: (tenant, filters, position) => {
          const page = Effect.map(repository.page(tenant, filters, position), (rows) => rows.map(show));
          return filters.search === null ? page : oneAtATime(tenant.workspaceId, page);
        },

        find: Effect.fn("MediaLibrary.find")(function* (tenant, id) {
          const row = yield* findRow(tenant, id);
          return { ...show(row), notifications: yield* repository.usedBy(tenant, row.id) };
        }),

        row: repository.find,
        total: repository.total,

        kindOf: (tenant, id) =>
          Effect.map(
            isUuid(id) ? repository.find(tenant, id) : Effect.succeed(null),
            (row) => row?.type ?? null,
          ),

        upload: Effect.fn("MediaLibrary.upload")(function* (tenant, input) {
          const received = yield* outsideTransaction(
            "upload",
            Effect.result(
              Effect.catchTag(
                receive(tenant, input),
                ["MediaStoreUnavailable", "MediaWorkersUnavailable"],
                unavailable,
              ),
            ),
          );
          const file = yield* Effect.fromResult(received);
          const added = yield* insert(tenant, file);
          yield* countUpload(file.content.kind, file.bytes);
          yield* thumbnails.wake;
          return added;
        }),

        checkRoom,

        copyBytes: (row) => Effect.catchTag(copyBytes(row), "MediaStoreUnavailable", unavailable),

        add: insert,

        delete: Effect.fn("MediaLibrary.delete")(function* (tenant, id) {
          // A notification takes this lock too before it shows a file.
          yield* workspaces.lock(tenant);
          const row = yield* findRow(tenant, id);
          const users = yield* repository.usedBy(tenant, row.id);
          if (users.length > 0) return yield* inUse(users.map((user) => user.id));
          yield* repository.delete(tenant, row.id);
          yield* activity.record(tenant, mediaChange("delete", row));
          return { id: row.id, deleted: true as const };
        }, database.atomically),
      });
    }),
  ).pipe(Layer.provide(UploadFolder.layer));
}

/** Logs why a store or a worker cannot be used, and fails with the error for clients. */
const unavailable = (error: MediaStoreUnavailable | MediaWorkersUnavailable) =>
  Effect.andThen(Effect.logWarning(error.message, error), Effect.fail(error.apiError));

/** The change of a file for activity. Its key reads the file, so activity has no address. */
const mediaChange = (action: "create" | "delete", stored: MediaRow): ResourceChange => {
  const { key: _, ...row } = stored;
  return {
    action,
    resource: { type: "media", id: row.id, name: row.name },
    before: action === "delete" ? row : null,
    after: action === "create" ? row : null,
  };
};

/** The total of bytes that the environment may hold; null if there is no limit. */
const maxBytes = ({ environment, workspace }: Tenant): number | null => {
  const planned = workspace.plan.max_media_bytes;
  return environment === "sandbox" ? Math.min(planned ?? maxSandboxBytes, maxSandboxBytes) : planned;
};

const full = ({ environment }: Tenant, limit: number, total: number, bytes: number) =>
  Forbidden.limit(
    "max_media_bytes",
    `The plan allows ${counted(limit, "byte")} of media in ${environmentName(environment)}, ` +
      `and there are ${total.toLocaleString("en")}: ` +
      `this file has ${bytes.toLocaleString("en")}. Delete files first.`,
  );

const kindSentence = ({ workspace }: Tenant, kind: MediaKind): string => {
  const kinds = workspace.plan.media_kinds;
  return kinds.length === 0
    ? "The plan includes no media files."
    : `The plan does not include ${kind} files: the file must be ${kinds.join(" or ")}.`;
};

const inUse = (users: ReadonlyArray<string>) =>
  Conflict.of(
    "media_in_use",
    "The media file is shown by " +
      (users.length === 1 ? "the notification" : `${users.length} notifications:`) +
      ` ${users.join(", ")}. Change their media_asset_id first.`,
  );

const tookTooLong = ServiceUnavailable.of("The upload took too long: send it again.");
