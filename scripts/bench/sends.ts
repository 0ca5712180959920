/**
 * The bar of many sends due at once: 10,000 sends of one minute start with a p99 of 2 seconds, and are all
 * done within twice the time of one send with as many deliveries. Both run in one process with every role, on
 * one durable PostgreSQL, alternately. BENCH_ROUNDS, BENCH_SENDS, BENCH_DEVICES (of each send) and
 * BENCH_SEGMENT=1 (each send has a segment) change the load.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import process from "node:process";
import { instant } from "../../src/database/Rows.ts";
import { insertDevices, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, each, runBench } from "./BenchWorld.ts";
import { quantile } from "./PacedLoad.ts";
import { ask, newWorkspace, pushCampaign } from "./ServiceApi.ts";
import { alternately, figure, setting } from "./Rounds.ts";

const sends = setting("SENDS", 10_000);
const devices = setting("DEVICES", 50);
const rounds = setting("ROUNDS", 2);
const hasSegment = process.env["BENCH_SEGMENT"] === "1";
/** How long all sends may take, in milliseconds. */
const timeoutMillis = 180_000;
/** How far ahead the sends are planned. */
const aheadMillis = 1_500;

/** A workspace, by its internal key, whose sends have so many devices each. */
interface Load {
  readonly workspace: number;
  readonly size: number;
}

/** Sends that were due together. Lags from the minute to the start, in order. */
interface Run {
  readonly seconds: number;
  readonly lags: ReadonlyArray<number>;
  /** Sends that were not done in time, or missed a device. */
  readonly unfinished: number;
}

/** A workspace with a push campaign over HTTP, copied until there are `count`, for `size` inboxes. */
const prepare = Effect.fnUntraced(function* (origin: string, count: number, size: number) {
  const sql = yield* SqlClient.SqlClient;
  const workspace = yield* newWorkspace(origin, ["campaigns:write", "notifications:write", "segments:write"]);
  const rule = { match: "all", conditions: [{ attribute: "vip", op: "exists", value: false }] };
  const segments = `${workspace.platform}/segments`;
  const segment = yield* ask(segments, workspace.token, { name: "Everyone", rule });
  const target = hasSegment ? { segmentation_ids: [segment.id] } : {};
  const campaign = yield* pushCampaign(workspace, target);
  yield* sql`
    WITH copied AS (
      INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at,
        segment_match, created_at, updated_at)
      SELECT c.workspace_id, c.environment, gen_random_uuid(), 'Bench ' || n, c.type, c.timezone, c.starts_at,
        c.ends_at, c.segment_match, c.created_at, c.updated_at
      FROM campaign c, generate_series(2, ${count}::int) AS n WHERE c.id = ${campaign}
      RETURNING *
    ), targeted AS (
      INSERT INTO campaign_segment (workspace_id, environment, campaign_id, segment_id, position)
      SELECT c.workspace_id, c.environment, c.id, t.segment_id, t.position
      FROM copied c, campaign_segment t WHERE t.campaign_id = ${campaign}
    ), attached AS (
      INSERT INTO campaign_notification (workspace_id, environment, id, campaign_id, notification_id,
        trigger_type,
        send_at, attached_at, updated_at)
      SELECT a.workspace_id, a.environment, gen_random_uuid(), c.id, a.notification_id, a.trigger_type,
        a.send_at, a.attached_at,
        a.updated_at
      FROM copied c, campaign_notification a WHERE a.campaign_id = ${campaign}
    )
    INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
      notification_key, due_at, status)
    SELECT s.workspace_id, s.environment, gen_random_uuid(), c.id, c.key, s.notification_id,
      s.notification_key, s.due_at, s.status
    FROM copied c, send s WHERE s.campaign_id = ${campaign}`;
  const key = yield* workspaceKey(workspace.id);
  yield* insertDevices(key, 1, size);
  yield* sql`VACUUM ANALYZE`.unprepared;
  return { workspace: key, size } satisfies Load;
});

/** Makes all sends of a workspace due at once. Returns their lags and the time until all are done. */
const run = Effect.fnUntraced(function* ({ size, workspace }: Load) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`s.workspace_id = ${workspace}`;
  yield* sql`TRUNCATE delivery`.unprepared;
  yield* sql`
    UPDATE send s SET status = 'scheduled', source_id = NULL, content_key = NULL, content_type = NULL,
      targeted = 0, delivered = 0, started_at = NULL, finished_at = NULL
    WHERE ${mine} AND s.status = 'done'`;
  yield* sql`VACUUM ANALYZE send, send_batch`.unprepared;
  yield* sql`CHECKPOINT`.unprepared;
  const dueAt = (yield* Clock.currentTimeMillis) + aheadMillis;
  yield* sql`UPDATE send s SET due_at = ${instant(dueAt)} WHERE ${mine}`;
  while (true) {
    yield* Effect.sleep(20);
    const now = yield* Clock.currentTimeMillis;
    const [open] = yield* sql`SELECT FROM send s WHERE ${mine} AND s.status <> 'done' LIMIT 1`;
    if (open !== undefined && now - dueAt < timeoutMillis) continue;
    const rows = yield* sql<{ readonly status: string; readonly lag: number; readonly targeted: number }>`
      SELECT s.status, s.targeted, (extract(epoch FROM s.started_at - s.due_at) * 1000)::float8 AS lag
      FROM send s WHERE ${mine} ORDER BY lag`;
    return {
      seconds: (now - dueAt) / 1_000,
      lags: rows.map(({ lag }) => lag / 1_000),
      unfinished: rows.filter(({ status, targeted }) => status !== "done" || targeted !== size).length,
    } satisfies Run;
  }
});

const bench = Effect.gen(function* () {
  const { origin } = yield* BenchWorld.waypost();
  const [one, many] = [yield* prepare(origin, 1, sends * devices), yield* prepare(origin, sends, devices)];
  const { all, single } = yield* alternately(rounds, { single: run(one), all: run(many) }, 0);
  const seconds = (runs: ReadonlyArray<Run>) => each(runs, "seconds");
  const lags = (part: number) => all.map((run) => quantile(run.lags, part));
  const unfinished = [...single, ...all].reduce((sum, run) => sum + run.unfinished, 0);
  if (unfinished > 0) return yield* Effect.die(new Error(`${unfinished} sends are unfinished`));
  const what = `${sends.toLocaleString("en")} sends of one minute to ${devices} inboxes each`;
  figure("time", `time of ${what}`, "s", seconds(all), {
    beside: ["one send of as many deliveries", seconds(single)],
    atMost: 2,
  });
  figure("p99", `from the minute to the start, p99 of ${what}`, "s", lags(0.99), { atMost: 2 });
  figure("p50", `from the minute to the start, median of ${what}`, "s", lags(0.5));
});

runBench(bench);
