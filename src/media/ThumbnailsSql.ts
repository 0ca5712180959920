import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant } from "../database/Rows.ts";
import type { MediaKind } from "../workspaces/Plan.ts";

/** How far the thumbnail of a file is. */
export interface ThumbnailState {
  readonly kind: MediaKind;
  readonly thumbnail: "none" | "pending" | "ready" | "failed";
  /** Milliseconds since 1970 from which on a pending one may be taken; null for all others. */
  readonly due: number | null;
}

/** A pending thumbnail that is ours for a while; `tries` counts this one. */
export interface ClaimedThumbnail {
  readonly key: string;
  readonly tries: number;
}

/** Every statement on the making of thumbnails. Over all tenants: a key belongs to one file. */
export class ThumbnailsSql extends Context.Service<ThumbnailsSql>()("waypost/media/ThumbnailsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      find: (key: string) =>
        Effect.orDie(sql<ThumbnailState>`
          SELECT m.kind, m.thumbnail, ${asNumber("extract(epoch FROM m.thumbnail_due_at) * 1000")} AS due
          FROM media_file m WHERE m.key = ${key}`),

      /** Takes at most `most` that are due, the longest waiting first: nobody else takes them before `until`. */
      claim: (now: number, until: number, most: number) =>
        Effect.orDie(sql<ClaimedThumbnail>`
          UPDATE media_file m SET thumbnail_due_at = ${instant(until)}, thumbnail_tries = m.thumbnail_tries + 1
          WHERE m.key IN (
            SELECT key FROM media_file WHERE thumbnail = 'pending' AND thumbnail_due_at <= ${instant(now)}
            ORDER BY thumbnail_due_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
          RETURNING m.key, m.thumbnail_tries::int AS tries`),

      /** Takes the one of this key, if it is pending and due by `dueBy`. */
      claimOne: (key: string, dueBy: number, until: number) =>
        Effect.orDie(sql<ClaimedThumbnail>`
          UPDATE media_file m SET thumbnail_due_at = ${instant(until)}, thumbnail_tries = m.thumbnail_tries + 1
          WHERE m.key = ${key} AND m.thumbnail = 'pending' AND m.thumbnail_due_at <= ${instant(dueBy)}
          RETURNING m.key, m.thumbnail_tries::int AS tries`),

      /** A pending one is pending no more. */
      settle: (key: string, as: "ready" | "failed") =>
        Effect.orDie(sql`
          UPDATE media_file m SET thumbnail = ${as}, thumbnail_due_at = NULL WHERE m.key = ${key} AND m.thumbnail = 'pending'`),

      /** Gives a claimed one back, due again at `due`, with so many tries. */
      giveBack: (key: string, due: number, tries: number) =>
        Effect.orDie(sql`
          UPDATE media_file m SET thumbnail_due_at = ${instant(due)}, thumbnail_tries = ${tries}
          WHERE m.key = ${key} AND m.thumbnail = 'pending'`),
    };
  }),
}) {
  static readonly layer = Layer.effect(ThumbnailsSql, ThumbnailsSql.make);
}
