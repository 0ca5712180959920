import type { MediaRow, MediaUser, NewFile } from "./MediaFile.ts";
import { Effect } from "effect";
import { asNumber, instant, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { columnValues, firstRow, onlyValue, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

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

/** Every statement on media files, and on keys whose bytes belong to no file. Bound: 1,000 (plan). */
export class MediaLibrarySql extends SqlService<MediaLibrarySql>("waypost/media/MediaLibrarySql")((sql) => {
  const shown = sql`m.id, m.key, m.name, m.kind AS type, m.mime_type, m.size_bytes, m.width, m.height,
    m.duration_seconds, ${utc("m.created_at")} AS created_at, ${utc("m.updated_at")} AS updated_at`;

  return {
    /** A page of files, newest first. */
    page: (tenant: Tenant, { kind, search }: MediaFilters, { before, limit }: PagePosition) =>
      Effect.orDie(sql<MediaRow>`
        SELECT ${shown} FROM media_file m
        WHERE ${tenantIs("m", tenant)} AND (${before}::uuid IS NULL OR m.id < ${before})
          AND (${kind}::text IS NULL OR m.kind = ${kind})
          ${search === null ? sql`` : sql`AND m.search_name LIKE ${search}`}
        ORDER BY m.id DESC LIMIT ${limit}`),

    find: (tenant: Tenant, id: string) =>
      firstRow(
        sql<MediaRow>`SELECT ${shown} FROM media_file m WHERE ${tenantIs("m", tenant)} AND m.id = ${id}`,
      ),

    /** The file of a key, over all tenants. A deleted file is gone for every process at once. */
    findByKey: (key: string) =>
      firstRow(sql<ServedFile>`
        SELECT m.mime_type AS "mimeType", m.size_bytes AS bytes, m.name
        FROM media_file m WHERE m.key = ${key}`),

    /** The size of all files of the environment, in bytes. */
    total: (tenant: Tenant) =>
      onlyValue(sql<{ readonly bytes: number }>`
        SELECT ${asNumber("COALESCE(sum(m.size_bytes), 0)")} AS bytes
        FROM media_file m WHERE ${tenantIs("m", tenant)}`),

    /** Records a key before its first byte is stored. Without a file it is garbage at `dueAt`. */
    expect: (key: string, dueAt: number) =>
      run(sql`
        INSERT INTO media_garbage (key, arriving, removals, due_at)
        VALUES (${key}, true, 1, ${instant(dueAt)})`),

    /** Inserts the file of an expected key. Null if the key has become garbage. */
    insert: (tenant: Tenant, id: string, { bytes, content, key, name }: NewFile, now: number) =>
      firstRow(sql<MediaRow>`
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

    /** The notifications whose current content shows the file, oldest first. */
    usedBy: (tenant: Tenant, id: string) =>
      Effect.orDie(sql<MediaUser>`
        SELECT n.id, n.name FROM notification n
        WHERE ${tenantIs("n", tenant)} AND (n.media_id = ${id} OR n.id IN (
          SELECT v.notification_id FROM variant_media v
          WHERE ${tenantIs("v", tenant)} AND v.media_id = ${id}))
        ORDER BY n.id`),

    /** Deletes a file. Its key is garbage, with two removals due at once. */
    // A trigger makes the key garbage.
    delete: (tenant: Tenant, id: string) =>
      run(sql`DELETE FROM media_file m WHERE ${tenantIs("m", tenant)} AND m.id = ${id}`),

    /** Claims up to `limit` due keys until `claimedUntil`. An upload can no longer turn them into files. */
    claimGarbage: (now: number, claimedUntil: number, limit: number) =>
      columnValues(sql<{ readonly key: string }>`
          UPDATE media_garbage SET arriving = false, due_at = ${instant(claimedUntil)}
          WHERE key IN (
            SELECT key FROM media_garbage WHERE due_at <= ${instant(now)} ORDER BY due_at LIMIT ${limit}
            FOR UPDATE SKIP LOCKED)
          RETURNING key`),

    /** Records a removal of a key's bytes. If another removal is due, it is due at `again`. */
    removed: (key: string, again: number) =>
      run(sql`
        WITH last AS (DELETE FROM media_garbage WHERE key = ${key} AND removals = 1)
        UPDATE media_garbage SET removals = removals - 1, due_at = ${instant(again)}
        WHERE key = ${key} AND removals > 1`),
  };
}) {}
