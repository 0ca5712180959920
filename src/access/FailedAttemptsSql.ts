import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, onlyRow } from "../database/Rows.ts";
import { rowCount } from "../database/Statements.ts";
import { FailedAttemptsRepository } from "./FailedAttemptsRepository.ts";

/** Every statement on failed attempts. */
export const failedAttemptsSql = Layer.effect(
  FailedAttemptsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const isOpen = (now: number, since: number) => sql`
      f.window_opened > ${instant(since)} AND f.window_opened <= ${instant(now + 60_000)}`;
    return FailedAttemptsRepository.of({
      count: (address, now, since) =>
        onlyRow(sql<{ readonly attempts: number; readonly windowOpened: number }>`
          INSERT INTO failed_attempt AS f (address, window_opened, attempts)
          VALUES (${address}, ${instant(now)}, 1)
          ON CONFLICT (address) DO UPDATE SET
            attempts = CASE WHEN ${isOpen(now, since)} THEN f.attempts + 1 ELSE 1 END,
            window_opened = CASE WHEN ${isOpen(now, since)} THEN f.window_opened ELSE ${instant(now)} END
          RETURNING attempts, ${asNumber("extract(epoch FROM window_opened) * 1000")} AS "windowOpened"`),

      prune: (since, limit) =>
        rowCount(sql`
          DELETE FROM failed_attempt WHERE address = ANY (ARRAY (
            SELECT address FROM failed_attempt WHERE window_opened <= ${instant(since)}
            ORDER BY window_opened LIMIT ${limit} FOR UPDATE SKIP LOCKED))
          RETURNING address`),
    });
  }),
);
