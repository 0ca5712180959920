/**
 * The bars of webhooks, with a receiver, PostgreSQL and Waypost on one machine.
 *
 * - One worker process sends at least 2,000 calls a second singly and 5,000 events a second in batches, by
 *   its CPU on one core (the clock is shared with PostgreSQL and the receiver, and printed too).
 * - A receiver that fails one call in five gets at least half of the calls a second of one that answers.
 * - Of 1,000 receivers 100 hang: the lag of the others has a p99 under 2 seconds.
 * - A send with a webhook takes at most 1.3 times as long as without.
 * - An event that fires costs at most 1.25 times the CPU with a webhook that listens to everything.
 *
 * `--only singly,batches,failing,hanging,send,ingest` measures only those. Linux only: CPU times come from
 * /proc.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, References } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { instant } from "../../src/database/Rows.ts";
import { cpuOf, familyOf, median, started } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";
import { oneStore } from "./BenchService.ts";
import { postHead, requestLoad } from "./RequestLoad.ts";
import { failing } from "./WebhookFailing.ts";
import { hanging } from "./WebhookHanging.ts";
import {
  allSettled,
  ask,
  figuresOf,
  newWorkspace,
  operatorKey,
  recordEvents,
  secretKey,
  waitFor,
} from "./WebhookScenario.ts";

const { values } = parseArgs({ options: { only: { type: "string" } } });
const parts = ["singly", "batches", "failing", "hanging", "send", "ingest"] as const;
const isWanted = (part: (typeof parts)[number]): boolean =>
  values.only === undefined || values.only.split(",").includes(part);

const bars = { singly: 2_000, batches: 5_000, failing: 0.5, lagMillis: 2_000, send: 1.3, ingest: 1.25 };
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3);
const devices = Number(process.env["BENCH_DEVICES"] ?? 100_000);

/** Events a second by the clock, and by the CPU of the worker, medians of the rounds. */
const throughput = Effect.fnUntraced(function* (
  name: string,
  origin: string,
  receiver: string,
  pid: number,
  batch: boolean,
  count: number,
) {
  const { token, workspaceId } = yield* newWorkspace(origin);
  const webhooks = `${origin}/platform/v1/webhooks`;
  const webhook = yield* ask(webhooks, token, { url: receiver, events: ["location.entered"], batch });
  const byClock: Array<number> = [];
  const byCpu: Array<number> = [];
  for (let round = -1; round < rounds; round++) {
    yield* figuresOf(receiver);
    const began = performance.now();
    const before = cpuOf(pid);
    yield* recordEvents(workspaceId, webhook.id, count, 100);
    yield* waitFor(receiver, count, 60);
    const took = (performance.now() - began) / 1000;
    yield* allSettled;
    if (round < 0) continue;
    byClock.push(count / took);
    byCpu.push(count / (cpuOf(pid) - before));
  }
  yield* ask(`${webhooks}/${webhook.id}`, token, {}, "DELETE");
  const bar = bars[batch ? "batches" : "singly"];
  const rate = median(byCpu);
  console.log(
    `${name}: ${Math.round(rate)} events a second of one core (bar: ${bar}), ` +
      `${Math.round(median(byClock))} by the clock`,
  );
  return rate >= bar;
});

