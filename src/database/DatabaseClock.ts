import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, onlyRow } from "./Rows.ts";

/**
 * The database's clock in milliseconds since 1970. It is read only for leases, for the age of sessions, and
 * to compare it with this machine's clock.
 */
export const databaseClock = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  onlyRow(sql<{ readonly now: number }>`
    SELECT ${asNumber("extract(epoch FROM clock_timestamp()) * 1000")} AS now`),
).pipe(Effect.map(({ now }) => now));

/** The effect `databaseClock` with the current SQL client, for callers without SQL of their own. */
export const currentDatabaseClock = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.provideService(databaseClock, SqlClient.SqlClient, sql),
);
