/**
 * The bars of pushes: on one processor core Waypost sends at least 10,000 pushes a second by FCM and by APNs,
 * and 2,500 by Web Push, from the queue to the stored outcome. It takes at most 1.2 times the CPU of a bare
 * client, by Web Push 1.11 times. With all options a push takes at most 1.1 times as much. It
 * measures three ways to the same providers, which are one process on this machine: a bare client without
 * a queue, Waypost's transport alone, and the whole of Waypost, without and with options. The bars are
 * on the CPU of the sending process, because wall clock time is shared with the providers and PostgreSQL; it
 * is printed too. Linux only: CPU times come from /proc.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { spawnSync } from "node:child_process";
import { createECDH, randomBytes } from "node:crypto";
import process from "node:process";
import { instant } from "../../src/database/Rows.ts";
import { apnsCredentials, fcmCredentials } from "../../test/sending/push/PushKeys.ts";
import { cpuOf } from "./BenchChild.ts";
import { insertDevices, untilNone, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, each, runBench } from "./BenchWorld.ts";
import { ask, newWorkspace, operatorKey } from "./ServiceApi.ts";
import { alternately, figure, setting } from "./Rounds.ts";

const transports = [
  { name: "fcm", bar: 10_000, maxRatio: 1.2, count: 10_000 },
  { name: "apns", bar: 10_000, maxRatio: 1.2, count: 10_000 },
  // On several cores, 0.9 of their number times the bare client.
  { name: "webpush", bar: 2_500, maxRatio: 1 / 0.9, count: 4_000 },
] as const;
/** From queueing pushes until they are due, so that the queueing is not measured. */
const leadMillis = 1_500;
const maxOptionsRatio = 1.1;
/** All push options. */
const options = {
  sound: "coffee.caf",
  badge: 3,
  priority: "high",
  ttl_seconds: 3600,
  collapse_key: "offer of the day",
  interruption_level: "time-sensitive",
  channel_id: "offers",
  category: "OFFER",
  silent: null,
  actions: [
    { id: "save", title: "Save it", url: "https://example.com/save" },
    { id: "later", title: "Later", url: null },
  ],
  data: { offer: "4711", store: "Amsterdam" },
};
const rounds = setting("ROUNDS", 3);
const wanted = (process.env["BENCH_TRANSPORTS"] ?? "fcm,apns,webpush").split(",");

/** CPU of a push in microseconds: of the process, and of its event loop alone. */
interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly loopMicros: number;
}

/** Microseconds of CPU, user and system, of a process and of its first thread, from ticks of 10 ms. */
const cpuMicros = (pid: number) => ({ all: cpuOf(pid) * 1e6, loop: cpuOf(`${pid}/task/${pid}`) * 1e6 });

