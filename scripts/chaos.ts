/**
 * Disrupts real processes while they send to many devices, half of them by push: kills one or all workers by
 * `kill -9` and restarts them, stops one by SIGTERM, cuts all off from the database for up to 15 seconds, or
 * suspends one for 8 seconds. Afterwards every send must have exactly one delivery for each device, and a
 * push may have arrived twice only if it was in flight at a kill or a cut, or not answered within 10 seconds
 * (contract L5, L7). Exit code 1 if not.
 *
 *     node scripts/chaos.ts --devices 2000 --kills 20 --stops 0 --cuts 0 --stalls 0 --workers 3 --seed 1
 *     node scripts/chaos.ts --single --devices 24000 --kills 20
 *     node scripts/chaos.ts --held --devices 2000 --kills 20
 *     node scripts/chaos.ts --recurring --devices 2000 --kills 20
 *     node scripts/chaos.ts --experiment --devices 2000 --kills 20
 *     node scripts/chaos.ts --pace --devices 300000 --per-minute 60000 --kills 10
 *
 * `--single` disrupts one send whose pushes take 3 to 7 seconds each. With `--held` quiet hours hold every
 * message and end a moment later, and every second send has a template. With `--recurring` each campaign
 * recurs: its date is planned by the workers that are disrupted, and due at once. With `--experiment`
 * campaigns have a holdout and variants: each unit must be enrolled once, and no held-out unit gets anything.
 * With `--pace` one send has a pace of `--per-minute`, and processes are killed throughout it
 * (`chaos/PaceRun.ts`). The database is an embedded one, or the empty one of DATABASE_URL.
 */
import { Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { instant } from "../src/database/Rows.ts";
import type { Program } from "./bench/BenchChild.ts";
import {
  ChaosRun,
  embedded,
  runScenario,
  settles,
  startApi,
  startTimeoutMillis,
  until,
} from "./chaos/ChaosRun.ts";
import { DatabaseProxy } from "./chaos/DatabaseProxy.ts";
import { cut, isSending, kill, stall, stop } from "./chaos/Disruptions.ts";
import { experimentVerdict } from "./chaos/ExperimentLedger.ts";
import { LedgerServer } from "./chaos/LedgerServer.ts";
import { killThroughout, paceVerdict } from "./chaos/PaceRun.ts";
import { type PlannedSend, prepareSends } from "./chaos/PlannedSends.ts";
import { PushLedger } from "./chaos/PushLedger.ts";
import { type Disruption, sendVerdict } from "./chaos/SendVerdict.ts";
import { unansweredPushes } from "./chaos/UnansweredPushes.ts";

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "2000" },
    kills: { type: "string", default: "20" },
    workers: { type: "string", default: "3" },
    stops: { type: "string", default: "0" },
    cuts: { type: "string", default: "0" },
    stalls: { type: "string", default: "0" },
    single: { type: "boolean", default: false },
    held: { type: "boolean", default: false },
    experiment: { type: "boolean", default: false },
    pace: { type: "boolean", default: false },
    recurring: { type: "boolean", default: false },
    "per-minute": { type: "string", default: "60000" },
    seed: { type: "string", default: "1" },
  },
});
const devices = Number(values.devices);
const kills = Number(values.kills);
const stops = Number(values.stops);
const cuts = Number(values.cuts);
const stalls = Number(values.stalls);
const workers = Number(values.workers);
const perMinute = Number(values["per-minute"]);
/** How long after the last disruption all sends must be done. */
const endTimeoutMillis = values.single || values.pace ? 300_000 : 90_000;
/** How far ahead sends are planned, so that workers wait for their minute. */
const aheadMillis = 1_000;

/** A recurring campaign of one date, today, whose time has passed: only a worker plans it. */
const oneDate = () => ({
  starts_at: new Date().toISOString().slice(0, 10),
  recurrence: { rule: "FREQ=DAILY;COUNT=1" },
});

/** Nothing is left to plan, to send or to decide. */
const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [open] = yield* sql`
    SELECT FROM send WHERE status IN ('scheduled', 'running')
    UNION ALL SELECT FROM campaign WHERE plan_at < ${instant(Date.now() - 86_400_000)}
    UNION ALL SELECT FROM push_queue UNION ALL SELECT FROM send_batch
    UNION ALL SELECT FROM delivery WHERE status = 'held' LIMIT 1`;
  return open === undefined ? true : null;
});

/** Ends the quiet hours of held messages, again and again, in the order of the devices. */
const quietHoursEnd = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const now = Date.now();
  yield* sql`
    UPDATE delivery d SET held_until = ${instant(now)}
    FROM (
      SELECT source_id, device_key FROM delivery
      WHERE status = 'held' AND held_until > ${instant(now)}
      ORDER BY source_id, device_key LIMIT ${Math.ceil(devices / 8)} FOR UPDATE SKIP LOCKED
    ) AS h
    WHERE d.source_id = h.source_id AND d.device_key = h.device_key`;
  yield* Effect.sleep(250);
}).pipe(Effect.forever);

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

