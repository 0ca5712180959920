import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, utc } from "../database/Rows.ts";
import { columnValues, firstRow, onlyValue, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { MediaUser } from "./MediaFile.ts";
import { MediaLibraryRepository, type MediaRow, type ServedFile } from "./MediaLibraryRepository.ts";

/** Every statement on media files, and on keys whose bytes belong to no file. Bound: 1,000 (plan). */
export const mediaLibrarySql = Layer.effect(
  MediaLibraryRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const shown = sql`m.id, m.key, m.name, m.kind AS type, m.mime_type, m.size_bytes, m.width, m.height,
      m.duration_seconds, ${utc("m.created_at")} AS created_at, ${utc("m.updated_at")} AS updated_at`;

    return MediaLibraryRepository.of({
      page: (tenant, { kind, search }, { before, limit }) =>
        Effect.orDie(sql<MediaRow>`
          SELECT ${shown} FROM media_file m
          WHERE ${tenantIs("m", tenant)} AND (${before}::uuid IS NULL OR m.id < ${before})
            AND (${kind}::text IS NULL OR m.kind = ${kind})
            ${search === null ? sql`` : sql`AND m.search_name LIKE ${search}`}
          ORDER BY m.id DESC LIMIT ${limit}`),

      find: (tenant, id) =>
        firstRow(
          sql<MediaRow>`SELECT ${shown} FROM media_file m WHERE ${tenantIs("m", tenant)} AND m.id = ${id}`,
        ),

      findByKey: (key) =>
        firstRow(sql<ServedFile>`
          SELECT m.mime_type AS "mimeType", m.size_bytes AS bytes, m.name
          FROM media_file m WHERE m.key = ${key}`),

      total: (tenant) =>
        onlyValue(sql<{ readonly bytes: number }>`
          SELECT ${asNumber("COALESCE(sum(m.size_bytes), 0)")} AS bytes
          FROM media_file m WHERE ${tenantIs("m", tenant)}`),

      expect: (key, dueAt) =>
        run(sql`
          INSERT INTO media_garbage (key, arriving, removals, due_at)
          VALUES (${key}, true, 1, ${instant(dueAt)})`),

      insert: (tenant, id, { bytes, content, key, name }, now) =>
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

      usedBy: (tenant, id) =>
        Effect.orDie(sql<MediaUser>`
          SELECT n.id, n.name FROM notification n
          WHERE ${tenantIs("n", tenant)} AND (n.media_id = ${id} OR n.id IN (
            SELECT v.notification_id FROM variant_media v
            WHERE ${tenantIs("v", tenant)} AND v.media_id = ${id}))
          ORDER BY n.id`),

      // A trigger makes the key garbage.
      delete: (tenant, id) =>
        run(sql`DELETE FROM media_file m WHERE ${tenantIs("m", tenant)} AND m.id = ${id}`),

      claimGarbage: (now, claimedUntil, limit) =>
        columnValues(sql<{ readonly key: string }>`
            UPDATE media_garbage SET arriving = false, due_at = ${instant(claimedUntil)}
            WHERE key IN (
              SELECT key FROM media_garbage WHERE due_at <= ${instant(now)} ORDER BY due_at LIMIT ${limit}
              FOR UPDATE SKIP LOCKED)
            RETURNING key`),

      removed: (key, again) =>
        run(sql`
          WITH last AS (DELETE FROM media_garbage WHERE key = ${key} AND removals = 1)
          UPDATE media_garbage SET removals = removals - 1, due_at = ${instant(again)}
          WHERE key = ${key} AND removals > 1`),
    });
  }),
);
