/** Kills nodes of a cluster, one after another, while sends run. */
import { Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../../src/database/Rows.ts";
import { until } from "../ChaosRun.ts";
import { isSending, openMessages } from "../Disruptions.ts";
import type { PushLedger } from "../PushLedger.ts";
import type { Disruption } from "../SendVerdict.ts";
import type { PlannedSend } from "../PlannedSends.ts";
import type { ClusterNode } from "./ClusterNode.ts";

/** How long a node is suspended before a kill, in milliseconds. */
const suspendMillis = { min: 20, max: 300 };
/** From the start of a send to a kill, and from the first answer after a kill to the next send. */
const sendMillis = 1_500;
const pauseMillis = 1_500;
const restartTimeoutMillis = 90_000;

/** The nodes that a kill hits: one at random, and sometimes all. */
const victimsOf = Effect.fnUntraced(function* (nodes: ReadonlyArray<ClusterNode>) {
  if ((yield* Random.nextBetween(0, 1)) < 0.1) return nodes;
  return (yield* Random.shuffle(nodes)).slice(0, 1);
});

/** Kills nodes and starts them again. `suspended` stops a moment before, until they are dead. */
const crash = Effect.fnUntraced(function* (
  victims: ReadonlyArray<ClusterNode>,
  suspended: ClusterNode | undefined,
) {
  suspended?.suspend();
  if (suspended !== undefined)
    yield* Effect.sleep(yield* Random.nextBetween(suspendMillis.min, suspendMillis.max));
  yield* Effect.promise(() => Promise.all(victims.map((node) => node.kill())));
  if (suspended !== undefined && !victims.includes(suspended)) suspended.resume();
  yield* Effect.promise(() => Promise.all(victims.map((node) => node.start())));
});

/**
 * Starts a planned send for each kill, and kills at a random time after. `prepared` counts the prepared
 * transactions of the cluster, and `successes` answers with success. Gives the disruptions, the number of
 * kills that left such transactions, and the times from a restart to the next success, in milliseconds.
 */
export const killNodes = Effect.fnUntraced(function* <E, R>(
  nodes: ReadonlyArray<ClusterNode>,
  kills: number,
  planned: ReadonlyArray<PlannedSend>,
  ledger: PushLedger,
  prepared: Effect.Effect<number, E, R>,
  successes: () => number,
) {
  const sql = yield* SqlClient.SqlClient;
  const disruptions: Array<Disruption> = [];
  const outages: Array<number> = [];
  let hits = 0;
  for (let round = 0; round < kills; round++) {
    const next = planned[round];
    if (next !== undefined) {
      const begin = sql`UPDATE send SET due_at = ${instant(Date.now())}
        WHERE workspace_id = ${next.workspaceId} AND campaign_id = ${next.campaignId}::uuid`;
      yield* until("The start of a send", Effect.as(begin, true), restartTimeoutMillis);
    }
    yield* Effect.sleep(yield* Random.nextBetween(0, sendMillis));
    const isDuringSend = yield* until("The sends", isSending, restartTimeoutMillis);
    const before = yield* until("Open messages", openMessages, restartTimeoutMillis);
    const victims = yield* victimsOf(nodes);
    const suspended = (yield* Random.nextBoolean) ? (yield* Random.shuffle(nodes))[0] : undefined;
    const at = Date.now();
    yield* crash(victims, suspended);
    const restarted = Date.now();
    const after = yield* until("Open messages", openMessages, restartTimeoutMillis);
    disruptions.push({
      kind: "cut",
      at,
      until: Date.now(),
      open: [...new Set([...before, ...after])],
      tokens: ledger.connected,
      isDuringSend,
      processes: 0,
    });
    if ((yield* until("Prepared transactions", prepared, restartTimeoutMillis)) > 0) hits++;
    const answered = successes();
    yield* until(
      "An answer after a kill",
      Effect.sync(() => (successes() > answered ? true : null)),
      restartTimeoutMillis,
    );
    outages.push(Date.now() - restarted);
    yield* Effect.sleep(yield* Random.nextBetween(0, pauseMillis));
  }
  return { disruptions, prepared: hits, outages };
});
