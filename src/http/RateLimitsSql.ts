import { Effect } from "effect";
import { instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import type { Environment } from "../workspaces/Environment.ts";

/** The requests that a batch asks for one tenant, and the tenant's limits (2147483647 for none). */
export interface RateDemand {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly reads: number;
  readonly writes: number;
  readonly perMinute: number;
  readonly writesPerMinute: number;
  readonly perDay: number;
}

/** The windows of a tenant after a batch, and how many of its requests were granted. */
export interface RateWindows {
  readonly workspace_id: number;
  readonly environment: Environment;
  readonly minute_opened: Date;
  readonly minute_used: number;
  readonly writes_opened: Date;
  readonly writes_used: number;
  readonly day_opened: Date;
  readonly day_used: number;
  readonly granted_reads: number;
  readonly granted_writes: number;
}

/** The statement on rate limit windows. Bound: the environments of 1 batch. */
export class RateLimitsSql extends SqlService<RateLimitsSql>("waypost/http/RateLimitsSql")((sql) => {
  const isOver = (opened: string, millis: number, now: number) => sql`
    (w.${sql(opened)} <= ${instant(now - millis)} OR w.${sql(opened)} > ${instant(now + 60_000)})`;
  return {
    /**
     * Grants what each tenant's windows have left, writes before reads, and counts it; exact under
     * concurrency. A tenant has at most one demand. A window that has ended opens again at `now` (epoch
     * milliseconds), the window of writes only with a write. So does one that opened over a minute after
     * `now`: the clock was set back since.
     */
    // The commit does not wait for the disk: a crash of the database may lose the last moments of a window.
    take: (demands: ReadonlyArray<RateDemand>, now: number) =>
      Effect.orDie(sql<RateWindows>`
    WITH relaxed AS (SELECT set_config('synchronous_commit', 'off', true) AS setting),
    held AS (
      SELECT w.*, d.reads, d.writes, d.per_minute, d.writes_per_minute, d.per_day,
        ${isOver("minute_opened", 60_000, now)} AS minute_over,
        ${isOver("writes_opened", 60_000, now)} AS writes_over,
        ${isOver("day_opened", 86_400_000, now)} AS day_over
      FROM relaxed, rate_window w
      JOIN ${unnested("d", demands, {
        workspace_id: ["int4", (demand) => demand.workspaceId],
        environment: ["text", (demand) => demand.environment],
        reads: ["int4", (demand) => demand.reads],
        writes: ["int4", (demand) => demand.writes],
        per_minute: ["int4", (demand) => demand.perMinute],
        writes_per_minute: ["int4", (demand) => demand.writesPerMinute],
        per_day: ["int4", (demand) => demand.perDay],
      })} USING (workspace_id, environment)
      WHERE relaxed.setting IS NOT NULL
      ORDER BY w.workspace_id, w.environment
      FOR UPDATE OF w
    ), used AS (
      SELECT *,
        CASE WHEN minute_over THEN 0 ELSE minute_used END AS minute_before,
        CASE WHEN writes_over THEN 0 ELSE writes_used END AS writes_before,
        CASE WHEN day_over THEN 0 ELSE day_used END AS day_before
      FROM held
    ), room AS (
      SELECT *, GREATEST(0, LEAST(per_minute - minute_before, per_day - day_before)) AS allowance
      FROM used
    ), writes_first AS (
      SELECT *, GREATEST(0, LEAST(writes, writes_per_minute - writes_before, allowance)) AS grants_writes
      FROM room
    ), grants AS (
      SELECT *, LEAST(reads, allowance - grants_writes) AS grants_reads FROM writes_first
    )
    UPDATE rate_window w SET
      minute_opened = CASE WHEN g.minute_over THEN ${instant(now)} ELSE g.minute_opened END,
      minute_used = g.minute_before + g.grants_reads + g.grants_writes,
      writes_opened =
        CASE WHEN g.writes_over AND g.writes > 0 THEN ${instant(now)} ELSE g.writes_opened END,
      writes_used = CASE WHEN g.writes > 0 THEN g.writes_before + g.grants_writes ELSE g.writes_used END,
      day_opened = CASE WHEN g.day_over THEN ${instant(now)} ELSE g.day_opened END,
      day_used = g.day_before + g.grants_reads + g.grants_writes,
      granted_reads = g.grants_reads, granted_writes = g.grants_writes
    FROM grants g
    WHERE w.workspace_id = g.workspace_id AND w.environment = g.environment
    RETURNING w.*`),
  };
}) {}
