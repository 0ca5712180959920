/** Every statement that copies a whole database out and in: tables by name, rows as PostgreSQL writes them as text. */
import { Effect } from "effect";
import { SqlClient, SqlError } from "effect/sql";
import { asNumber, arrayOf } from "../database/Rows.ts";

/** A table and its columns but those that are computed, in their order. */
export interface TableShape {
  readonly name: string;
  readonly columns: ReadonlyArray<string>;
}

/** A sequence and where it stands; null before its first use. */
export interface SequenceState {
  readonly name: string;
  readonly last: number | null;
}

/** Bytes in the media store that the database knows. */
export interface KnownMedia {
  readonly key: string;
  readonly has_thumbnail: boolean;
}

/** Statements of a backup and of a restore; a failure is a defect. */
export const backupSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  return {
    /** To be the first of its transaction: all that follows sees one moment, however long it takes. */
    oneMoment: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared),

    /** Nothing in this transaction is cut short for taking long. */
    patient: Effect.orDie(
      Effect.andThen(
        sql`SET LOCAL statement_timeout = 0`.unprepared,
        sql`SET LOCAL idle_in_transaction_session_timeout = 0`.unprepared,
      ),
    ),

    tables: Effect.orDie(sql<TableShape>`
      SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      GROUP BY c.relname ORDER BY c.relname`),

    /** About how many rows all tables have, as it was when they were last analyzed. */
    aboutRows: Effect.orDie(sql<{ rows: number }>`
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

    media: Effect.orDie(sql<KnownMedia>`SELECT key, thumbnail = 'ready' AS has_thumbnail FROM media_file`),

    /** Opens a table for reading, in this transaction. */
    open: (table: string) =>
      Effect.orDie(
        sql`DECLARE rows_of_table NO SCROLL CURSOR FOR SELECT t::text AS line FROM ONLY ${sql(table)} AS t`
          .unprepared,
      ),
    /** The next rows of the table that is open, at most `most`. */
    next: (most: number) =>
      Effect.orDie(sql<{ line: string }>`FETCH ${sql.literal(String(most))} FROM rows_of_table`.unprepared),
    close: Effect.orDie(sql`CLOSE rows_of_table`.unprepared),

    /** Rows come in as they went out: no trigger and no reference is followed. The embedded database's user may do so. */
    asTheyAre: Effect.orDie(sql`SET LOCAL session_replication_role = replica`.unprepared),

    empty: (tables: ReadonlyArray<string>) =>
      Effect.orDie(sql`TRUNCATE ${sql.literal(tables.map(quoted).join(", "))}`.unprepared),

    insert: ({ columns, name }: TableShape, lines: ReadonlyArray<string>) =>
      Effect.orDie(
        sql`
          INSERT INTO ${sql(name)} (${sql.literal(columns.map(quoted).join(", "))}) OVERRIDING SYSTEM VALUE
          SELECT ${sql.literal(columns.map((column) => `(line).${quoted(column)}`).join(", "))}
          FROM (SELECT text::${sql(name)} AS line FROM unnest(${arrayOf("text", lines)}) AS text OFFSET 0) AS lines`
          .unprepared,
      ),

    standAt: ({ last, name }: SequenceState) =>
      last === null
        ? Effect.void
        : Effect.orDie(sql`SELECT setval(${quoted(name)}::regclass, ${sql.literal(String(last))}, true)`),

    analyze: Effect.orDie(sql`ANALYZE`.unprepared),
    /** Runs the effect in one transaction. */
    transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.catchIf(
        sql.withTransaction(effect),
        (error): error is Extract<E | SqlError.SqlError, SqlError.SqlError> => SqlError.isSqlError(error),
        (error) => Effect.die(error),
      ) as Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>,
  };
});

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