const baseline = (
  way: "bare" | "own",
  transport: string,
  ports: ReadonlyArray<string>,
  count: number,
): Measured => {
  const file = new URL("PushBaseline.ts", import.meta.url).pathname;
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [file, way, transport, ...ports, String(count)],
    { encoding: "utf8", timeout: 120_000 },
  );
  if (status !== 0) throw new Error(`The ${way} client ended with ${status}: ${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "null") as Measured;
};

/** Creates a workspace with credentials of all providers, and inserts devices for each transport. */
const prepare = Effect.fnUntraced(function* (origin: string, [plain = "", apns = ""]: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient;
  const { id, operator } = yield* newWorkspace(origin, ["campaigns:read"]);
  const put = (name: string, credentials: object) =>
    ask(`${operator}/production/transports/${name}`, operatorKey, credentials, "PUT");
  yield* put("fcm", fcmCredentials({ base_url: plain, token_uri: `${plain}/token` }));
  yield* put("apns", apnsCredentials({ base_url: apns }));
  yield* put("webpush", { subject: "mailto:push@example.com" });
  const key = yield* workspaceKey(id);
  const browser = createECDH("prime256v1").generateKeys("base64url");
  const keys = { p256dh: browser, auth: randomBytes(16).toString("base64url") };
  const now = instant(yield* Clock.currentTimeMillis);
  let next = 1;
  for (const { count, name } of transports) {
    const address =
      name === "webpush"
        ? sql`jsonb_build_object(
            'endpoint', ${`${plain}/push/`}::text || n, 'keys', ${JSON.stringify(keys)}::jsonb)`
        : sql`jsonb_build_object('token', 'a-device-of-the-bench-' || n)`;
    yield* insertDevices(key, next, next + count - 1, name, address);
    next += count;
  }
  yield* sql`
    INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, cta_label, cta_url,
      push, created_at)
    SELECT t.workspace_id, t.environment, gen_random_uuid(), 'message', 'Hello', 'World', c.label, c.url,
      c.push, ${now}
    FROM tenant t, (VALUES (NULL, NULL, NULL::jsonb),
      ('See it', 'https://example.com/offer', ${JSON.stringify(options)}::jsonb)) AS c (label, url, push)
    WHERE t.environment = 'production'`;
});

let sends = 0;

/** Queues deliveries and waits until all of them have an outcome. */
const throughWaypost = Effect.fnUntraced(function* (
  pid: number,
  transport: string,
  count: number,
  withOptions = false,
) {
  const sql = yield* SqlClient.SqlClient;
  const sourceId = ++sends;
  yield* sql`CHECKPOINT`.unprepared;
  const now = yield* Clock.currentTimeMillis;
  const due = now + leadMillis;
  yield* sql`
    WITH created AS (
      INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
        content_key, content_type, trigger_type, transport, status, created_at)
      SELECT d.workspace_id, d.environment, ${sourceId}, d.key, 1, 1, c.key, 'message', 'fixed_time',
        d.transport, 'queued', ${instant(now)}
      FROM device d JOIN content c USING (workspace_id, environment)
      WHERE d.transport = ${transport} AND (c.push IS NOT NULL) = ${withOptions}
      RETURNING *
    )
    INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
    SELECT workspace_id, environment, source_id, device_key, transport, ${instant(due)} FROM created`;
  yield* sql`ANALYZE push_queue`.unprepared;
  yield* Effect.sleep(Math.max(0, due - (yield* Clock.currentTimeMillis)));
  const cpu = cpuMicros(pid);
  yield* untilNone(sql`SELECT 1 FROM push_queue LIMIT 1`);
  const { all, loop } = cpuMicros(pid);
  const [result] = yield* sql<{ readonly delivered: number; readonly seconds: number }>`
    SELECT (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
      extract(epoch FROM max(settled_at) - min(settled_at))::float8 AS seconds
    FROM delivery WHERE source_id = ${sourceId}`;
  const { delivered = 0, seconds = Number.NaN } = result ?? {};
  yield* sql`DELETE FROM delivery WHERE source_id = ${sourceId}`;
  if (delivered !== count) return yield* Effect.die(new Error(`${delivered} of ${count} are delivered`));
  return {
    perSecond: delivered / seconds,
    cpuMicros: (all - cpu.all) / delivered,
    loopMicros: (loop - cpu.loop) / delivered,
  };
});

const bench = Effect.gen(function* () {
  const providers = yield* BenchWorld.program("PushServer.ts");
  const ports = providers.origin.split(",");
  const { origin, pid } = yield* BenchWorld.waypost();
  yield* prepare(origin, ports);
  for (const { bar, count, maxRatio, name } of transports.filter((each) => wanted.includes(each.name))) {
    // The other sides begin with pushes that are not measured, too.
    const warm = throughWaypost(pid, name, count);
    const sides = {
      bare: Effect.sync(() => baseline("bare", name, ports, count)),
      own: Effect.sync(() => baseline("own", name, ports, count)),
      whole: Effect.andThen(warm, throughWaypost(pid, name, count)),
      optioned: throughWaypost(pid, name, count, true),
    };
    const { bare, optioned, own, whole } = yield* alternately(rounds, sides, 0);
    const costs = (rows: ReadonlyArray<Measured>) => each(rows, "cpuMicros");
    const rates = costs(whole).map((micros) => 1e6 / micros);
    const what = `a push by ${name}`;
    const beside = ["a bare client", costs(bare)] as const;
    figure(`${name}-core`, `pushes by ${name} of one core`, "a second", rates, { atLeast: bar });
    figure(`${name}-clock`, `pushes by ${name} by the clock`, "a second", each(whole, "perSecond"), {
      beside: ["a bare client", each(bare, "perSecond")],
    });
    figure(name, `CPU of ${what}`, "µs", costs(whole), { beside, atMost: maxRatio });
    figure(`${name}-loop`, `CPU of ${what} on the event loop`, "µs", each(whole, "loopMicros"), {
      beside: ["a bare client", each(bare, "loopMicros")],
    });
    figure(`${name}-transport`, `CPU of ${what}, the transport alone`, "µs", costs(own), { beside });
    figure(`${name}-options`, `CPU of ${what} with all options`, "µs", costs(optioned), {
      beside: ["without options", costs(whole)],
      atMost: maxOptionsRatio,
    });
  }
});

runBench(bench);
