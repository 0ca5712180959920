/**
 * Real processes and `kill -9`: workers send to many devices, half of them at a push service, while one of them, or all, are killed at
 * random moments and started again, or all are cut off from the database for up to 15 seconds, or one is held still for 8 seconds. In the end
 * every send has exactly one delivery for each device, and a push came in twice only if it was in flight at a kill or a cut (contract L5).
 * Exit code 1 if not.
 *
 *     node scripts/chaos.ts --devices 2000 --kills 20 --cuts 0 --stalls 0 --workers 3 --seed 1
 *     node scripts/chaos.ts --single --devices 24000 --kills 20      all within one send, whose pushes take 3 to 7 seconds each
 *
 * The database is an embedded one, or the empty one that DATABASE_URL names.
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
import { messageId } from "../src/sending/MessageId.ts";
import { Cable } from "./chaos/Cable.ts";
import { type Blow, classify } from "./chaos/Judge.ts";
import { PushLedger } from "./chaos/PushLedger.ts";
import { operatorKey, type PlannedSend, setScene } from "./chaos/Scene.ts";
import { startWaypost, type WaypostProcess } from "./chaos/Worker.ts";

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "2000" },
    kills: { type: "string", default: "20" },
    workers: { type: "string", default: "3" },
    cuts: { type: "string", default: "0" },
    stalls: { type: "string", default: "0" },
    single: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
  },
});
const devices = Number(values.devices);
const kills = Number(values.kills);
const cuts = Number(values.cuts);
const stalls = Number(values.stalls);
const workers = Number(values.workers);
/** So long after the last blow everything must be done, with all that is still to be sent. */
const attemptTimeoutMillis = values.single ? 300_000 : 90_000;
/** Sends are planned so far ahead: their minute comes to workers that wait for it. */
const aheadMillis = 1_000;

/** Bounded: looks again until there is something. */
const until = <A, E, R>(what: string, look: Effect.Effect<A | null, E, R>, millis: number) =>
  Effect.gen(function* () {
    for (let waited = 0; waited <= millis; waited += 20) {
      const found = yield* look;
      if (found !== null) return found;
      yield* Effect.sleep(20);
    }
    return yield* Effect.die(new Error(`${what}: not within ${millis / 1000} s.`));
  });

const handedOver = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly origin: bigint; readonly key: number }>`
    SELECT origin, device_key AS key FROM delivery WHERE status = 'handed_over'`;
  return rows.map(({ key, origin }) => messageId(origin, key));
});

const isSending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return (yield* sql`SELECT FROM send WHERE status = 'running'`).length > 0;
});

/** Kills processes at once, and tells what was open then. */
const kill = Effect.fnUntraced(function* (victims: ReadonlyArray<WaypostProcess>, ledger: PushLedger) {
  const isWithin = yield* isSending;
  const before = ledger.connected;
  const at = Date.now();
  yield* Effect.promise(() => Promise.all(victims.map(({ ends }) => ends("SIGKILL"))));
  const open = yield* handedOver;
  yield* Effect.sleep(200);
  const after = ledger.connected;
  const tokens = new Set([...before].filter((token) => !after.has(token)));
  return { kind: "kill", at, until: at, open, tokens, isWithin, processes: victims.length } satisfies Blow;
});

/** Cuts all processes off from the database: for a moment, or for longer than any lease lasts. */
const cut = Effect.fnUntraced(function* (cable: Cable, ledger: PushLedger) {
  const isWithin = yield* isSending;
  const at = Date.now();
  cable.cut();
  const open = yield* handedOver;
  yield* Effect.sleep((yield* Random.nextBoolean) ? 100 : yield* Random.nextBetween(5_000, 15_000));
  cable.mend();
  return {
    kind: "cut",
    at,
    until: Date.now(),
    open,
    tokens: ledger.connected,
    isWithin,
    processes: 0,
  } satisfies Blow;
});

/** Holds one process still: longer than many a push takes, shorter than its leases last. Nothing may come of it. */
const stall = Effect.fnUntraced(function* (victim: WaypostProcess | undefined) {
  const isWithin = yield* isSending;
  const at = Date.now();
  victim?.child.kill("SIGSTOP");
  yield* Effect.sleep(8_000);
  victim?.child.kill("SIGCONT");
  const until = Date.now();
  return { kind: "stall", at, until, open: [], tokens: new Set(), isWithin, processes: 0 } satisfies Blow;
});

const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [open] = yield* sql`
    SELECT FROM send WHERE status IN ('scheduled', 'running')
    UNION ALL SELECT FROM push_queue UNION ALL SELECT FROM send_batch LIMIT 1`;
  return open === undefined ? true : null;
});

/** Half of the blows come soon enough after a send's start to hit the batches, the others when pushes are on their way. */
const someTime = (ledger: PushLedger) =>
  Effect.gen(function* () {
    if (yield* Random.nextBoolean) return yield* Effect.sleep(yield* Random.nextBetween(0, 250));
    yield* until(
      "Pushes, or the end of the sends",
      Effect.map(isSending, (is) => (ledger.inFlight > 0 || !is ? true : null)),
      60_000,
    );
    yield* Effect.sleep(yield* Random.nextBetween(0, 600));
  });

