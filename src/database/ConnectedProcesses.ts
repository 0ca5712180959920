/** The Waypost processes that are connected to the database. */
import { Effect, Option } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis } from "./Rows.ts";
import { processOf } from "./SessionName.ts";
import { ifDistributed } from "./SeveralNodes.ts";

/** The session of a Waypost process, with the time of its last statement (epoch ms; null if hidden). */
export interface NamedSession {
  readonly name: string;
  readonly last_statement_at: number | null;
}

/** Sessions of running Waypost processes. */
export const namedSessions = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql<NamedSession>`
    SELECT application_name AS name, ${epochMillis("max(query_start)")} AS last_statement_at
    FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'waypost %' GROUP BY 1 ORDER BY 1`),
);

/** The Waypost processes of database sessions. */
export const processesOf = (sessions: ReadonlyArray<NamedSession>) =>
  sessions.flatMap(({ last_statement_at, name }) => {
    const named = processOf(name);
    return named === null ? [] : [{ ...named, lastStatementAt: last_statement_at }];
  });

/** The Waypost processes that are connected now; none if that cannot be determined. */
export const connectedProcesses = Effect.map(namedSessions, processesOf).pipe(
  Effect.timeoutOption("10 seconds"),
  Effect.map(Option.getOrElse((): ReturnType<typeof processesOf> => [])),
  Effect.catchCause(() => Effect.succeed<ReturnType<typeof processesOf>>([])),
);

/**
 * Makes the effect that tells whether no other Waypost process is connected to the database. False if that is
 * not certain: the processes of a distributed database may be connected to other nodes, and a pooler may have
 * named this session.
 */
export const databaseAlone = Effect.map(SqlClient.SqlClient, (sql) =>
  ifDistributed(
    sql,
    () => Effect.succeed(false),
    () =>
      Effect.map(
        Effect.orDie(sql<{ readonly is_alone: boolean }>`
          SELECT current_setting('application_name') LIKE 'waypost %' AND NOT EXISTS (
            SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE 'waypost %'
              AND application_name <> current_setting('application_name')
          ) AS is_alone`),
        ([row]) => row?.is_alone === true,
      ),
  ),
);
