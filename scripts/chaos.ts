/**
 * Real processes and `kill -9`: workers send to many devices, half of them at a push service, while one of them, or all, are killed at
 * random moments and started again. In the end every send has exactly one delivery for each device, and a push came in twice only if it was in
 * flight at a kill (contract L5). Exit code 1 if not.
 *
 *     node scripts/chaos.ts --devices 2000 --kills 20 --workers 3 --seed 1
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
import { EmbeddedPostgres } from "../src/database/EmbeddedPostgres.ts";
import { postgresLayer } from "../src/database/Postgres.ts";
import { instant } from "../src/database/Rows.ts";
import { messageId } from "../src/sending/MessageId.ts";
import { PushLedger } from "./chaos/PushLedger.ts";
import { operatorKey, type PlannedSend, setScene } from "./chaos/Scene.ts";
import { startWaypost, type WaypostProcess } from "./chaos/Worker.ts";

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "2000" },
    kills: { type: "string", default: "20" },
    workers: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
  },
});
const [devices, kills, workers] = [values.devices, values.kills, values.workers].map(Number) as [
  number,
  number,
  number,
];
/** So long after the last kill everything must be done: the lease of a push is 25 seconds. */
const patienceMillis = 90_000;

interface Kill {
  readonly at: number;
  readonly processes: number;
  /** Messages that were being handed over, by this process or another. */
  readonly open: ReadonlyArray<string>;
  /** What the killed process told itself apart with at the push service. */
  readonly tokens: ReadonlySet<string>;
}

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
  const rows = yield* sql<{ readonly origin: bigint; readonly no: number }>`
    SELECT origin, device_no AS no FROM delivery WHERE status = 'handed_over'`;
  return rows.map(({ no, origin }) => messageId(origin, no));
});

/** Kills processes at once, and tells what was open then. */
const kill = Effect.fnUntraced(function* (victims: ReadonlyArray<WaypostProcess>, ledger: PushLedger) {
  const before = ledger.connected;
  const at = Date.now();
  yield* Effect.promise(() => Promise.all(victims.map(({ ends }) => ends("SIGKILL"))));
  const open = yield* handedOver;
  yield* Effect.sleep(200);
  const after = ledger.connected;
  const tokens = new Set([...before].filter((token) => !after.has(token)));
  return { at, open, tokens, processes: victims.length } satisfies Kill;
});

/** Messages that had come in from the killed process and of which it had not written down what became of them. */
const uncertainOf = ({ at, open, tokens }: Kill, ledger: PushLedger): ReadonlyArray<string> =>
  open.filter((id) =>
    ledger.arrivals.get(id)?.some((each) => tokens.has(each.token) && each.at < at + 2_000),
  );

/** Starts sends, and kills a worker some time after each. */
const rage = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  ledger: PushLedger,
  start: Effect.Effect<WaypostProcess>,
) {
  const sql = yield* SqlClient.SqlClient;
  const processes = yield* Effect.all(Array.from({ length: workers }, () => start));
  const done: Array<Kill> = [];
  for (const { campaignId } of planned) {
    const ready = yield* until(
      "Two workers that are ready",
      Effect.sync(() => {
        const found = processes.flatMap((each, place) => (each.origin() === null ? [] : [place]));
        return found.length >= Math.min(2, workers) ? found : null;
      }),
      60_000,
    ).pipe(Effect.flatMap(Random.shuffle));
    yield* sql`UPDATE send SET due_at = ${instant(Date.now())} WHERE campaign_id = ${campaignId}`;
    // Half of the kills are soon enough to hit the start and the batches, the others come when pushes are on their way.
    if (yield* Random.nextBoolean) yield* Effect.sleep(yield* Random.nextBetween(0, 250));
    else {
      yield* until(
        "Pushes",
        Effect.sync(() => (ledger.underWay > 0 ? true : null)),
        30_000,
      );
      yield* Effect.sleep(yield* Random.nextBetween(0, 600));
    }
    // Every now and then nobody is left.
    const chosen = (yield* Random.nextBetween(0, 1)) < 0.25 ? ready : ready.slice(0, 1);
    done.push(
      yield* kill(
        chosen.flatMap((place) => processes[place] ?? []),
        ledger,
      ),
    );
    for (const place of chosen) processes[place] = yield* start;
  }
  return done;
});

interface Counts {
  readonly rows: number;
  readonly reached: number;
  readonly undecided: number;
  readonly queued: number;
  readonly batches: number;
  readonly wrong: number;
}

const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [open] = yield* sql`
    SELECT FROM send WHERE status IN ('scheduled', 'running')
    UNION ALL SELECT FROM push_queue UNION ALL SELECT FROM send_batch LIMIT 1`;
  return open === undefined ? true : null;
});

