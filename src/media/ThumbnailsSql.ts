import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant } from "../database/Rows.ts";
import type { MediaKind } from "../workspaces/Plan.ts";

/** The state of a file's thumbnail. */
export interface ThumbnailState {
  readonly kind: MediaKind;
  readonly thumbnail: "none" | "pending" | "ready" | "failed";
  /** When a pending thumbnail may be leased, in milliseconds since 1970; null in all other states. */
  readonly due: number | null;
}

/** A pending thumbnail that this process may draw until the lease expires. */
export interface ThumbnailLease {
  readonly key: string;
  /** Attempts so far, including this one. */
  readonly attempts: number;
}

/** Every statement on thumbnails. Keys are unique over all tenants. */
export class ThumbnailsSql extends Context.Service<ThumbnailsSql>()("waypost/media/ThumbnailsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const leased = (expiry: number) =>
      sql`thumbnail_due_at = ${instant(expiry)}, thumbnail_tries = m.thumbnail_tries + 1`;
    return {
      find: (key: string) =>
        Effect.orDie(sql<ThumbnailState>`
          SELECT m.kind, m.thumbnail, ${asNumber("extract(epoch FROM m.thumbnail_due_at) * 1000")} AS due
          FROM media_file m WHERE m.key = ${key}`),

      /** Leases up to `limit` due thumbnails until `expiry`, those due longest first. */
      lease: (now: number, expiry: number, limit: number) =>
        Effect.orDie(sql<ThumbnailLease>`
          UPDATE media_file m SET ${leased(expiry)}
          WHERE m.key IN (
            SELECT key FROM media_file WHERE thumbnail = 'pending' AND thumbnail_due_at <= ${instant(now)}
            ORDER BY thumbnail_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING m.key, m.thumbnail_tries::int AS attempts`),

      /** Leases the thumbnail of this key until `expiry`, if it is pending and due by `dueBy`. */
      leaseOne: (key: string, dueBy: number, expiry: number) =>
        Effect.orDie(sql<ThumbnailLease>`
          UPDATE media_file m SET ${leased(expiry)}
          WHERE m.key = ${key} AND m.thumbnail = 'pending' AND m.thumbnail_due_at <= ${instant(dueBy)}
          RETURNING m.key, m.thumbnail_tries::int AS attempts`),

      /** Ends a pending thumbnail. */
      settle: (key: string, state: "ready" | "failed") =>
        Effect.orDie(sql`
          UPDATE media_file m SET thumbnail = ${state}, thumbnail_due_at = NULL
          WHERE m.key = ${key} AND m.thumbnail = 'pending'`),

      /** Releases a lease: the thumbnail is due again at `due`, after `attempts` attempts. */
      release: (key: string, due: number, attempts: number) =>
        Effect.orDie(sql`
          UPDATE media_file m SET thumbnail_due_at = ${instant(due)}, thumbnail_tries = ${attempts}
          WHERE m.key = ${key} AND m.thumbnail = 'pending'`),
    };
  }),
}) {
  static readonly layer = Layer.effect(ThumbnailsSql, ThumbnailsSql.make);
}
