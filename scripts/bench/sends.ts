/**
 * The bar of many sends due at once: 10,000 sends of one minute start with a p99 of 2 seconds, and are all
 * done within twice the time of one send with as many deliveries. Both run in one process with every role, on
 * one durable PostgreSQL, alternately. BENCH_ROUNDS, BENCH_SENDS, BENCH_DEVICES (of each send) and
 * BENCH_SEGMENT=1 (each send has a segment) change the load.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../src/database/Rows.ts";
import { median } from "./BenchChild.ts";
import { operatorKey, post, withService } from "./BenchService.ts";
import { quantile } from "./PacedLoad.ts";

const maxRatio = 2;
const maxP99Seconds = 2;
const sends = Number(process.env["BENCH_SENDS"] ?? 10_000);
const devices = Number(process.env["BENCH_DEVICES"] ?? 50);
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 2);
const hasSegment = process.env["BENCH_SEGMENT"] === "1";
/** How long all sends may take, in milliseconds. */
const timeoutMillis = 180_000;
/** How far ahead the sends are planned. */
const aheadMillis = 1_500;

/** A workspace whose sends have so many devices each. */
interface Load {
  readonly workspace: string;
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
const prepare = Effect.fnUntraced(function* (origin: string, name: string, count: number, size: number) {
  const sql = yield* SqlClient.SqlClient;
  const operator = `${origin}/operator/v1/workspaces`;
  const { id } = yield* post(operator, operatorKey, { name, plan: { max_campaigns: null } });
  const workspace = `${operator}/${id}`;
  yield* post(workspace, operatorKey, { platform_api_enabled: true }, "PATCH");
  const { token } = yield* post(`${workspace}/tokens`, operatorKey, {
    name,
    environment: "production",
    abilities: ["campaigns:write", "notifications:write"],
  });
  const rule = { match: "all", conditions: [{ attribute: "vip", op: "exists", value: false }] };
  const segment = yield* post(`${workspace}/production/segments`, operatorKey, { name: "Everyone", rule });
  const starts_at = new Date((yield* Clock.currentTimeMillis) + 86_400_000).toISOString().slice(0, 10);
  const campaign = yield* post(`${origin}/platform/v1/campaigns`, token, {
    name: "Bench",
    type: "push",
    timezone: "UTC",
    starts_at,
    ...(hasSegment ? { segmentation_ids: [segment.id] } : {}),
  });
  yield* post(`${origin}/platform/v1/campaigns/${campaign.id}/notifications`, token, {
    name: "Note",
    type: "message",
    headline: "Hello",
    body: "World",
    trigger_type: "fixed_time",
    trigger_config: { send_at: "12:00" },
  });
  yield* sql`
    WITH copied AS (
      INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at,
        segment_match, created_at, updated_at)
      SELECT c.workspace_id, c.environment, gen_random_uuid(), 'Bench ' || n, c.type, c.timezone, c.starts_at,
        c.ends_at, c.segment_match, c.created_at, c.updated_at
      FROM campaign c, generate_series(2, ${count}::int) AS n WHERE c.id = ${campaign.id}
      RETURNING *
    ), targeted AS (
      INSERT INTO campaign_segment (workspace_id, environment, campaign_id, segment_id, position)
      SELECT c.workspace_id, c.environment, c.id, t.segment_id, t.position
      FROM copied c, campaign_segment t WHERE t.campaign_id = ${campaign.id}
    ), attached AS (
      INSERT INTO campaign_notification (workspace_id, environment, id, campaign_id, notification_id,
        trigger_type,
        send_at, attached_at, updated_at)
      SELECT a.workspace_id, a.environment, gen_random_uuid(), c.id, a.notification_id, a.trigger_type,
        a.send_at, a.attached_at,
        a.updated_at
      FROM copied c, campaign_notification a WHERE a.campaign_id = ${campaign.id}
    )
    INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
      notification_key, due_at, status)
    SELECT s.workspace_id, s.environment, gen_random_uuid(), c.id, c.key, s.notification_id,
      s.notification_key, s.due_at, s.status
    FROM copied c, send s WHERE s.campaign_id = ${campaign.id}`;
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
      token_digest, registered_at, last_seen_at)
    SELECT w.id, 'production', n, gen_random_uuid(), 'installation-' || n, 'android', 'inbox',
      decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
    FROM workspace w, generate_series(1, ${size}::int) AS n WHERE w.public_id = ${id}`;
  yield* sql`
    UPDATE tenant t SET last_device_key = ${size} FROM workspace w
    WHERE w.public_id = ${id} AND t.workspace_id = w.id AND t.environment = 'production'`;
  yield* sql`VACUUM ANALYZE`.unprepared;
  return { workspace: id, size } satisfies Load;
});

/** Makes all sends of a workspace due at once. Returns their lags and the time until all are done. */
const run = Effect.fnUntraced(function* ({ size, workspace }: Load) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`s.workspace_id = (SELECT w.id FROM workspace w WHERE w.public_id = ${workspace})`;
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

const bench = Effect.fnUntraced(function* (origin: string) {
  const one = yield* prepare(origin, "One", 1, sends * devices);
  const many = yield* prepare(origin, "Many", sends, devices);
  const [single, all]: [Array<Run>, Array<Run>] = [[], []];
  for (let round = 0; round < rounds; round++) {
    single.push(yield* run(one));
    all.push(yield* run(many));
  }
  const seconds = (runs: ReadonlyArray<Run>) => median(runs.map((each) => each.seconds));
  const lag = (part: number) => median(all.map(({ lags }) => quantile(lags, part)));
  const ratio = median(all.map((each, round) => each.seconds / (single[round]?.seconds ?? Number.NaN)));
  const unfinished = [...single, ...all].reduce((sum, each) => sum + each.unfinished, 0);
  console.log(`one send of ${sends * devices} deliveries: ${seconds(single).toFixed(1)} s`);
  console.log(
    `${sends} sends of ${devices} deliveries: ${seconds(all).toFixed(1)} s, ${unfinished} unfinished, ` +
      `ratio ${ratio.toFixed(2)} (bar: ${maxRatio})`,
  );
  console.log(
    `from the minute to the start: median ${lag(0.5).toFixed(2)} s, p99 ${lag(0.99).toFixed(2)} s ` +
      `(bar: ${maxP99Seconds} s), max ${lag(1).toFixed(2)} s`,
  );
  if (ratio > maxRatio || lag(0.99) > maxP99Seconds || unfinished > 0) process.exitCode = 1;
});

withService(bench).pipe(NodeRuntime.runMain);