const judge = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  done: ReadonlyArray<Kill>,
  ledger: PushLedger,
) {
  const sql = yield* SqlClient.SqlClient;
  const [counts] = yield* sql<Counts>`
    SELECT count(*)::int AS rows, count(DISTINCT (campaign_no, device_no))::int AS reached,
      count(*) FILTER (WHERE status <> 'delivered')::int AS undecided,
      (SELECT count(*)::int FROM push_queue) AS queued, (SELECT count(*)::int FROM send_batch) AS batches,
      (SELECT count(*)::int FROM send s WHERE s.status <> 'done' OR s.delivered <> s.targeted
        OR s.targeted <> (SELECT count(*) FROM delivery d WHERE d.origin = s.origin)) AS wrong
    FROM delivery`;
  if (counts === undefined) return yield* Effect.die(new Error("No counts"));
  const pushes = yield* sql<{ readonly origin: bigint; readonly no: number; readonly at: number }>`
    SELECT origin, device_no AS no, (extract(epoch FROM settled_at) * 1000)::float8 AS at
    FROM delivery WHERE transport = 'fcm'`;
  const settledAt = new Map(pushes.map(({ at, no, origin }) => [messageId(origin, no), at]));
  const expected = planned.reduce((sum, send) => sum + send.expected, 0);
  const unsent = [...settledAt.keys()].filter((id) => !ledger.arrivals.has(id)).length;
  const strange = [...ledger.arrivals.keys()].filter((id) => !settledAt.has(id)).length;
  const hits = done.map((each) => ({ at: each.at, uncertain: new Set(uncertainOf(each, ledger)) }));
  // Of one that was hit twice the last kill.
  const uncertain = new Map(hits.flatMap((each) => [...each.uncertain].map((id) => [id, each.at] as const)));
  const repeats = [...ledger.arrivals].filter(([, arrivals]) => arrivals.length > 1);
  const unexplained = repeats.filter(
    ([id, arrivals]) => arrivals.length - 1 > hits.filter((each) => each.uncertain.has(id)).length,
  ).length;
  const takeovers = [...uncertain]
    .map(([id, at]) => ((settledAt.get(id) ?? Infinity) - at) / 1000)
    .toSorted((a, b) => a - b);
  const lost = expected - counts.reached;
  const lines: ReadonlyArray<readonly [string, number | string]> = [
    ["kills", done.reduce((sum, each) => sum + each.processes, 0)],
    ["sends", planned.length],
    ["deliveries expected", expected],
    ["deliveries found", counts.rows],
    ["lost", lost],
    ["doubled", counts.rows - counts.reached],
    ["not delivered", counts.undecided],
    ["sends with wrong figures", counts.wrong],
    ["left in the queue, open batches", `${counts.queued}, ${counts.batches}`],
    ["pushes that came in", settledAt.size - unsent],
    ["pushes that never came in", unsent],
    ["pushes of no delivery", strange],
    ["uncertain (in flight at a kill)", uncertain.size],
    ["repeated", repeats.length],
    ["repeated without having been uncertain", unexplained],
    [
      "moments of kills, and those that hit a push in flight",
      `${hits.length}, ${hits.filter((each) => each.uncertain.size > 0).length}`,
    ],
    [
      "from a kill to the outcome, median and longest",
      takeovers.length === 0
        ? "-"
        : `${takeovers[takeovers.length >> 1]?.toFixed(1)} s, ${takeovers.at(-1)?.toFixed(1)} s`,
    ],
  ];
  for (const [name, value] of lines) console.log(`${name.padEnd(48)} ${String(value).padStart(10)}`);
  const bad =
    Math.abs(lost) +
    counts.rows -
    counts.reached +
    counts.undecided +
    counts.wrong +
    counts.queued +
    counts.batches +
    unsent +
    strange +
    unexplained;
  if (bad > 0) process.exitCode = 1;
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

const program = Effect.gen(function* () {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "waypost-chaos-"));
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const ledger = yield* PushLedger.listening(() => 200 + Math.random() * 600);
  const url = yield* databaseUrl(folder);
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
        DATABASE_URL: url,
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
      const planned = yield* setScene(origin, ledger.credentials, devices, kills);
      const done = yield* rage(planned, ledger, start("worker"));
      const calm = yield* Effect.exit(until("The end of all sends", settled, patienceMillis));
      if (calm._tag === "Failure")
        console.log(`Not everything was done ${patienceMillis / 1000} s after the last kill.`);
      yield* judge(planned, done, ledger);
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
