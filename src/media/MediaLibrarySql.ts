import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, onlyRow, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { MediaContent } from "./formats/MediaFormat.ts";
import type { MediaFile } from "./MediaFile.ts";

/** A media file without its addresses. */
export interface MediaRow extends Omit<MediaFile, "url" | "thumbnail_url" | "source"> {
  readonly key: string;
}

/** Stored bytes that are about to become a file. */
export interface NewFile {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly content: MediaContent;
}

/** A file as its public address serves it. */
export interface ServedFile {
  /** The type detected at the upload. */
  readonly mimeType: string;
  readonly bytes: number;
  /** The uploader's name for it: any text. */
  readonly name: string;
}

/** Every statement on media files, and on keys whose bytes belong to no file. */
export class MediaLibrarySql extends Context.Service<MediaLibrarySql>()("waypost/media/MediaLibrarySql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const own = ({ environment, workspaceId }: Tenant) =>
      sql`m.workspace_id = ${workspaceId} AND m.environment = ${environment}`;

    const shown = sql`m.id, m.key, m.name, m.kind AS type, m.mime_type, m.size_bytes, m.width, m.height,
      m.duration_seconds, ${utc("m.created_at")} AS created_at, ${utc("m.updated_at")} AS updated_at`;

    return {
      /** A page of files, newest first: of one kind, or of all for null. */
      page: (tenant: Tenant, kind: MediaKind | null, { before, limit }: PagePosition) =>
        Effect.orDie(sql<MediaRow>`
          SELECT ${shown} FROM media_file m
          WHERE ${own(tenant)} AND (${before}::uuid IS NULL OR m.id < ${before})
            AND (${kind}::text IS NULL OR m.kind = ${kind})
          ORDER BY m.id DESC LIMIT ${limit}`),

      find: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<MediaRow>`SELECT ${shown} FROM media_file m WHERE ${own(tenant)} AND m.id = ${id}`),

      /** The file of a key, over all tenants. A deleted file is gone for every process at once. */
      findByKey: (key: string) =>
        Effect.orDie(sql<ServedFile>`
          SELECT m.mime_type AS "mimeType", m.size_bytes AS bytes, m.name
          FROM media_file m WHERE m.key = ${key}`),

      /** The size of all files of the environment, in bytes. */
      total: (tenant: Tenant) =>
        Effect.map(
          onlyRow(sql<{ readonly bytes: number }>`
            SELECT ${asNumber("COALESCE(sum(m.size_bytes), 0)")} AS bytes
            FROM media_file m WHERE ${own(tenant)}`),
          ({ bytes }) => bytes,
        ),

      /** Records a key before its first byte is stored. Without a file it is garbage at `dueAt`. */
      expect: (key: string, dueAt: number) =>
        Effect.orDie(sql`
          INSERT INTO media_garbage (key, arriving, removals, due_at)
          VALUES (${key}, true, 1, ${instant(dueAt)})`),

      /** Inserts the file of an expected key. Returns no row if the key has become garbage. */
      insert: (tenant: Tenant, id: string, { bytes, content, key, name }: NewFile, now: number) =>
        Effect.orDie(sql<MediaRow>`
          WITH expected AS (
            DELETE FROM media_garbage WHERE key = ${key} AND arriving RETURNING key
          )
          INSERT INTO media_file AS m (workspace_id, environment, id, key, name, kind, mime_type, size_bytes,
            width, height, duration_seconds, thumbnail, thumbnail_due_at, created_at, updated_at)
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
          WHERE n.media_id = ${id} AND n.workspace_id = ${tenant.workspaceId}
            AND n.environment = ${tenant.environment}
          ORDER BY n.id`),

      /** Deletes a file. A trigger makes its key garbage. */
      delete: (tenant: Tenant, id: string) =>
        Effect.orDie(sql`DELETE FROM media_file m WHERE ${own(tenant)} AND m.id = ${id}`),

      /** Claims up to `limit` due keys until `claimedUntil`. An upload can no longer turn them into files. */
      claimGarbage: (now: number, claimedUntil: number, limit: number) =>
        Effect.orDie(sql<{ readonly key: string }>`
          UPDATE media_garbage SET arriving = false, due_at = ${instant(claimedUntil)}
          WHERE key IN (
            SELECT key FROM media_garbage WHERE due_at <= ${instant(now)} ORDER BY due_at LIMIT ${limit}
            FOR UPDATE SKIP LOCKED)
          RETURNING key`),

      /** Records a removal of a key's bytes. If another removal is due, it is due at `again`. */
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