/** A send to inboxes, alternately with a webhook and without. */
const sends = Effect.fnUntraced(function* (origin: string, receiver: string) {
  const sql = yield* SqlClient.SqlClient;
  const { token, workspaceId } = yield* newWorkspace(origin);
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
      token_digest, registered_at, last_seen_at)
    SELECT ${workspaceId}, 'production', n, gen_random_uuid(), 'installation-' || n, 'android', 'inbox', true,
      decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
    FROM generate_series(1, ${devices}::int) AS n`;
  yield* sql`
    UPDATE tenant SET last_device_key = ${devices}
    WHERE workspace_id = ${workspaceId} AND environment = 'production'`;
  const starts_at = new Date((yield* Clock.currentTimeMillis) + 86_400_000).toISOString().slice(0, 10);
  const platform = `${origin}/platform/v1`;
  const draft = { name: "Bench", type: "push", timezone: "UTC", starts_at };
  const campaign = yield* ask(`${platform}/campaigns`, token, draft);
  const notification = yield* ask(`${platform}/campaigns/${campaign.id}/notifications`, token, {
    name: "Note",
    type: "message",
    headline: "Hello",
    body: "World",
    trigger_type: "fixed_time",
    trigger_config: { send_at: "12:00" },
  });
  // The bench schedules its own sends.
  yield* sql`DELETE FROM send`;
  yield* sql`ANALYZE`.unprepared;
  /** The seconds of one send. */
  const send = Effect.gen(function* () {
    const due = instant(yield* Clock.currentTimeMillis);
    const id = randomUUID();
    yield* sql`
      INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
        notification_key, due_at, status)
      SELECT c.workspace_id, c.environment, ${id}::uuid, c.id, c.key, n.id, n.key, ${due}, 'scheduled'
      FROM campaign c, notification n WHERE c.id = ${campaign.id} AND n.id = ${notification.id}`;
    for (;;) {
      const [row] = yield* sql<{ readonly took: number }>`
        SELECT extract(epoch FROM finished_at - started_at)::float8 AS took FROM send
        WHERE id = ${id}::uuid AND status = 'done'`;
      if (row !== undefined) return row.took;
      yield* Effect.sleep(20);
    }
  });
  const url = `${platform}/webhooks`;
  const webhook = yield* ask(url, token, { url: receiver, events: ["message.delivered"], batch: true });
  const status = (to: string) => ask(`${url}/${webhook.id}`, token, { status: to }, "PATCH");
  const times = { active: [] as Array<number>, disabled: [] as Array<number> };
  const recording: Array<number> = [];
  for (let round = -1; round < rounds; round++) {
    for (const to of ["disabled", "active"] as const) {
      yield* status(to);
      yield* figuresOf(receiver);
      const took = yield* send;
      if (round >= 0) times[to].push(took);
      if (to === "disabled") continue;
      const began = performance.now();
      yield* waitFor(receiver, devices, 60);
      if (round >= 0) recording.push((performance.now() - began) / 1000 + took);
      yield* allSettled;
    }
  }
  yield* ask(`${url}/${webhook.id}`, token, {}, "DELETE");
  const ratio = median(times.active) / median(times.disabled);
  console.log(
    `send to ${devices} devices: ${median(times.disabled).toFixed(2)} s, with a webhook ` +
      `${median(times.active).toFixed(2)} s, ratio ${ratio.toFixed(2)} (bar: ${bars.send}); ` +
      `all events have arrived after ${median(recording).toFixed(1)} s`,
  );
  return ratio <= bars.send;
});

/**
 * Events that fire, alternately with a webhook that listens to everything and without, by a process without
 * workers.
 */
const ingest = Effect.fnUntraced(function* (origin: string, worker: number) {
  const sql = yield* SqlClient.SqlClient;
  const { operator, token } = yield* newWorkspace(origin);
  const platform = `${origin}/platform/v1`;
  const { results } = yield* ask(`${platform}/locations/import`, token, oneStore);
  const location = results[0]?.id ?? "";
  const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10);
  const draft = { name: "Geo", type: "geo", timezone: "UTC", starts_at: today, location_ids: [location] };
  const campaign = yield* ask(`${platform}/campaigns`, token, draft);
  const message = {
    name: "Note",
    type: "message",
    headline: "Hello",
    body: "World",
    trigger_type: "on_enter",
  };
  yield* ask(`${platform}/campaigns/${campaign.id}/notifications`, token, message);
  const { sdk_key } = yield* ask(`${operator}/production/sdk-keys`, operatorKey, { name: "Bench" });
  const tokens = yield* Effect.forEach(Array.from({ length: 500 }).keys(), (index) =>
    ask(`${origin}/device/v1/devices/bench-${index}`, sdk_key, { platform: "ios" }, "PUT"),
  );
  const webhook = yield* ask(`${platform}/webhooks`, token, { url: "http://127.0.0.1:9/", events: ["*"] });
  const status = (to: string) => ask(`${platform}/webhooks/${webhook.id}`, token, { status: to }, "PATCH");
  yield* sql`ANALYZE`.unprepared;
  const occurred_at = new Date(yield* Clock.currentTimeMillis).toISOString();
  const start = '{"events":[{"id":"';
  const end = `","type":"enter","location_id":"${location}","occurred_at":"${occurred_at}"}]}`;
  const heads = tokens.map(({ device_token }) => {
    const headers = { authorization: `Bearer ${device_token}` };
    return postHead(`${origin}/device/v1/events`, headers, start.length + 36 + end.length) + start;
  });
  let sent = 0;
  const count = 5_000;
  const request = (): string => `${heads[sent++ % heads.length]}${randomUUID()}${end}`;
  const own = new Set([process.pid, worker]);
  const cpu = () => familyOf(process.pid).reduce((sum, each) => sum + (own.has(each) ? 0 : cpuOf(each)), 0);
  const costs = { active: [] as Array<number>, disabled: [] as Array<number> };
  for (let round = -1; round < rounds; round++) {
    for (const to of ["disabled", "active"] as const) {
      yield* status(to);
      const before = cpu();
      yield* Effect.promise(() =>
        requestLoad(`${origin}/device/v1/events`, 64, count, request, '"deliveries":[{"'),
      );
      const cost = ((cpu() - before) / count) * 1e6;
      if (round >= 0) costs[to].push(cost);
      // No worker takes from a disabled webhook.
      yield* status("disabled");
    }
  }
  const [recorded] = yield* sql<{ readonly events: number }>`
    SELECT sum(size)::int AS events FROM webhook_event WHERE webhook_id = ${webhook.id}`;
  const ratio = median(costs.active) / median(costs.disabled);
  console.log(
    `event that fires: ${Math.round(median(costs.disabled))} µs, with a webhook on everything ` +
      `${Math.round(median(costs.active))} µs, ratio ${ratio.toFixed(2)} (bar: ${bars.ingest}); ` +
      `${recorded?.events} events recorded`,
  );
  return ratio <= bars.ingest;
});

Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
  const env = { PATH: process.env["PATH"] ?? "", NODE_ENV: "production" };
  const serve = (name: string, roles: string) =>
    started(
      [
        ...(process.env["BENCH_PROFILE"] === undefined || roles !== "worker"
          ? []
          : ["--cpu-prof", `--cpu-prof-dir=${process.env["BENCH_PROFILE"]}`]),
        new URL("../../src/main.ts", import.meta.url).pathname,
        "serve",
      ],
      {
        ...env,
        PORT: "0",
        WAYPOST_PROCESSES: "1",
        WAYPOST_DATA_DIR: join(folder, name),
        WAYPOST_OPERATOR_KEY: operatorKey,
        WAYPOST_SECRET_KEY: secretKey,
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
        WAYPOST_LOG_FORMAT: "json",
        WAYPOST_ROLES: roles,
        DATABASE_URL: databaseUrl({ database, socketPath, username }),
      },
      join(folder, `${name}.log`),
    );
  const api = yield* serve("api", "api");
  const worker = yield* serve("worker", "worker");
  const receiver = yield* started(
    [new URL("WebhookReceiver.ts", import.meta.url).pathname],
    env,
    join(folder, "receiver.log"),
  );
  const pid = worker.child.pid ?? 0;
  const to = receiver.origin;
  const bench = Effect.gen(function* () {
    const results: Array<boolean> = [];
    if (isWanted("singly")) results.push(yield* throughput("singly", api.origin, to, pid, false, 10_000));
    if (isWanted("batches"))
      results.push(yield* throughput("in batches of 500", api.origin, to, pid, true, 50_000));
    if (isWanted("failing")) results.push(yield* failing(api.origin, to, rounds, bars.failing));
    if (isWanted("hanging")) results.push(yield* hanging(api.origin, to, pid, bars.lagMillis));
    if (isWanted("send")) results.push(yield* sends(api.origin, to));
    if (isWanted("ingest")) results.push(yield* ingest(api.origin, pid));
    if (results.includes(false)) process.exitCode = 1;
  });
  yield* Effect.provide(
    bench,
    postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 2 }),
  );
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
