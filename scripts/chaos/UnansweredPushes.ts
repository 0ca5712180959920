import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { messageIds } from "../../src/sending/deliveries/MessageId.ts";
import { secretKey } from "../bench/ServiceApi.ts";
import type { DeviceKey } from "../../src/wire/Ids.ts";

/** How often the queue is read: a retry waits for a second or more. */
const pollMillis = 250;

/** The attempts of each message that the provider did not answer within 10 seconds, by message id. */
export type UnansweredPushes = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * Records pushes that wait for a retry because their provider gave no answer in time, until the scope closes.
 * A provider on a machine without free CPU gives such answers late: these pushes may arrive twice.
 */
export const unansweredPushes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { idOf } = messageIds(secretKey);
  const found = new Map<string, Set<number>>();
  const poll = Effect.gen(function* () {
    const rows = yield* sql<{
      readonly sourceId: bigint;
      readonly deviceKey: DeviceKey;
      readonly attempts: number;
    }>`
      SELECT source_id AS "sourceId", device_key AS "deviceKey", attempts FROM delivery
      WHERE status = 'queued' AND last_error LIKE 'The push service gave no answer within %'`;
    for (const row of rows) {
      const id = idOf(row);
      const attempts = found.get(id) ?? new Set();
      found.set(id, attempts.add(row.attempts));
    }
  });
  // The database may be away.
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.ignoreCause(poll), Effect.sleep(pollMillis))),
  );
  const pushes: UnansweredPushes = found;
  return pushes;
});
