/** Disruptions of processes while they send, for `scripts/chaos.ts`. */
import { Effect, Random } from "effect";
import { SqlClient } from "effect/sql";
import { messageIds } from "../../src/sending/deliveries/MessageId.ts";
import type { Program } from "../bench/BenchChild.ts";
import { secretKey } from "../bench/ServiceApi.ts";
import type { DatabaseProxy } from "./DatabaseProxy.ts";
import type { PushLedger } from "./PushLedger.ts";
import type { Disruption } from "./SendVerdict.ts";
import type { DeviceKey } from "../../src/wire/Ids.ts";

/** The ids of the messages that a process is sending. */
export const openMessages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly sourceId: bigint; readonly key: DeviceKey }>`
    SELECT source_id AS "sourceId", device_key AS key FROM delivery WHERE status = 'handed_over'`;
  return rows.map(({ key, sourceId }) => messageIds(secretKey).idOf({ sourceId, deviceKey: key }));
});

/** Whether a send is running, or quiet hours hold messages. */
export const isSending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const open = yield* sql`
    SELECT FROM send WHERE status = 'running'
    UNION ALL SELECT FROM delivery WHERE status = 'held' LIMIT 1`;
  return open.length > 0;
});

/** Does something to processes, and gives it as a disruption. It may say which messages and tokens it hit. */
const disrupt = <E, R>(
  kind: Disruption["kind"],
  work: Effect.Effect<Partial<Disruption> | void, E, R>,
  processes = 0,
) =>
  Effect.gen(function* () {
    const isDuringSend = yield* isSending;
    const at = Date.now();
    const hit = yield* work;
    const end = Date.now();
    const none = { open: [], tokens: new Set<string>() };
    return { kind, at, until: end, isDuringSend, processes, ...none, ...hit } satisfies Disruption;
  });

/** Kills processes together. */
export const kill = (victims: ReadonlyArray<Program>, ledger: PushLedger) =>
  disrupt(
    "kill",
    Effect.gen(function* () {
      const [before, at] = [ledger.connected, Date.now()];
      yield* Effect.promise(() => Promise.all(victims.map(({ end }) => end("SIGKILL"))));
      const open = yield* openMessages;
      // Many short pauses: after a long one on a busy machine, the event loop runs this before it reads
      // sockets.
      yield* Effect.repeat(Effect.sleep(20), { times: 25 });
      const after = ledger.connected;
      return { until: at, open, tokens: new Set([...before].filter((token) => !after.has(token))) };
    }),
    victims.length,
  );

/** Stops a process by SIGTERM. It must have no effect: what is in flight is awaited. */
export const stop = (victim: Program | undefined) =>
  disrupt(
    "stop",
    Effect.promise(async () => victim?.end("SIGTERM")),
  );

/** Cuts all processes off from the database: briefly, or longer than a lease. */
export const cut = (proxy: DatabaseProxy, ledger: PushLedger) =>
  disrupt(
    "cut",
    Effect.gen(function* () {
      proxy.cut();
      const open = yield* openMessages;
      yield* Effect.sleep((yield* Random.nextBoolean) ? 100 : yield* Random.nextBetween(5_000, 15_000));
      proxy.restore();
      return { open, tokens: ledger.connected };
    }),
  );

/** Suspends a process: longer than most pushes take, shorter than its leases. It must have no effect. */
export const stall = (victim: Program | undefined) =>
  disrupt(
    "stall",
    Effect.gen(function* () {
      victim?.child.kill("SIGSTOP");
      yield* Effect.sleep(8_000);
      victim?.child.kill("SIGCONT");
    }),
  );
