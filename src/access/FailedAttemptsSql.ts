import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../database/Rows.ts";

/** The statement on failed attempts. */
export class FailedAttemptsSql extends Context.Service<FailedAttemptsSql>()(
  "waypost/access/FailedAttemptsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      return {
        /** Counts one more attempt of an address, in a new window when the last one opened before `since`. */
        count: (address: string, now: number, since: number) =>
          Effect.orDie(sql<{ attempts: number; window_opened: Date }>`
          INSERT INTO failed_attempt AS f (address, window_opened, attempts) VALUES (${address}, ${instant(now)}, 1)
          ON CONFLICT (address) DO UPDATE SET
            attempts = CASE WHEN f.window_opened <= ${instant(since)} THEN 1 ELSE f.attempts + 1 END,
            window_opened = CASE WHEN f.window_opened <= ${instant(since)} THEN ${instant(now)} ELSE f.window_opened END
          RETURNING attempts, window_opened`),

        /** Forgets at most `most` addresses whose window opened at that instant or before; tells how many. */
        prune: (since: number, most: number) =>
          Effect.map(
            Effect.orDie(sql<{ address: string }>`
              DELETE FROM failed_attempt WHERE address = ANY (ARRAY (
                SELECT address FROM failed_attempt WHERE window_opened <= ${instant(since)}
                ORDER BY window_opened LIMIT ${most} FOR UPDATE SKIP LOCKED))
              RETURNING address`),
            (rows) => rows.length,
          ),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(FailedAttemptsSql, FailedAttemptsSql.make);
}
