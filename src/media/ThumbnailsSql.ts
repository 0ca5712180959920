import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, epochMillis, instant } from "../database/Rows.ts";
import { firstRow, run } from "../database/Statements.ts";
import { type ThumbnailLease, ThumbnailsRepository, type ThumbnailState } from "./ThumbnailsRepository.ts";

/** Every statement on thumbnails. Bound: 1 file. */
export const thumbnailsSql = Layer.effect(
  ThumbnailsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const leased = (expiry: number) =>
      sql`thumbnail_due_at = ${instant(expiry)}, thumbnail_tries = m.thumbnail_tries + 1`;
    const lease = sql.literal('m.workspace_id AS "workspaceId", m.key, m.thumbnail_tries::int AS attempts');
    return ThumbnailsRepository.of({
      find: (key) =>
        firstRow(sql<ThumbnailState>`
          SELECT m.workspace_id AS "workspaceId", m.kind, m.thumbnail,
            ${epochMillis("m.thumbnail_due_at")} AS due
          FROM media_file m WHERE m.key = ${key}`),

      lease: (now, expiry, { after, except }) =>
        firstRow(sql<ThumbnailLease>`
          UPDATE media_file m SET ${leased(expiry)}
          WHERE m.key = (
            SELECT key FROM media_file
            WHERE thumbnail = 'pending' AND thumbnail_due_at <= ${instant(now)}
              AND workspace_id > ${after} AND workspace_id <> ALL(${arrayOf("int4", except)})
            ORDER BY workspace_id, thumbnail_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
          RETURNING ${lease}`),

      leaseOne: (key, dueBy, expiry) =>
        firstRow(sql<ThumbnailLease>`
          UPDATE media_file m SET ${leased(expiry)}
          WHERE m.key = ${key} AND m.thumbnail = 'pending' AND m.thumbnail_due_at <= ${instant(dueBy)}
          RETURNING ${lease}`),

      settle: (key, state) =>
        run(sql`
          UPDATE media_file m SET thumbnail = ${state}, thumbnail_due_at = NULL
          WHERE m.key = ${key} AND m.thumbnail = 'pending'`),

      release: (key, due, attempts) =>
        run(sql`
          UPDATE media_file m SET thumbnail_due_at = ${instant(due)}, thumbnail_tries = ${attempts}
          WHERE m.key = ${key} AND m.thumbnail = 'pending'`),
    });
  }),
);
