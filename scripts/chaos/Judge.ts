import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { messageId } from "../../src/sending/MessageId.ts";
import type { Arrival, PushLedger } from "./PushLedger.ts";
import type { PlannedSend } from "./Scene.ts";

/** A moment at which processes were killed, or all were cut off from the database, or one was held still. */
export interface Blow {
  readonly kind: "kill" | "cut" | "stall";
  /** Epoch milliseconds: its begin, and its end where it lasted. */
  readonly at: number;
  readonly until: number;
  /** How many processes it ended. */
  readonly processes: number;
  /** Whether a send was under way. */
  readonly isWithin: boolean;
  /** Messages that were being handed over, by this process or another. */
  readonly open: ReadonlyArray<string>;
  /** What those that were hit tell themselves apart with at the push service. */
  readonly tokens: ReadonlySet<string>;
}

/** Messages that had come in from those that were hit, and of which it was not written down what became of them. */
const uncertainOf = ({ open, tokens, until }: Blow, ledger: PushLedger): ReadonlyArray<string> =>
  open.filter((id) =>
    ledger.arrivals.get(id)?.some((each) => tokens.has(each.token) && each.at < until + 2_000),
  );

interface Counts {
  readonly rows: number;
  readonly reached: number;
  readonly undecided: number;
  readonly queued: number;
  readonly batches: number;
  readonly wrong: number;
}

/**
 * Why a push came in again although nobody was killed or cut off: the one before was given up unanswered, was still open (somebody else took it
 * over), or was answered, and the answer got lost.
 */
const storyOf = (arrivals: ReadonlyArray<Arrival>): string => {
  const [first, second] = arrivals.slice(-2);
  if (first === undefined || second === undefined) return "no repeat";
  const hands = first.token === second.token ? "by the same process" : "by another process";
  if (first.answeredAt !== null && first.answeredAt < second.at) return `after its answer, ${hands}`;
  if (first.closedAt !== null && first.closedAt < second.at) return `after it was given up, ${hands}`;
  return `while it was open, ${hands}`;
};

/** Median and longest, in seconds. */
const spread = (seconds: ReadonlyArray<number>): string => {
  const sorted = seconds.toSorted((a, b) => a - b);
  return sorted.length === 0
    ? "-"
    : `${sorted[sorted.length >> 1]?.toFixed(2)} s, ${sorted.at(-1)?.toFixed(2)} s`;
};

/** Counts and prints what was lost, doubled and repeated; false if anything is as it must not be. */
export const classify = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  blows: ReadonlyArray<Blow>,
  ledger: PushLedger,
) {
  const sql = yield* SqlClient.SqlClient;
  const [counts] = yield* sql<Counts>`
    SELECT count(*)::int AS rows, count(DISTINCT (campaign_key, device_key))::int AS reached,
      count(*) FILTER (WHERE status <> 'delivered')::int AS undecided,
      (SELECT count(*)::int FROM push_queue) AS queued, (SELECT count(*)::int FROM send_batch) AS batches,
      (SELECT count(*)::int FROM send s WHERE s.status <> 'done' OR s.delivered <> s.targeted
        OR s.targeted <> (SELECT count(*) FROM delivery d WHERE d.source_id = s.source_id)) AS wrong
    FROM delivery`;
  if (counts === undefined) return yield* Effect.die(new Error("No counts"));
  const pushes = yield* sql<{ readonly sourceId: bigint; readonly key: number; readonly at: number }>`
    SELECT source_id AS "sourceId", device_key AS key, (extract(epoch FROM settled_at) * 1000)::float8 AS at
    FROM delivery WHERE transport = 'fcm'`;
  const settledAt = new Map(pushes.map(({ at, key, sourceId }) => [messageId(sourceId, key), at]));
  const expected = planned.reduce((sum, send) => sum + send.expected, 0);
  const unsent = [...settledAt.keys()].filter((id) => !ledger.arrivals.has(id)).length;
  const strange = [...ledger.arrivals.keys()].filter((id) => !settledAt.has(id)).length;
  const lags = yield* sql<{ readonly millis: number }>`
    SELECT (extract(epoch FROM started_at - due_at) * 1000)::float8 AS millis FROM send WHERE started_at IS NOT NULL`;
  const hits = blows.map((each) => ({ at: each.at, uncertain: new Set(uncertainOf(each, ledger)) }));
  // Of one that was hit twice the last kill.
  const uncertain = new Map(hits.flatMap((each) => [...each.uncertain].map((id) => [id, each.at] as const)));
  const repeats = [...ledger.arrivals].filter(([, arrivals]) => arrivals.length > 1);
  const strangers = repeats.filter(
    ([id, arrivals]) => arrivals.length - 1 > hits.filter((each) => each.uncertain.has(id)).length,
  );
  const unexplained = strangers.length;
  for (const [story, told] of Map.groupBy(strangers, ([, arrivals]) => storyOf(arrivals))) {
    const [example] = told;
    console.log(`${told.length} repeated ${story}; one of them: ${JSON.stringify(example)}`);
  }
  const takeovers = [...uncertain].map(([id, at]) => ((settledAt.get(id) ?? Infinity) - at) / 1000);
  const momentsOf = (kind: Blow["kind"]) => {
    const moments = blows.filter((each) => each.kind === kind);
    return `${moments.length}, ${moments.filter(({ isWithin }) => isWithin).length}`;
  };
  const lost = expected - counts.reached;
  const lines: ReadonlyArray<readonly [string, number | string]> = [
    ["processes killed", blows.reduce((sum, each) => sum + each.processes, 0)],
    ["moments of kills, and within a send", momentsOf("kill")],
    ["cuts of the database, and within a send", momentsOf("cut")],
    ["processes held still, and within a send", momentsOf("stall")],
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
    ["uncertain (in flight at a blow)", uncertain.size],
    ["repeated", repeats.length],
    ["repeated without having been uncertain", unexplained],
    ["moments that hit a push in flight", hits.filter((each) => each.uncertain.size > 0).length],
    ["from a blow to the outcome, median, longest", spread(takeovers)],
    ["from a send's minute to its start, median, longest", spread(lags.map(({ millis }) => millis / 1000))],
  ];
  for (const [name, value] of lines) console.log(`${name.padEnd(52)} ${String(value).padStart(10)}`);
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
  return bad === 0;
});
