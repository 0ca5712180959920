import { arrayOf, epochMillis, instant } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, run } from "../database/Statements.ts";
import type { MediaKind } from "../workspaces/Plan.ts";

/** The state of a file's thumbnail. */
export interface ThumbnailState {
  readonly workspaceId: number;
  readonly kind: MediaKind;
  readonly thumbnail: "none" | "pending" | "ready" | "failed";
  /** When a pending thumbnail may be leased, in milliseconds since 1970; null in all other states. */
  readonly due: number | null;
}

/** A pending thumbnail that this process may draw until the lease expires. */
export interface ThumbnailLease {
  readonly workspaceId: number;
  readonly key: string;
  /** Attempts so far, including this one. */
  readonly attempts: number;
}

/** Every statement on thumbnails. Bound: 1 file. */
export class ThumbnailsSql extends SqlService<ThumbnailsSql>("waypost/media/ThumbnailsSql")((sql) => {
  const leased = (expiry: number) =>
    sql`thumbnail_due_at = ${instant(expiry)}, thumbnail_tries = m.thumbnail_tries + 1`;
  const lease = sql.literal('m.workspace_id AS "workspaceId", m.key, m.thumbnail_tries::int AS attempts');
  return {
    find: (key: string) =>
      firstRow(sql<ThumbnailState>`
        SELECT m.workspace_id AS "workspaceId", m.kind, m.thumbnail,
          ${epochMillis("m.thumbnail_due_at")} AS due
        FROM media_file m WHERE m.key = ${key}`),

    /**
     * Leases a due thumbnail until `expiry`: of the next workspace, in the order of ids behind `after`, the
     * one due longest, without a few workspaces. Null if there is none up to the last workspace.
     */
    lease: (now: number, expiry: number, after: number, except: ReadonlyArray<number>) =>
      firstRow(sql<ThumbnailLease>`
        UPDATE media_file m SET ${leased(expiry)}
        WHERE m.key = (
          SELECT key FROM media_file
          WHERE thumbnail = 'pending' AND thumbnail_due_at <= ${instant(now)}
            AND workspace_id > ${after} AND workspace_id <> ALL(${arrayOf("int4", except)})
          ORDER BY workspace_id, thumbnail_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING ${lease}`),

    /** Leases the thumbnail of this key until `expiry`, if it is pending and due by `dueBy`. */
    leaseOne: (key: string, dueBy: number, expiry: number) =>
      firstRow(sql<ThumbnailLease>`
        UPDATE media_file m SET ${leased(expiry)}
        WHERE m.key = ${key} AND m.thumbnail = 'pending' AND m.thumbnail_due_at <= ${instant(dueBy)}
        RETURNING ${lease}`),

    /** Ends a pending thumbnail. */
    settle: (key: string, state: "ready" | "failed") =>
      run(sql`
        UPDATE media_file m SET thumbnail = ${state}, thumbnail_due_at = NULL
        WHERE m.key = ${key} AND m.thumbnail = 'pending'`),

    /** Releases a lease: the thumbnail is due again at `due`, after `attempts` attempts. */
    release: (key: string, due: number, attempts: number) =>
      run(sql`
        UPDATE media_file m SET thumbnail_due_at = ${instant(due)}, thumbnail_tries = ${attempts}
        WHERE m.key = ${key} AND m.thumbnail = 'pending'`),
  };
}) {}
