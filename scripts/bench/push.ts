/**
 * The bars of pushes: on one processor core Waypost sends at least 10,000 pushes a second by FCM and by APNs,
 * and 2,500 by Web Push, from the queue to the stored outcome. It takes at most 1.2 times the CPU of a bare
 * client, by Web Push 1.11 times. It measures three ways to the same providers, which are one process on this
 * machine: a bare client without a queue, Waypost's transport alone, and the whole of Waypost. The bars are
 * on the CPU of the sending process, because wall clock time is shared with the providers and PostgreSQL; it
 * is printed too. Linux only: CPU times come from /proc.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, References } from "effect";
import { SqlClient } from "effect/sql";
import { spawnSync } from "node:child_process";
import { createECDH, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { instant } from "../../src/database/Rows.ts";
import { apnsCredentials, fcmCredentials } from "../../test/sending/push/PushKeys.ts";
import { median, started } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";

const transports = [
  { name: "fcm", bar: 10_000, maxRatio: 1.2, count: 10_000 },
  { name: "apns", bar: 10_000, maxRatio: 1.2, count: 10_000 },
  // On several cores, 0.9 of their number times the bare client.
  { name: "webpush", bar: 2_500, maxRatio: 1 / 0.9, count: 4_000 },
] as const;
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3);
const wanted = (process.env["BENCH_TRANSPORTS"] ?? "fcm,apns,webpush").split(",");
const operatorKey = "bench-operator-key-of-all-processes";

/** CPU of a push in microseconds: of the process, and of its event loop alone. */
interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly loopMicros: number;
}

const microsOf = (stat: string): number => {
  const fields = readFileSync(stat, "latin1")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
};

/** Microseconds of CPU, user and system, of a process and of its first thread, from ticks of 10 ms. */
const cpuOf = (pid: number) => ({
  all: microsOf(`/proc/${pid}/stat`),
  loop: microsOf(`/proc/${pid}/task/${pid}/stat`),
});

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

const ask = (url: string, method: "POST" | "PUT", body: object) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const { data, error } = (await answer.json()) as {
      readonly data: { readonly id: string };
      readonly error?: unknown;
    };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return data;
  });

/** Creates a workspace with credentials of all providers, and inserts devices for each transport. */
const prepare = Effect.fnUntraced(function* (origin: string, [plain = "", apns = ""]: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = `${origin}/operator/v1/workspaces`;
  const { id } = yield* ask(workspaces, "POST", { name: "Bench" });
  const base = `${workspaces}/${id}/production/transports`;
  yield* ask(`${base}/fcm`, "PUT", fcmCredentials({ base_url: plain, token_uri: `${plain}/token` }));
  yield* ask(`${base}/apns`, "PUT", apnsCredentials({ base_url: apns }));
  yield* ask(`${base}/webpush`, "PUT", { subject: "mailto:push@example.com" });
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
    yield* sql`
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
        token_digest, registered_at, last_seen_at)
      SELECT t.workspace_id, t.environment, n, gen_random_uuid(), 'installation-' || n, 'android', ${name},
        ${address}, decode(repeat('00', 32), 'hex'), ${now}, ${now}
      FROM tenant t, generate_series(${next}::int, ${next + count - 1}::int) AS n
      WHERE t.environment = 'production'`;
    next += count;
  }
  yield* sql`
    INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, created_at)
    SELECT t.workspace_id, t.environment, gen_random_uuid(), 'message', 'Hello', 'World', ${now}
    FROM tenant t WHERE t.environment = 'production'`;
  yield* sql`VACUUM ANALYZE device`.unprepared;
});

/** Queues deliveries and waits until all of them have an outcome. */
const throughWaypost = Effect.fnUntraced(function* (pid: number, transport: string, sourceId: number) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`CHECKPOINT`.unprepared;
  const now = yield* Clock.currentTimeMillis;
  const due = instant(now + 1_000);
  const cpu = cpuOf(pid);
  yield* sql`
    WITH created AS (
      INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
        content_key, content_type, trigger_type, transport, status, created_at)
      SELECT d.workspace_id, d.environment, ${sourceId}, d.key, 1, 1, c.key, 'message', 'fixed_time',
        d.transport, 'queued', ${instant(now)}
      FROM device d JOIN content c USING (workspace_id, environment) WHERE d.transport = ${transport}
      RETURNING *
    )
    INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
    SELECT workspace_id, environment, source_id, device_key, transport, ${due} FROM created`;
  yield* sql`ANALYZE push_queue`.unprepared;
  while (true) {
    const [waiting] = yield* sql<{ readonly any: boolean }>`SELECT EXISTS (SELECT FROM push_queue) AS any`;
    if (waiting?.any === false) break;
    yield* Effect.sleep(20);
  }
  const { all, loop } = cpuOf(pid);
  const [result] = yield* sql<{ readonly delivered: number; readonly seconds: number }>`
    SELECT (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
      extract(epoch FROM max(settled_at) - min(settled_at))::float8 AS seconds
    FROM delivery WHERE source_id = ${sourceId}`;
  const { delivered = 0, seconds = Number.NaN } = result ?? {};
  yield* sql`DELETE FROM delivery WHERE source_id = ${sourceId}`;
  return {
    delivered,
    perSecond: delivered / seconds,
    cpuMicros: (all - cpu.all) / delivered,
    loopMicros: (loop - cpu.loop) / delivered,
  };
});

