/** Statements that export and import a whole database: tables by name, rows in PostgreSQL's text form. */
import { Effect } from "effect";
import { SqlClient, SqlError } from "effect/sql";
import { arrayOf, asNumber } from "../database/Rows.ts";
import { snapshotObstacle } from "../database/SeveralNodes.ts";
import type { BackupManifest } from "./BackupManifest.ts";

/** A table and its columns in order, without generated columns. */
export type TableShape = Pick<BackupManifest["tables"][number], "name" | "columns">;

/** A sequence and its last value; null if it was never used. */
export type SequenceState = BackupManifest["sequences"][number];

/** A media file that a row references. */
export interface ReferencedMedia {
  readonly key: string;
  readonly has_thumbnail: boolean;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quotedList = (names: ReadonlyArray<string>): string => names.map(quoted).join(", ");

/** Condition: a relation, which is `c` of pg_class, is none of an extension, which has its own. */
const isOwn = `NOT EXISTS (SELECT FROM pg_depend d
  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** Parameters of the statements of a backup and of a restore. */
export type BackupClient = SqlClient.SqlClient;

/** Statements of a backup and of a restore. A failure is a defect. */
export const backupSql = Effect.gen(function* () {
  // Bound: pages of 500 rows.
  const sql = yield* SqlClient.SqlClient;
  return {
    /**
     * Must be the first statement of its transaction. All queries of it see the same snapshot, which the
     * first of them takes.
     */
    useSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared),

    /** Turns off the timeouts of this transaction. */
    disableTimeouts: Effect.orDie(
      Effect.all(
        [
          sql`SET LOCAL statement_timeout = 0`.unprepared,
          sql`SET LOCAL lock_timeout = 0`.unprepared,
          sql`SET LOCAL idle_in_transaction_session_timeout = 0`.unprepared,
        ],
        { discard: true },
      ),
    ),

    /**
     * Keeps migrations from changing tables until the transaction ends. Takes no snapshot, so that a later
     * one has the columns that the rows have: PostgreSQL reads rows by the columns of now.
     */
    lockTables: (tables: ReadonlyArray<string>) =>
      Effect.orDie(sql`LOCK TABLE ${sql.literal(quotedList(tables))} IN ACCESS SHARE MODE`.unprepared),

    hasSchema: Effect.map(
      Effect.orDie(sql`SELECT 1 WHERE to_regclass('schema_migration') IS NOT NULL`),
      (rows) => rows.length > 0,
    ),

    /** Why there is no snapshot of one moment while others write; null if there is one. */
    snapshotObstacle: snapshotObstacle(sql),

    tables: Effect.orDie(sql<TableShape>`
      SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND ${sql.literal(isOwn)}
      GROUP BY c.relname ORDER BY c.relname`),

    /** Estimated number of rows of all tables, as of the last ANALYZE. */
    estimatedRows: Effect.orDie(sql<{ rows: number }>`
      SELECT ${asNumber("coalesce(sum(greatest(reltuples, 0)), 0)::bigint")} AS rows
      FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`),

    sequences: Effect.orDie(sql<SequenceState>`
      SELECT sequencename AS name, ${asNumber("last_value")} AS last FROM pg_sequences
      WHERE schemaname = 'public' ORDER BY sequencename`),

    migrations: Effect.orDie(sql<{ id: number; name: string; checksum: string }>`
      SELECT id, name, checksum FROM schema_migration ORDER BY id`),

    serverVersion: Effect.orDie(
      sql<{ version: string }>`SELECT current_setting('server_version') AS version`,
    ),

    /** Up to 500 media files after one, by their keys. */
    media: (after: string) =>
      Effect.orDie(sql<ReferencedMedia>`
        SELECT key, thumbnail = 'ready' AS has_thumbnail FROM media_file
        WHERE key > ${after} ORDER BY key LIMIT 500`),

    /** Opens the cursor on a table. A transaction has one at a time. */
    openCursor: (table: string) =>
      Effect.orDie(
        sql`DECLARE rows_of_table NO SCROLL CURSOR FOR SELECT t::text AS line FROM ONLY ${sql(table)} AS t`
          .unprepared,
      ),
    /** The next rows of the cursor; empty at its end. */
    fetchRows: (limit: number) =>
      Effect.orDie(sql<{ line: string }>`FETCH ${sql.literal(String(limit))} FROM rows_of_table`.unprepared),
    closeCursor: Effect.orDie(sql`CLOSE rows_of_table`.unprepared),

    /** Turns off triggers and foreign key checks in this transaction. */
    disableTriggers: Effect.orDie(sql`SET LOCAL session_replication_role = replica`.unprepared),

    enableTriggers: Effect.orDie(sql`SET LOCAL session_replication_role = origin`.unprepared),

    /** Obstacles to a restore: a table that is there, or no right to turn off triggers. */
    obstacles: Effect.orDie(
      sql<{ readonly table: string | null; readonly isForbidden: boolean; readonly account: string }>`
        SELECT (
            SELECT min(c.relname) FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
              AND ${sql.literal(isOwn)}
          )::text AS table,
          NOT has_parameter_privilege('session_replication_role', 'SET') AS "isForbidden",
          current_user::text AS account`,
    ),

    truncate: (tables: ReadonlyArray<string>) =>
      Effect.orDie(sql`TRUNCATE ${sql.literal(quotedList(tables))}`.unprepared),

    insert: ({ columns, name }: TableShape, lines: ReadonlyArray<string>) =>
      Effect.orDie(
        sql`
          INSERT INTO ${sql(name)} (${sql.literal(quotedList(columns))}) OVERRIDING SYSTEM VALUE
          SELECT ${sql.literal(columns.map((column) => `(line).${quoted(column)}`).join(", "))}
          FROM (
            SELECT text::${sql(name)} AS line FROM unnest(${arrayOf("text", lines)}) AS text OFFSET 0
          ) AS lines`.unprepared,
      ),

    setSequence: ({ last, name }: SequenceState) =>
      last === null
        ? Effect.void
        : Effect.orDie(sql`SELECT setval(${quoted(name)}::regclass, ${sql.literal(String(last))}, true)`),

    analyze: Effect.orDie(sql`ANALYZE`.unprepared),

    transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.catchIf(
        sql.withTransaction(effect),
        (error): error is Extract<E | SqlError.SqlError, SqlError.SqlError> => SqlError.isSqlError(error),
        (error) => Effect.die(error),
      ) as Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>,
  };
});
