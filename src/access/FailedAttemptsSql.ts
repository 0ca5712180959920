import { asNumber, instant, onlyRow } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { rowCount } from "../database/Statements.ts";

/** Every statement on failed attempts. */
export class FailedAttemptsSql extends SqlService<FailedAttemptsSql>("waypost/FailedAttemptsSql")((sql) => {
  const isOpen = (now: number, since: number) => sql`
    f.window_opened > ${instant(since)} AND f.window_opened <= ${instant(now + 60_000)}`;
  return {
    /**
     * Counts one more attempt of an address. An address whose window opened at `since` or before gets a new
     * window, which opens at `now`. So does one whose window opened over a minute after `now`: the clock was
     * set back since.
     */
    count: (address: string, now: number, since: number) =>
      onlyRow(sql<{ readonly attempts: number; readonly windowOpened: number }>`
        INSERT INTO failed_attempt AS f (address, window_opened, attempts)
        VALUES (${address}, ${instant(now)}, 1)
        ON CONFLICT (address) DO UPDATE SET
          attempts = CASE WHEN ${isOpen(now, since)} THEN f.attempts + 1 ELSE 1 END,
          window_opened = CASE WHEN ${isOpen(now, since)} THEN f.window_opened ELSE ${instant(now)} END
        RETURNING attempts, ${asNumber("extract(epoch FROM window_opened) * 1000")} AS "windowOpened"`),

    /**
     * Deletes at most `limit` addresses whose window opened at `since` or before, the oldest first; gives how
     * many.
     */
    prune: (since: number, limit: number) =>
      rowCount(sql`
        DELETE FROM failed_attempt WHERE address = ANY (ARRAY (
          SELECT address FROM failed_attempt WHERE window_opened <= ${instant(since)}
          ORDER BY window_opened LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING address`),
  };
}) {}
