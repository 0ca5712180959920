import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { messageIds } from "../../src/sending/deliveries/MessageId.ts";
import { secretKey } from "../bench/ServiceApi.ts";
import { spread, type Verdict, without } from "./ChaosRun.ts";
import type { Arrival, PushLedger } from "./PushLedger.ts";
import type { UnansweredPushes } from "./UnansweredPushes.ts";
import type { PlannedSend } from "./PlannedSends.ts";
import type { DeviceKey } from "../../src/wire/Ids.ts";

/** A moment at which processes were killed, cut off from the database, stopped or suspended. */
export interface Disruption {
  readonly kind: "kill" | "stop" | "cut" | "stall";
  /** Its start and end in epoch milliseconds. */
  readonly at: number;
  readonly until: number;
  /** The number of killed processes. */
  readonly processes: number;
  /** Whether a send was running. */
  readonly isDuringSend: boolean;
  /** The messages that any process was sending. */
  readonly open: ReadonlyArray<string>;
  /** The access tokens of the affected processes. */
  readonly tokens: ReadonlySet<string>;
}

/** Messages that had arrived from the affected processes, and whose outcome was not stored. */
const uncertainOf = ({ open, tokens, until }: Disruption, ledger: PushLedger): ReadonlyArray<string> =>
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
 * How a push was repeated without a disruption: after the first attempt was canceled, while it was open
 * (another process took it over), or after its response (which was lost).
 */
const repeatOf = (arrivals: ReadonlyArray<Arrival>): string => {
  const [first, second] = arrivals.slice(-2);
  if (first === undefined || second === undefined) return "no repeat";
  const sender = first.token === second.token ? "by the same process" : "by another process";
  if (first.answeredAt !== null && first.answeredAt < second.at) return `after its response, ${sender}`;
  if (first.closedAt !== null && first.closedAt < second.at) return `after it was canceled, ${sender}`;
  return `while it was open, ${sender}`;
};

/** Pushes that arrived more than once, and those of them that no disruption or missing answer explains. */
export const repeatedPushes = (
  disruptions: ReadonlyArray<Disruption>,
  ledger: PushLedger,
  unanswered: UnansweredPushes,
) => {
  const hits = disruptions.map((each) => ({ at: each.at, uncertain: new Set(uncertainOf(each, ledger)) }));
  const repeats = [...ledger.arrivals].filter(([, arrivals]) => arrivals.length > 1);
  const unexplained = repeats.filter(
    ([id, arrivals]) =>
      arrivals.length - 1 >
      hits.filter((each) => each.uncertain.has(id)).length + (unanswered.get(id)?.size ?? 0),
  );
  for (const [kind, alike] of Map.groupBy(unexplained, ([, arrivals]) => repeatOf(arrivals))) {
    console.log(`${alike.length} repeated ${kind}; one of them: ${JSON.stringify(alike[0])}`);
  }
  return { hits, repeats, unexplained };
};

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`;

/** Counts lost, duplicate and repeated deliveries. */
export const sendVerdict = Effect.fnUntraced(function* (
  planned: ReadonlyArray<PlannedSend>,
  disruptions: ReadonlyArray<Disruption>,
  ledger: PushLedger,
  unanswered: UnansweredPushes,
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
  const pushes = yield* sql<{
    readonly sourceId: bigint;
    readonly key: DeviceKey;
    readonly attempts: number;
    readonly at: number;
  }>`
    SELECT source_id AS "sourceId", device_key AS key, attempts::int AS attempts,
      (extract(epoch FROM settled_at) * 1000)::float8 AS at
    FROM delivery WHERE transport = 'fcm'`;
  const { idOf } = messageIds(secretKey);
  const settled = new Map(
    pushes.map((push) => [idOf({ sourceId: push.sourceId, deviceKey: push.key }), push] as const),
  );
  const expected = planned.reduce((sum, send) => sum + send.expected, 0);
  const lags = yield* sql<{ readonly millis: number }>`
    SELECT (extract(epoch FROM started_at - due_at) * 1000)::float8 AS millis
    FROM send WHERE started_at IS NOT NULL`;
  const { hits, repeats, unexplained } = repeatedPushes(disruptions, ledger, unanswered);
  // For a message that was hit twice, the last disruption.
  const uncertain = new Map(hits.flatMap((each) => [...each.uncertain].map((id) => [id, each.at] as const)));
  const takeover = (id: string, at: number): number => ((settled.get(id)?.at ?? Infinity) - at) / 1000;
  const slowest = [...uncertain].toSorted(
    ([one, at], [other, otherAt]) => takeover(other, otherAt) - takeover(one, at),
  )[0];
  if (slowest !== undefined) {
    const [id, at] = slowest;
    const arrived = (ledger.arrivals.get(id) ?? []).map((each) => seconds(each.at - at)).join(", ");
    const kills = disruptions.map((each) => seconds(each.at - at)).join(", ");
    console.log(
      `slowest outcome: ${seconds(takeover(id, at) * 1000)} after its last disruption; ` +
        `${settled.get(id)?.attempts} attempts, arrived at ${arrived}; all disruptions at ${kills}`,
    );
  }
  const takeovers = [...uncertain].map(([id, at]) => takeover(id, at));
  const countOf = (kind: Disruption["kind"]) => {
    const alike = disruptions.filter((each) => each.kind === kind);
    return `${alike.length}, ${alike.filter(({ isDuringSend }) => isDuringSend).length}`;
  };
  const stopSeconds = disruptions
    .filter(({ kind }) => kind === "stop")
    .map(({ at, until }) => (until - at) / 1000);
  const figures = {
    "processes killed": disruptions.reduce((sum, each) => sum + each.processes, 0),
    "kills, and during a send": countOf("kill"),
    "stops, and during a send": countOf("stop"),
    "from SIGTERM to the exit, median, max": spread(stopSeconds),
    "database cuts, and during a send": countOf("cut"),
    "suspended processes, and during a send": countOf("stall"),
    sends: planned.length,
    "deliveries expected": expected,
    "deliveries found": counts.rows,
    "pushes that arrived": settled.size - without(settled.keys(), ledger.arrivals),
    "uncertain (in flight at a disruption)": uncertain.size,
    "uncertain (no answer within 10 s)": unanswered.size,
    repeated: repeats.length,
    "disruptions that hit a push in flight": hits.filter((each) => each.uncertain.size > 0).length,
    "from a disruption to the outcome, median, max": spread(takeovers),
    "from a send's minute to its start, median, max": spread(lags.map(({ millis }) => millis / 1000)),
  };
  const faults = {
    lost: expected - counts.reached,
    duplicate: counts.rows - counts.reached,
    "not delivered": counts.undecided,
    "sends with wrong figures": counts.wrong,
    "left in the queue": counts.queued,
    "open batches": counts.batches,
    "pushes that never arrived": without(settled.keys(), ledger.arrivals),
    "pushes without a delivery": without(ledger.arrivals.keys(), settled),
    "repeated without being uncertain": unexplained.length,
  };
  return { figures, faults } satisfies Verdict;
});
