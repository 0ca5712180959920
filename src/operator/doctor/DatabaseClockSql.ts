import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber } from "../../database/Rows.ts";

/** The database's own clock in epoch milliseconds: asked for only to be compared with ours, and to tell the age of its sessions. */
export const databaseClock = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly now: number }>`SELECT ${asNumber("extract(epoch FROM clock_timestamp()) * 1000")} AS now`,
).pipe(
  Effect.orDie,
  Effect.map(([row]) => row?.now ?? Number.NaN),
);
