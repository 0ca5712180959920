import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { MediaFile } from "./MediaFile.ts";
import type { MediaContent } from "./formats/MediaFormat.ts";
import type { ServedFile } from "./MediaFiles.ts";

/** A media file before its addresses are known. */
export interface MediaRow extends Omit<MediaFile, "url" | "thumbnail_url" | "source"> {
  readonly key: string;
}

/** Bytes in the store that are to become a file. */
export interface NewFile {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly content: MediaContent;
}

/** Every statement on media files and on keys that belong to none. */
export class MediaLibrarySql extends Context.Service<MediaLibrarySql>()("waypost/media/MediaLibrarySql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const own = ({ environment, workspaceId }: Tenant) =>
      sql`m.workspace_id = ${workspaceId} AND m.environment = ${environment}`;

    const shown = sql`m.id, m.key, m.name, m.kind AS type, m.mime_type, m.size_bytes, m.width, m.height, m.duration_seconds,
      ${utc("m.created_at")} AS created_at, ${utc("m.updated_at")} AS updated_at`;

    return {
      /** Newest first; of one kind, or of all for null. */
      page: (tenant: Tenant, kind: MediaKind | null, { before, limit }: PagePosition) =>
        Effect.orDie(sql<MediaRow>`
          SELECT ${shown} FROM media_file m
          WHERE ${own(tenant)} AND (${before}::uuid IS NULL OR m.id < ${before})
            AND (${kind}::text IS NULL OR m.kind = ${kind})
          ORDER BY m.id DESC LIMIT ${limit}`),

      find: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<MediaRow>`SELECT ${shown} FROM media_file m WHERE ${own(tenant)} AND m.id = ${id}`),

      /** The file of a key, over all tenants: for its public address. */
      findByKey: (key: string) =>
        Effect.orDie(
          sql<ServedFile>`SELECT m.mime_type AS "mimeType", m.size_bytes AS bytes, m.name FROM media_file m WHERE m.key = ${key}`,
        ),

      /** The bytes of all files of the environment. */
      total: (tenant: Tenant) =>
        Effect.orDie(
          sql<{ readonly bytes: number }>`
            SELECT ${asNumber("COALESCE(sum(m.size_bytes), 0)")} AS bytes FROM media_file m WHERE ${own(tenant)}`,
        ).pipe(Effect.map(([row]) => row?.bytes ?? 0)),

      /** Notes a key before its first byte is stored; falls due at `dueAt` if no file comes of it. */
      expect: (key: string, dueAt: number) =>
        Effect.orDie(
          sql`INSERT INTO media_garbage (key, arriving, removals, due_at) VALUES (${key}, true, 1, ${instant(dueAt)})`,
        ),

      /** Makes a file of a key that was expected; no row where the key has fallen due by now. */
      insert: (tenant: Tenant, id: string, { bytes, content, key, name }: NewFile, now: number) =>
        Effect.orDie(sql<MediaRow>`
          WITH expected AS (
            DELETE FROM media_garbage WHERE key = ${key} AND arriving RETURNING key
          )
          INSERT INTO media_file AS m (workspace_id, environment, id, key, name, kind, mime_type, size_bytes, width, height,
            duration_seconds, thumbnail, thumbnail_due_at, created_at, updated_at)
          SELECT ${tenant.workspaceId}, ${tenant.environment}, ${id}, expected.key, ${name}, ${content.kind},
            ${content.mimeType}, ${bytes}, ${content.width}::integer, ${content.height}::integer,
            ${content.durationSeconds}::float8, ${content.kind === "image" ? "pending" : "none"},
            ${instant(content.kind === "image" ? now : null)}, ${instant(now)}, ${instant(now)}
          FROM expected
          RETURNING ${shown}`),

      /** Ids of the notifications whose current content shows the file, oldest first. */
      usedBy: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<{ readonly id: string }>`
          SELECT n.id FROM notification n
          WHERE n.media_id = ${id} AND n.workspace_id = ${tenant.workspaceId} AND n.environment = ${tenant.environment}
          ORDER BY n.id`),

      /** Its key becomes garbage by a trigger. */
      delete: (tenant: Tenant, id: string) =>
        Effect.orDie(
          sql<{
            readonly id: string;
          }>`DELETE FROM media_file m WHERE ${own(tenant)} AND m.id = ${id} RETURNING m.id`,
        ),

      /** Takes at most `most` keys that are due, until `claimedUntil`: nobody else takes them before, and no file comes of them. */
      claimGarbage: (now: number, claimedUntil: number, most: number) =>
        Effect.orDie(sql<{ readonly key: string }>`
          UPDATE media_garbage SET arriving = false, due_at = ${instant(claimedUntil)}
          WHERE key IN (
            SELECT key FROM media_garbage WHERE due_at <= ${instant(now)} ORDER BY due_at LIMIT ${most}
            FOR UPDATE SKIP LOCKED)
          RETURNING key`),

      /** The bytes of a key are gone: that was it, or once more from `again` on. */
      removed: (key: string, again: number) =>
        Effect.orDie(sql`
          WITH last AS (DELETE FROM media_garbage WHERE key = ${key} AND removals = 1)
          UPDATE media_garbage SET removals = removals - 1, due_at = ${instant(again)}
          WHERE key = ${key} AND removals > 1`),
    };
  }),
}) {
  static readonly layer = Layer.effect(MediaLibrarySql, MediaLibrarySql.make);
}
