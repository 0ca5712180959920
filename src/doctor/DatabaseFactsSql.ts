import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, onlyRow } from "../database/Rows.ts";
import { serverPairs } from "./ServerRowsSql.ts";

/** The server, with the facts of `serverRows`. */
export interface Server {
  readonly version: string;
  readonly account: string;
  readonly bytes: number;
  /** Connections that ordinary accounts may have in total, and those that exist now. */
  readonly max_connections: number;
  readonly connections: number;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

/** Rights of this account. */
export interface AccountRights {
  readonly may_create: boolean;
  /** Tables that this account may not read and change. */
  readonly forbidden: ReadonlyArray<string>;
  /** Tables that another account owns. */
  readonly foreign: ReadonlyArray<string>;
}

/** A session with a transaction that started at `since` (epoch milliseconds). */
export interface OpenTransaction {
  readonly session: string;
  readonly state: string;
  readonly since: number;
}

/** A table with many dead rows, or without autovacuum. */
export interface BloatedTable {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  readonly has_autovacuum: boolean;
}

const millis = (column: string) => asNumber(`extract(epoch FROM ${column}) * 1000`);

/** Facts about the database server, its sessions and its maintenance. */
export const databaseFactsSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return {
    server: onlyRow(sql<Server>`
        SELECT current_setting('server_version') AS version, current_user::text AS account,
          ${asNumber("pg_database_size(current_database())")} AS bytes,
          current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - COALESCE(current_setting('reserved_connections', true), '0')::int AS max_connections,
          (SELECT sum(numbackends)::int FROM pg_stat_database) AS connections,
          json_build_object(${sql.literal(serverPairs)}) AS facts`),

    rights: onlyRow(sql<AccountRights>`
        SELECT has_schema_privilege(current_schema(), 'CREATE') AS may_create,
          COALESCE(array_agg(relname::text ORDER BY relname) FILTER (WHERE NOT (
            has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
            AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))), '{}')
            AS forbidden,
          COALESCE(array_agg(relname::text ORDER BY relname)
            FILTER (WHERE NOT pg_has_role(relowner, 'USAGE')), '{}') AS foreign
        FROM pg_class
        WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('schema_migration'))
          AND relkind IN ('r', 'p')`),

    /** The five oldest open transactions, including prepared ones. */
    transactions: Effect.orDie(sql<OpenTransaction>`
        SELECT * FROM (
          SELECT CASE WHEN application_name = '' THEN 'session' ELSE application_name END
            || ' (' || pid || ')' AS session, state, ${millis("xact_start")} AS since
          FROM pg_stat_activity
          WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
            AND backend_type = 'client backend'
          UNION ALL
          SELECT 'prepared transaction ' || gid, 'prepared', ${millis("prepared")} FROM pg_prepared_xacts
          WHERE database = current_database()) AS open
        ORDER BY since LIMIT 5`),

    bloat: Effect.orDie(sql<BloatedTable>`
        SELECT s.relname::text AS name, ${asNumber("n_live_tup")} AS live, ${asNumber("n_dead_tup")} AS dead,
          NOT COALESCE('autovacuum_enabled=false' = ANY (c.reloptions), false) AS has_autovacuum
        FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
        WHERE (n_dead_tup > 100000 AND n_dead_tup > n_live_tup)
          OR 'autovacuum_enabled=false' = ANY (c.reloptions)
        ORDER BY n_dead_tup DESC LIMIT 5`),

    invalidIndexes: Effect.orDie(sql<{ readonly name: string }>`
        SELECT indexrelid::regclass::text AS name FROM pg_index JOIN pg_class c ON c.oid = indrelid
        WHERE NOT indisvalid AND c.relnamespace = current_schema()::regnamespace`),

    /** Replication slots without a reader. The server keeps its log for them until the disk is full. */
    inactiveSlots: Effect.orDie(sql<{ readonly name: string }>`
        SELECT slot_name::text AS name FROM pg_replication_slots WHERE NOT active`),
  };
});