/** Makes the date of a campaign due to be planned; half of the time waits until a worker has planned it. */
const planDate = Effect.fnUntraced(function* ({ campaignId }: PlannedSend) {
  const sql = yield* SqlClient.SqlClient;
  const daysAgo = Date.now() - 36 * 86_400_000;
  yield* sql`UPDATE campaign SET plan_at = ${instant(daysAgo)} WHERE id = ${campaignId}`;
  const isPlanned = Effect.map(sql`SELECT FROM send WHERE campaign_id = ${campaignId}`, (rows) =>
    rows.length > 0 ? true : null,
  );
  if (yield* Random.nextBoolean) yield* until("A planned date", isPlanned, 60_000);
  else yield* Effect.sleep(yield* Random.nextBetween(0, 5_000));
});

/** Starts the sends with one disruption each, or all disruptions during the only send. */
const disrupt = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  ledger: PushLedger,
  proxy: DatabaseProxy,
  start: () => Program,
) {
  const sql = yield* SqlClient.SqlClient;
  const processes = Array.from({ length: workers }, start);
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
      if (child.exitCode !== null) processes[index] = start();
    const ready = yield* until(
      "Two ready workers",
      Effect.sync(() => {
        const found = processes.flatMap((each, index) => (each.listening() === null ? [] : [index]));
        return found.length >= Math.min(2, workers) ? found : null;
      }),
      startTimeoutMillis,
    ).pipe(Effect.flatMap(Random.shuffle));
    const next = planned[round];
    if (next !== undefined && values.recurring) yield* planDate(next);
    else if (next !== undefined) {
      yield* sql`
        UPDATE send SET due_at = ${instant(Date.now() + aheadMillis)}
        WHERE campaign_id = ${next.campaignId}`;
      yield* Effect.sleep(aheadMillis);
    }
    yield* untilDisruption(ledger);
    const index = ready[0] ?? 0;
    if (kind === "cut") disruptions.push(yield* cut(proxy, ledger));
    else if (kind === "stall") disruptions.push(yield* stall(processes[index]));
    else if (kind === "stop") {
      disruptions.push(yield* stop(processes[index]));
      processes[index] = start();
    } else {
      // A quarter of the kills hits all workers.
      const chosen = (yield* Random.nextBetween(0, 1)) < 0.25 ? ready : [index];
      disruptions.push(
        yield* kill(
          chosen.flatMap((each) => processes[each] ?? []),
          ledger,
        ),
      );
      for (const each of chosen) processes[each] = start();
    }
  }
  return disruptions;
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

let proxy: DatabaseProxy | undefined;

runScenario({
  seed: values.seed,
  database: Effect.fnUntraced(function* (folder) {
    const named = process.env["DATABASE_URL"];
    const url = named === undefined || named === "" ? yield* embedded(folder) : named;
    proxy = yield* DatabaseProxy.to(targetOf(new URL(url)));
    return { url, ofProcesses: proxiedUrl(new URL(url), proxy) };
  }),
  run: Effect.gen(function* () {
    const delay = () => (values.single ? 3_000 + Math.random() * 4_000 : 200 + Math.random() * 600);
    const isOne = values.single || values.pace;
    const ledger = yield* LedgerServer.listening(new PushLedger(delay));
    const { start } = yield* ChaosRun;
    const { origin } = yield* startApi;
    const sends = isOne ? 1 : kills + stops + cuts + stalls;
    const { planned } = yield* prepareSends(origin, ledger.credentials, devices, sends, {
      isExperiment: values.experiment,
      isHeld: values.held,
      fields: values.pace ? { max_per_minute: perMinute } : values.recurring ? oneDate() : {},
      sendAt: values.recurring ? "00:00" : "12:00",
    });
    if (values.held) yield* Effect.forkScoped(quietHoursEnd);
    const unanswered = yield* unansweredPushes;
    if (proxy === undefined) return yield* Effect.die(new Error("There is no proxy"));
    const worker = () => start("worker");
    const load = { devices, workers };
    const disruptions = values.pace
      ? yield* killThroughout({ ...load, kills, perMinute }, planned, ledger, worker)
      : yield* disrupt(planned, ledger, proxy, worker);
    const isDone = yield* settles("The end of all sends", settled, endTimeoutMillis);
    const { faults, figures } = yield* sendVerdict(planned, disruptions, ledger, unanswered);
    const paced = values.pace
      ? yield* paceVerdict(perMinute, disruptions, ledger)
      : { figures: {}, faults: {} };
    const enrolled = values.experiment ? yield* experimentVerdict : { figures: {}, faults: {} };
    return {
      figures: { ...load, ...figures, ...paced.figures, ...enrolled.figures },
      faults: { ...faults, ...paced.faults, ...enrolled.faults, "work that does not end": isDone ? 0 : 1 },
    };
  }),
});