/** Starts sends, and strikes some time after each, or again and again during the only one. */
const rage = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  ledger: PushLedger,
  cable: Cable,
  start: Effect.Effect<WaypostProcess>,
) {
  const sql = yield* SqlClient.SqlClient;
  const processes = yield* Effect.all(Array.from({ length: workers }, () => start));
  const blows: Array<Blow> = [];
  const kinds = yield* Random.shuffle([
    ...Array<"kill">(kills).fill("kill"),
    ...Array<"cut">(cuts).fill("cut"),
    ...Array<"stall">(stalls).fill("stall"),
  ]);
  for (const [turn, kind] of kinds.entries()) {
    // One that began while the database was away for longer than a start waits.
    for (const [place, { child }] of processes.entries())
      if (child.exitCode !== null) processes[place] = yield* start;
    const ready = yield* until(
      "Two workers that are ready",
      Effect.sync(() => {
        const found = processes.flatMap((each, place) => (each.origin() === null ? [] : [place]));
        return found.length >= Math.min(2, workers) ? found : null;
      }),
      60_000,
    ).pipe(Effect.flatMap(Random.shuffle));
    const next = planned[turn];
    if (next !== undefined) {
      yield* sql`
        UPDATE send SET due_at = ${instant(Date.now() + aheadMillis)} WHERE campaign_id = ${next.campaignId}`;
      yield* Effect.sleep(aheadMillis);
    }
    yield* someTime(ledger);
    if (kind === "cut") {
      blows.push(yield* cut(cable, ledger));
      continue;
    }
    if (kind === "stall") {
      blows.push(yield* stall(processes[ready[0] ?? 0]));
      continue;
    }
    // Every now and then nobody is left.
    const chosen = (yield* Random.nextBetween(0, 1)) < 0.25 ? ready : ready.slice(0, 1);
    const victims = chosen.flatMap((place) => processes[place] ?? []);
    blows.push(yield* kill(victims, ledger));
    for (const place of chosen) processes[place] = yield* start;
  }
  return blows;
});

/** Where the database is: an embedded one of this run, or the one that is named. */
const databaseUrl = Effect.fnUntraced(function* (folder: string) {
  const named = process.env["DATABASE_URL"];
  if (named !== undefined && named !== "") return named;
  const { database, socketPath, username } = yield* EmbeddedPostgres.make({
    directory: folder,
    settings: { max_connections: "120" },
  });
  return `postgresql://${username}@localhost/${database}?host=${encodeURIComponent(dirname(socketPath))}`;
});

/** Where a database is, by its URL: a socket in the folder that `host` names, or an address. */
const farEnd = ({ hostname, port, searchParams }: URL) => {
  const folder = searchParams.get("host");
  return folder === null
    ? { host: hostname, port: Number(port || 5432) }
    : { path: join(folder, `.s.PGSQL.${port || 5432}`) };
};

/** The same database at the near end of the cable. */
const nearEnd = (url: URL, cable: Cable): string => {
  const near = new URL(url);
  near.searchParams.delete("host");
  near.hostname = "127.0.0.1";
  near.port = String(cable.port);
  return near.href;
};

const program = Effect.gen(function* () {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "waypost-chaos-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const ledger = yield* PushLedger.listening(() =>
    values.single ? 3_000 + Math.random() * 4_000 : 200 + Math.random() * 600,
  );
  const url = yield* databaseUrl(folder);
  const cable = yield* Cable.to(farEnd(new URL(url)));
  const running = new Set<WaypostProcess>();
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...running].map(({ ends }) => ends("SIGTERM")))),
  );
  let started = 0;
  const start = (role: "api" | "worker") =>
    Effect.sync(() => {
      const name = join(folder, `${role}-${++started}`);
      const settings = {
        WAYPOST_DATA_DIR: name,
        WAYPOST_OPERATOR_KEY: operatorKey,
        WAYPOST_SECRET_KEY: "chaos-secret-key-of-all-processes",
        WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
        WAYPOST_LOG_FORMAT: "json",
        WAYPOST_ROLES: role,
        DATABASE_URL: nearEnd(new URL(url), cable),
      };
      const waypost = startWaypost(settings, `${name}.log`);
      running.add(waypost);
      waypost.child.once("exit", () => running.delete(waypost));
      return waypost;
    });
  const api = yield* start("api");
  const origin = yield* until("An API that listens", Effect.sync(api.origin), 60_000);
  yield* Effect.provide(
    Effect.gen(function* () {
      const sends = values.single ? 1 : kills + cuts + stalls;
      const planned = yield* setScene(origin, ledger.credentials, devices, sends);
      const blows = yield* rage(planned, ledger, cable, start("worker"));
      const calm = yield* Effect.exit(until("The end of all sends", settled, attemptTimeoutMillis));
      if (calm._tag === "Failure")
        console.log(`Not everything was done ${attemptTimeoutMillis / 1000} s after the last blow.`);
      if (!(yield* classify(planned, blows, ledger))) process.exitCode = 1;
    }),
    postgresLayer({ _tag: "url", url: Redacted.make(url) }, { maxConnections: 2 }),
  );
  console.log(
    `${values.devices} devices, ${workers} workers, seed ${values.seed}: ${Math.round((Date.now() - began) / 1000)} s`,
  );
});

program.pipe(
  Effect.scoped,
  Random.withSeed(values.seed),
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  NodeRuntime.runMain,
);
