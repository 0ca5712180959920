/**
 * Disrupts real processes while they send to many devices, half of them by push: kills one or all workers by
 * `kill -9` and restarts them, stops one by SIGTERM, cuts all off from the database for up to 15 seconds, or
 * suspends one for 8 seconds. Afterwards every send must have exactly one delivery for each device, and a
 * push may have arrived twice only if it was in flight at a kill or a cut, or not answered within 10 seconds
 * (contract L5, L7). Exit code 1 if not.
 *
 *     node scripts/chaos.ts --devices 2000 --kills 20 --stops 0 --cuts 0 --stalls 0 --workers 3 --seed 1
 *     node scripts/chaos.ts --single --devices 24000 --kills 20
 *
 * `--single` disrupts one send whose pushes take 3 to 7 seconds each. The database is an embedded one, or the
 * empty one of DATABASE_URL.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Random, Redacted, References } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { EmbeddedPostgres } from "../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../src/database/Postgres.ts";
import { instant } from "../src/database/Rows.ts";
import { DatabaseProxy } from "./chaos/DatabaseProxy.ts";
import { cut, isSending, kill, stall, stop } from "./chaos/Disruptions.ts";
import { PushLedger } from "./chaos/PushLedger.ts";
import { operatorKey, type PlannedSend, prepareScenario, secretKey } from "./chaos/Scenario.ts";
import { unansweredPushes } from "./chaos/UnansweredPushes.ts";
import { type Disruption, verdict } from "./chaos/Verdict.ts";
import { startWaypost, type WaypostProcess } from "./chaos/WaypostProcess.ts";

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "2000" },
    kills: { type: "string", default: "20" },
    workers: { type: "string", default: "3" },
    stops: { type: "string", default: "0" },
    cuts: { type: "string", default: "0" },
    stalls: { type: "string", default: "0" },
    single: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
  },
});
const devices = Number(values.devices);
const kills = Number(values.kills);
const stops = Number(values.stops);
const cuts = Number(values.cuts);
const stalls = Number(values.stalls);
const workers = Number(values.workers);
/** How long after the last disruption all sends must be done. */
const endTimeoutMillis = values.single ? 300_000 : 90_000;
/** How far ahead sends are planned, so that workers wait for their minute. */
const aheadMillis = 1_000;

/** Polls until there is a result; fails after a timeout. */
const until = <A, E, R>(what: string, poll: Effect.Effect<A | null, E, R>, millis: number) =>
  Effect.gen(function* () {
    for (let waited = 0; waited <= millis; waited += 20) {
      const found = yield* poll;
      if (found !== null) return found;
      yield* Effect.sleep(20);
    }
    return yield* Effect.die(new Error(`${what}: not within ${millis / 1000} s.`));
  });

const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [open] = yield* sql`
    SELECT FROM send WHERE status IN ('scheduled', 'running')
    UNION ALL SELECT FROM push_queue UNION ALL SELECT FROM send_batch LIMIT 1`;
  return open === undefined ? true : null;
});

/**
 * Waits for a disruption: half of them soon after a send's start hit batches, the others pushes in flight.
 */
const untilDisruption = (ledger: PushLedger) =>
  Effect.gen(function* () {
    if (yield* Random.nextBoolean) return yield* Effect.sleep(yield* Random.nextBetween(0, 250));
    yield* until(
      "Pushes, or the end of the sends",
      Effect.map(isSending, (is) => (ledger.inFlight > 0 || !is ? true : null)),
      60_000,
    );
    yield* Effect.sleep(yield* Random.nextBetween(0, 600));
  });

