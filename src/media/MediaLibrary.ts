import { Clock, Context, Effect, Layer } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { randomBytes } from "node:crypto";
import { Database } from "../database/Database.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { Conflict, Forbidden, NotFound, ServiceUnavailable, Unprocessable } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { maxSandboxBytes, type MediaFile } from "./MediaFile.ts";
import { fileUrl, thumbnailUrl } from "./MediaAddress.ts";
import type { MediaContent } from "./formats/MediaFormat.ts";
import { MediaInspector } from "./worker/MediaInspector.ts";
import { type MediaRow, MediaLibrarySql, type NewFile } from "./MediaLibrarySql.ts";
import { countUpload } from "./MediaMetrics.ts";
import { MediaStore } from "./store/MediaStore.ts";
import { Thumbnails } from "./Thumbnails.ts";
import { UploadFolder } from "./upload/UploadFolder.ts";
import { readUpload } from "./upload/UploadParsing.ts";
import { counted } from "../wire/Text.ts";

/** How long after its bytes began to go into the store an upload may still become a file. */
const expectedMillis = 15 * 60_000;

/** The media files of one environment of a workspace (contract H1–H4). */
export class MediaLibrary extends Context.Service<MediaLibrary>()("waypost/media/MediaLibrary", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const repository = yield* MediaLibrarySql;
    const store = yield* MediaStore;
    const inspector = yield* MediaInspector;
    const folder = yield* UploadFolder;
    const thumbnails = yield* Thumbnails;
    const { media: base } = yield* PublicAddresses;

    const show = ({ key, ...row }: MediaRow): MediaFile => ({
      ...row,
      source: "upload",
      url: fileUrl(base, key),
      thumbnail_url: thumbnailUrl(base, key),
    });

    const notFound = NotFound.resource("media file");

    const findRow = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
      const [row] = isUuid(id) ? yield* repository.find(tenant, id) : [];
      return row ?? (yield* notFound);
    });

    /** Refuses bytes that the environment has no room for; exact only while the tenant is locked (contract H4). */
    const checkRoom = Effect.fnUntraced(function* (tenant: Tenant, bytes: number) {
      const most = mostBytes(tenant);
      if (most === null) return;
      const total = yield* repository.total(tenant);
      if (total + bytes > most) return yield* full(tenant, most, total, bytes);
    });

    /**
     * From the request to bytes in the store that await their row: nothing here holds a connection, and whatever ends it, the key is
     * known to the sweeping.
     */
    const receive = Effect.fnUntraced(function* (tenant: Tenant, input: UploadInput) {
      const { bytes, name, ownName, path, problems } = yield* readUpload(input, folder);
      let content: MediaContent | null = null;
      if (!problems.has("file") && !problems.has("body")) {
        content = yield* inspector.inspect(path).pipe(
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
      const now = yield* Clock.currentTimeMillis;
      const key = randomBytes(24).toString("base64url");
      yield* repository.expect(key, now + expectedMillis);
      yield* store.put(key, { path, bytes, mimeType: content.mimeType });
      const kept: NewFile = {
        key,
        name: name ?? ownName ?? `${content.kind}.${content.extension}`,
        bytes,
        content,
      };
      return kept;
    }, Effect.scoped);

    const keep = Effect.fnUntraced(function* (tenant: Tenant, file: NewFile) {
      yield* workspaces.lock(tenant);
      yield* checkRoom(tenant, file.bytes);
      const now = yield* Clock.currentTimeMillis;
      const [row] = yield* repository.insert(tenant, idAt(now), file, now);
      return row === undefined ? yield* tookTooLong : show(row);
    }, database.atomically);

    return {
      /** Newest first; of one kind, or of all for null. */
      page: (tenant: Tenant, kind: MediaKind | null, position: PagePosition) =>
        Effect.map(repository.page(tenant, kind, position), (rows) => rows.map(show)),

      /** One media file. @throws 404 */
      find: (tenant: Tenant, id: string) => Effect.map(findRow(tenant, id), show),

      /** The kind of a file that a content may show; null where there is no such file here. Lock the tenant first. */
      kindOf: (tenant: Tenant, id: string) =>
        Effect.map(
          isUuid(id) ? repository.find(tenant, id) : Effect.succeed([]),
          ([row]) => row?.type ?? null,
        ),

      /** Takes the file of a request. @throws 415, 422 with everything wrong at once, 403 for the plan, 503 */
      upload: Effect.fn("MediaLibrary.upload")(function* (tenant: Tenant, input: UploadInput) {
        const received = yield* outsideTransaction(
          "upload",
          receive(tenant, input).pipe(
            Effect.catchTag(["MediaStoreAway", "MediaReaderAway"], (away) =>
              Effect.andThen(Effect.logWarning(away.message, away), Effect.fail(away.refusal)),
            ),
            Effect.result,
          ),
        );
        const file = yield* Effect.fromResult(received);
        const kept = yield* keep(tenant, file);
        yield* countUpload(file.content.kind, file.bytes);
        yield* thumbnails.call;
        return kept;
      }),

      /** Deletes a file that no notification shows; its address is gone at once. @throws 404, 409 `media_in_use` */
      delete: Effect.fn("MediaLibrary.delete")(function* (tenant: Tenant, id: string) {
        // Whoever puts a file on a notification holds this lock too.
        yield* workspaces.lock(tenant);
        const row = yield* findRow(tenant, id);
        const users = yield* repository.usedBy(tenant, row.id);
        if (users.length > 0) {
          return yield* inUse(users.map((user) => user.id));
        }
        yield* repository.delete(tenant, row.id);
        return { id: row.id, deleted: true as const };
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(MediaLibrary, MediaLibrary.make).pipe(
    Layer.provide(UploadFolder.layer),
  );
}

/** A request for an upload, its body unread. */
interface UploadInput {
  readonly request: HttpServerRequest.HttpServerRequest;
  readonly endpoint: HttpApiEndpoint.Constraint;
}

const mostBytes = ({ environment, workspace }: Tenant): number | null => {
  const most = workspace.plan.max_media_bytes;
  return environment === "sandbox" ? Math.min(most ?? maxSandboxBytes, maxSandboxBytes) : most;
};

const full = ({ environment }: Tenant, most: number, total: number, bytes: number) =>
  Forbidden.limit(
    "max_media_bytes",
    `The plan allows ${counted(most, "byte")} of media in ${environmentName(environment)}, and there are ${total.toLocaleString("en")}: ` +
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
    `The media file is shown by ${users.length === 1 ? "the notification" : `${users.length} notifications:`} ` +
      `${users.join(", ")}. Change their media_asset_id first.`,
  );

const tookTooLong = ServiceUnavailable.of("The upload took too long to be kept: send it again.");
