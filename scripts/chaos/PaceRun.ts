/** Kills of processes throughout a send with a pace, and whether it kept that (`--pace` of chaos.ts). */
import { Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../src/database/Rows.ts";
import type { Program } from "../bench/BenchChild.ts";
import { startTimeoutMillis, until, type Verdict } from "./ChaosRun.ts";
import { kill } from "./Disruptions.ts";
import type { PlannedSend } from "./PlannedSends.ts";
import type { PushLedger } from "./PushLedger.ts";
import type { Disruption } from "./SendVerdict.ts";

const minuteMillis = 60_000;
/** How much of the pace must be used between kills. */
const minShare = 0.95;
/** How long after a kill the pace need not be used: until the process has started again. */
const startMillis = 5_000;

interface PaceLoad {
  readonly devices: number;
  readonly kills: number;
  readonly workers: number;
  readonly perMinute: number;
}

/** Starts the send, kills one of the workers after the other at even intervals, and starts it again. */
export const killThroughout = Effect.fnUntraced(function* (
  { devices, kills, perMinute, workers }: PaceLoad,
  planned: ReadonlyArray<PlannedSend>,
  ledger: PushLedger,
  start: () => Program,
) {
  const sql = yield* SqlClient.SqlClient;
  const processes = Array.from({ length: workers }, start);
  const ready = (count: number) =>
    until(
      `${count} ready workers`,
      Effect.sync(() => {
        // A start ends with an error if the database was unavailable for too long.
        for (const [index, { child }] of processes.entries())
          if (child.exitCode !== null) processes[index] = start();
        const found = processes.flatMap((each, index) => (each.listening() === null ? [] : [index]));
        return found.length >= count ? found : null;
      }),
      startTimeoutMillis,
    );
  yield* ready(workers);
  yield* sql`UPDATE send SET due_at = ${instant(Date.now())} WHERE campaign_id = ${planned[0]?.campaignId}`;
  const disruptions: Array<Disruption> = [];
  const interval = (devices / perMinute) * (minuteMillis / (kills + 1));
  for (let round = 0; round < kills; round++) {
    yield* Effect.sleep(interval * (yield* Random.nextBetween(0.7, 1)));
    const [index = 0] = yield* Random.shuffle(yield* ready(Math.min(2, workers)));
    const victim = processes[index];
    if (victim !== undefined) disruptions.push(yield* kill([victim], ledger));
    processes[index] = start();
  }
  yield* until(
    "The last delivery",
    Effect.map(sql`SELECT FROM send WHERE status = 'running' LIMIT 1`, (rows) =>
      rows.length === 0 ? true : null,
    ),
    (devices / perMinute + 5) * minuteMillis,
  );
  return disruptions;
});

/** The most instants within any minute. Instants are sorted. */
const maxInAMinute = (instants: ReadonlyArray<number>): number => {
  let [most, first] = [0, 0];
  for (const [index, at] of instants.entries()) {
    while ((instants[first] ?? at) <= at - minuteMillis) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
};

/**
 * Counts what the receivers got: pushes as they first arrived at the provider, and inbox messages as they
 * were stored.
 */
export const paceVerdict = Effect.fnUntraced(function* (
  perMinute: number,
  disruptions: ReadonlyArray<Disruption>,
  ledger: PushLedger,
) {
  const sql = yield* SqlClient.SqlClient;
  const inboxes = yield* sql<{ readonly at: number }>`
    SELECT (extract(epoch FROM settled_at) * 1000)::float8 AS at FROM delivery WHERE transport = 'inbox'`;
  const pushes = [...ledger.arrivals.values()].flatMap(([first]) => first?.at ?? []);
  const instants = [...pushes, ...inboxes.map(({ at }) => at)].toSorted((a, b) => a - b);
  const [begin = 0, end = 0] = [instants[0], instants.at(-1)];
  const kills = disruptions.map(({ at }) => at).filter((at) => at < end);
  const shares = [begin - startMillis, ...kills].flatMap((at, index) => {
    const [from, to] = [at + startMillis, kills[index] ?? end];
    const count = instants.filter((each) => each >= from && each < to).length;
    return to - from < startMillis ? [] : [{ count, due: ((to - from) / minuteMillis) * perMinute }];
  });
  const sum = (of: "count" | "due") => shares.reduce((total, each) => total + each[of], 0);
  const used = sum("count") / sum("due");
  const most = maxInAMinute(instants);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const figures = {
    "pace, and the most in any minute": `${perMinute}, ${most}`,
    "the same of pushes at the provider": maxInAMinute(pushes.toSorted((a, b) => a - b)),
    "minutes from the first delivery to the last": ((end - begin) / minuteMillis).toFixed(2),
    "used between kills, and in the whole": `${percent(used)}, ${percent(
      instants.length / ((perMinute * (end - begin)) / minuteMillis),
    )}`,
    "used between two kills, the least": percent(Math.min(...shares.map(({ count, due }) => count / due))),
  };
  const faults = {
    "deliveries above the pace": Math.max(0, most - perMinute),
    "pace not used": used < minShare ? 1 : 0,
  };
  return { figures, faults } satisfies Verdict;
});
