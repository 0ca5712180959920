/** Disruptions of processes while they send, for `scripts/chaos.ts`. */
import { Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { secretKey } from "./Scenario.ts";
import { messageIds } from "../../src/sending/deliveries/MessageId.ts";
import type { DatabaseProxy } from "./DatabaseProxy.ts";
import type { PushLedger } from "./PushLedger.ts";
import type { Disruption } from "./Verdict.ts";
import type { WaypostProcess } from "./WaypostProcess.ts";

/** The ids of the messages that a process is sending. */
export const openMessages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly sourceId: bigint; readonly key: number }>`
    SELECT source_id AS "sourceId", device_key AS key FROM delivery WHERE status = 'handed_over'`;
  return rows.map(({ key, sourceId }) => messageIds(secretKey).idOf({ sourceId, deviceKey: key }));
});

/** Whether a send is running. */
export const isSending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return (yield* sql`SELECT FROM send WHERE status = 'running'`).length > 0;
});

/** Kills processes together. */
export const kill = Effect.fnUntraced(function* (victims: ReadonlyArray<WaypostProcess>, ledger: PushLedger) {
  const isDuringSend = yield* isSending;
  const before = ledger.connected;
  const at = Date.now();
  yield* Effect.promise(() => Promise.all(victims.map(({ end }) => end("SIGKILL"))));
  const open = yield* openMessages;
  // Many short pauses: after a long one on a busy machine, the event loop runs this before it reads sockets.
  yield* Effect.repeat(Effect.sleep(20), { times: 25 });
  const after = ledger.connected;
  const tokens = new Set([...before].filter((token) => !after.has(token)));
  return {
    kind: "kill",
    at,
    until: at,
    open,
    tokens,
    isDuringSend,
    processes: victims.length,
  } satisfies Disruption;
});

/** Stops a process by SIGTERM. It must have no effect: what is in flight is awaited. */
export const stop = Effect.fnUntraced(function* (victim: WaypostProcess | undefined) {
  const isDuringSend = yield* isSending;
  const at = Date.now();
  yield* Effect.promise(async () => victim?.end("SIGTERM"));
  const until = Date.now();
  return {
    kind: "stop",
    at,
    until,
    open: [],
    tokens: new Set(),
    isDuringSend,
    processes: 0,
  } satisfies Disruption;
});

/** Cuts all processes off from the database: briefly, or longer than a lease. */
export const cut = Effect.fnUntraced(function* (proxy: DatabaseProxy, ledger: PushLedger) {
  const isDuringSend = yield* isSending;
  const at = Date.now();
  proxy.cut();
  const open = yield* openMessages;
  yield* Effect.sleep((yield* Random.nextBoolean) ? 100 : yield* Random.nextBetween(5_000, 15_000));
  proxy.restore();
  return {
    kind: "cut",
    at,
    until: Date.now(),
    open,
    tokens: ledger.connected,
    isDuringSend,
    processes: 0,
  } satisfies Disruption;
});

/** Suspends a process: longer than most pushes take, shorter than its leases. It must have no effect. */
export const stall = Effect.fnUntraced(function* (victim: WaypostProcess | undefined) {
  const isDuringSend = yield* isSending;
  const at = Date.now();
  victim?.child.kill("SIGSTOP");
  yield* Effect.sleep(8_000);
  victim?.child.kill("SIGCONT");
  const until = Date.now();
  return {
    kind: "stall",
    at,
    until,
    open: [],
    tokens: new Set(),
    isDuringSend,
    processes: 0,
  } satisfies Disruption;
});
