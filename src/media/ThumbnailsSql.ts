import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant } from "../database/Rows.ts";
import { firstRow, run } from "../database/Statements.ts";
import { type ThumbnailLease, ThumbnailsRepository, type ThumbnailState } from "./ThumbnailsRepository.ts";

/** Every statement on thumbnails. */
export const thumbnailsSql = Layer.effect(
  ThumbnailsRepository,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const leased = (expiry: number) =>
      sql`thumbnail_due_at = ${instant(expiry)}, thumbnail_tries = m.thumbnail_tries + 1`;
    return ThumbnailsRepository.of({
      find: (key) =>
        firstRow(sql<ThumbnailState>`
          SELECT m.kind, m.thumbnail, ${epochMillis("m.thumbnail_due_at")} AS due
          FROM media_file m WHERE m.key = ${key}`),

      lease: (now, expiry, limit) =>
        Effect.orDie(sql<ThumbnailLease>`
          UPDATE media_file m SET ${leased(expiry)}
          WHERE m.key IN (
            SELECT key FROM media_file WHERE thumbnail = 'pending' AND thumbnail_due_at <= ${instant(now)}
            ORDER BY thumbnail_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING m.key, m.thumbnail_tries::int AS attempts`),

      leaseOne: (key, dueBy, expiry) =>
        firstRow(sql<ThumbnailLease>`
          UPDATE media_file m SET ${leased(expiry)}
          WHERE m.key = ${key} AND m.thumbnail = 'pending' AND m.thumbnail_due_at <= ${instant(dueBy)}
          RETURNING m.key, m.thumbnail_tries::int AS attempts`),

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