/** Starts the sends with one disruption each, or all disruptions during the only send. */
const disrupt = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  ledger: PushLedger,
  proxy: DatabaseProxy,
  start: Effect.Effect<WaypostProcess>,
) {
  const sql = yield* SqlClient.SqlClient;
  const processes = yield* Effect.all(Array.from({ length: workers }, () => start));
  const disruptions: Array<Disruption> = [];
  const kinds = yield* Random.shuffle([
    ...Array<"kill">(kills).fill("kill"),
    ...Array<"stop">(stops).fill("stop"),
    ...Array<"cut">(cuts).fill("cut"),
    ...Array<"stall">(stalls).fill("stall"),
  ]);
  for (const [round, kind] of kinds.entries()) {
    // A start ends with an error if the database was unavailable for too long.
    for (const [index, { child }] of processes.entries())
      if (child.exitCode !== null) processes[index] = yield* start;
    const ready = yield* until(
      "Two ready workers",
      Effect.sync(() => {
        const found = processes.flatMap((each, index) => (each.origin() === null ? [] : [index]));
        return found.length >= Math.min(2, workers) ? found : null;
      }),
      60_000,
    ).pipe(Effect.flatMap(Random.shuffle));
    const next = planned[round];
    if (next !== undefined) {
      yield* sql`
        UPDATE send SET due_at = ${instant(Date.now() + aheadMillis)}
        WHERE campaign_id = ${next.campaignId}`;
      yield* Effect.sleep(aheadMillis);
    }
    yield* untilDisruption(ledger);
    if (kind === "cut") {
      disruptions.push(yield* cut(proxy, ledger));
      continue;
    }
    if (kind === "stall") {
      disruptions.push(yield* stall(processes[ready[0] ?? 0]));
      continue;
    }
    if (kind === "stop") {
      const index = ready[0] ?? 0;
      disruptions.push(yield* stop(processes[index]));
      processes[index] = yield* start;
      continue;
    }
    // A quarter of the kills hits all workers.
    const chosen = (yield* Random.nextBetween(0, 1)) < 0.25 ? ready : ready.slice(0, 1);
    const victims = chosen.flatMap((index) => processes[index] ?? []);
    disruptions.push(yield* kill(victims, ledger));
    for (const index of chosen) processes[index] = yield* start;
  }
  return disruptions;
});

/** The URL of the database: DATABASE_URL, or an embedded one. */
const databaseUrl = Effect.fnUntraced(function* (folder: string) {
  const named = process.env["DATABASE_URL"];
  if (named !== undefined && named !== "") return named;
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({
    directory: folder,
    settings: { max_connections: "120" },
  });
  return `postgresql://${username}@localhost/${database}?host=${encodeURIComponent(dirname(socketPath))}`;
});

/** The target of a database URL: a socket in the folder of `host`, or an address. */
const targetOf = ({ hostname, port, searchParams }: URL) => {
  const folder = searchParams.get("host");
  return folder === null
    ? { host: hostname, port: Number(port || 5432) }
    : { path: join(folder, `.s.PGSQL.${port || 5432}`) };
};

/** The URL of the same database through the proxy. */
const proxiedUrl = (url: URL, proxy: DatabaseProxy): string => {
  const proxied = new URL(url);
  proxied.searchParams.delete("host");
  proxied.hostname = "127.0.0.1";
  proxied.port = String(proxy.port);
  return proxied.href;
};

const program = Effect.gen(function* () {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "waypost-chaos-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const ledger = yield* PushLedger.listening(() =>
    values.single ? 3_000 + Math.random() * 4_000 : 200 + Math.random() * 600,
  );
  const url = yield* databaseUrl(folder);
  const proxy = yield* DatabaseProxy.to(targetOf(new URL(url)));
  const running = new Set<WaypostProcess>();
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...running].map(({ end }) => end("SIGTERM")))),
  );
  let started = 0;
  const start = (role: "api" | "worker") =>
    Effect.sync(() => {
      const name = join(folder, `${role}-${++started}`);
      const settings = {
        WAYPOST_DATA_DIR: name,
        WAYPOST_OPERATOR_KEY: operatorKey,
        WAYPOST_SECRET_KEY: secretKey,
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
        WAYPOST_LOG_FORMAT: "json",
        WAYPOST_ROLES: role,
        DATABASE_URL: proxiedUrl(new URL(url), proxy),
      };
      const waypost = startWaypost(settings, `${name}.log`);
      running.add(waypost);
      waypost.child.once("exit", () => running.delete(waypost));
      return waypost;
    });
  const api = yield* start("api");
  const origin = yield* until("A listening API", Effect.sync(api.origin), 60_000);
  yield* Effect.provide(
    Effect.gen(function* () {
      const sends = values.single ? 1 : kills + stops + cuts + stalls;
      const { planned } = yield* prepareScenario(origin, ledger.credentials, devices, sends);
      const unanswered = yield* unansweredPushes;
      const disruptions = yield* disrupt(planned, ledger, proxy, start("worker"));
      const ended = yield* Effect.exit(until("The end of all sends", settled, endTimeoutMillis));
      if (ended._tag === "Failure")
        console.log(`Some sends were not done ${endTimeoutMillis / 1000} s after the last disruption.`);
      if (!(yield* verdict(planned, disruptions, ledger, unanswered))) process.exitCode = 1;
    }),
    postgresLayer({ _tag: "url", url: Redacted.make(url) }, { maxConnections: 2 }),
  );
  console.log(
    `${values.devices} devices, ${workers} workers, seed ${values.seed}: ` +
      `${Math.round((Date.now() - began) / 1000)} s`,
  );
});

program.pipe(
  Effect.scoped,
  Random.withSeed(values.seed),
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  NodeRuntime.runMain,
);
