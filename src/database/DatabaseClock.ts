import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber } from "./Rows.ts";

/** The database's own clock in epoch milliseconds: asked for only to be compared with ours, for leases, and to tell the age of its sessions. */
export const databaseClock = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly now: number }>`SELECT ${asNumber("extract(epoch FROM clock_timestamp()) * 1000")} AS now`,
).pipe(
  Effect.orDie,
  Effect.map(([row]) => row?.now ?? Number.NaN),
);

/** The same for whoever has no SQL of its own: asks by the client of the moment. */
export const databaseClockAtHand = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.provideService(databaseClock, SqlClient.SqlClient, sql),
);