const middle = (all: ReadonlyArray<Measured>): Measured => ({
  perSecond: median(all.map(({ perSecond }) => perSecond)),
  cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
  loopMicros: median(all.map(({ loopMicros }) => loopMicros)),
});

const lineOf = (name: string, { cpuMicros, loopMicros, perSecond }: Measured): string =>
  `${name.padEnd(24)} ${String(Math.round(perSecond)).padStart(7)} pushes/s by the clock, ` +
  `${cpuMicros.toFixed(0).padStart(4)} µs of CPU a push, ` +
  `${loopMicros.toFixed(0).padStart(4)} µs of them on the event loop: ` +
  `${String(Math.round(1_000_000 / cpuMicros)).padStart(6)} pushes/s of one core`;

const missedText = (isMet: boolean): string => (isMet ? "" : ", missed");

const barred = (ratio: number, max: number): string =>
  `${ratio.toFixed(2)} (bar: ${max.toFixed(2)}${missedText(ratio <= max)})`;

const bench = Effect.fnUntraced(function* (origin: string, pid: number, ports: ReadonlyArray<string>) {
  yield* prepare(origin, ports);
  let sends = 1;
  let missed = false;
  for (const { bar, count, maxRatio, name } of transports.filter((each) => wanted.includes(each.name))) {
    const sides = { bare: [] as Array<Measured>, own: [] as Array<Measured>, whole: [] as Array<Measured> };
    // Warm-up.
    yield* throughWaypost(pid, name, sends++);
    for (let round = 0; round < rounds; round++) {
      sides.bare.push(baseline("bare", name, ports, count));
      sides.own.push(baseline("own", name, ports, count));
      const whole = yield* throughWaypost(pid, name, sends++);
      if (whole.delivered !== count) {
        return yield* Effect.die(new Error(`${whole.delivered} of ${count} are delivered`));
      }
      sides.whole.push(whole);
    }
    const [bare, own, whole] = [middle(sides.bare), middle(sides.own), middle(sides.whole)];
    const isMet = 1_000_000 / whole.cpuMicros >= bar;
    const ratio = whole.cpuMicros / bare.cpuMicros;
    console.log(`
${name}: ${rounds} rounds of ${count} pushes, medians
${lineOf("bare client", bare)}
${lineOf("transport alone", own)}
${lineOf("whole of Waypost", whole)} (bar: ${bar}${missedText(isMet)})
cost of the whole to that of the bare client: ${barred(ratio, maxRatio)}`);
    if (!isMet || ratio > maxRatio) missed = true;
  }
  if (missed) process.exitCode = 1;
});

Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
  const path = process.env["PATH"] ?? "";
  const providers = yield* started(
    [new URL("PushServer.ts", import.meta.url).pathname],
    { PATH: path },
    join(folder, "providers.log"),
  );
  const profile = process.env["BENCH_PROFILE"];
  const waypost = yield* started(
    [
      ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]),
      new URL("../../src/main.ts", import.meta.url).pathname,
      "serve",
    ],
    {
      PATH: path,
      NODE_ENV: "production",
      PORT: "0",
      WAYPOST_PROCESSES: "1",
      WAYPOST_DATA_DIR: join(folder, "data"),
      WAYPOST_OPERATOR_KEY: operatorKey,
      WAYPOST_LOG_FORMAT: "json",
      WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
      DATABASE_URL: databaseUrl({ database, socketPath, username }),
    },
    join(folder, "waypost.log"),
  );
  const { pid } = waypost.child;
  if (pid === undefined) return yield* Effect.die(new Error("Waypost has no process"));
  const client = postgresLayer(
    { _tag: "socket", path: socketPath, username, database },
    { maxConnections: 1 },
  );
  yield* Effect.provide(bench(waypost.origin, pid, providers.origin.split(",")), client);
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
