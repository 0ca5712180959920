/** Migrates the schema to this version of the program: numbered SQL files, each in its own transaction. */
import { Clock, Context, Data, Effect, Layer, Schedule } from "effect";
import { SqlClient, type SqlError } from "effect/sql";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { reasonOf } from "../DatabaseFailure.ts";
import { instant } from "../Rows.ts";
import { statementsOf } from "./SqlScript.ts";

/** A migration file, `NNNN_name.sql`. */
export interface MigrationFile {
  readonly name: string;
  readonly text: string;
}

/** The schema cannot be migrated. `message` says which file, why, and what to do. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{
  readonly message: string;
  readonly cause?: unknown;
}> {}

const refused = (message: string, cause?: unknown) => new MigrationRefused({ message, cause });

/** The migration files: from a folder of the source tree, or bundled in the executable. */
export class MigrationFiles extends Context.Service<
  MigrationFiles,
  { readonly load: Effect.Effect<ReadonlyArray<MigrationFile>, MigrationRefused> }
>()("waypost/database/MigrationFiles") {
  /** All `.sql` files of a folder. */
  static readonly layerFolder = (folder: string | URL): Layer.Layer<MigrationFiles> =>
    Layer.succeed(MigrationFiles, {
      load: Effect.tryPromise({
        try: async () => {
          const path = folder instanceof URL ? fileURLToPath(folder) : folder;
          const names = (await readdir(path)).filter((name) => name.endsWith(".sql"));
          return Promise.all(
            names.map(async (name) => ({ name, text: await readFile(join(path, name), "utf8") })),
          );
        },
        catch: (cause) => refused(`The migrations in ${String(folder)} cannot be read.`, cause),
      }),
    });

  /** These files. */
  static readonly layerFiles = (files: ReadonlyArray<MigrationFile>): Layer.Layer<MigrationFiles> =>
    Layer.succeed(MigrationFiles, { load: Effect.succeed(files) });
}

interface AppliedMigration {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
}

interface Migration extends AppliedMigration {
  readonly text: string;
}

/** The checksum that detects a changed migration. It ignores line ends, which a checkout may change. */
export const checksumOf = (text: string): string =>
  createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");

/** The migrations in order. Fails unless they are numbered 1, 2, 3 … without a gap or a duplicate. */
const inOrder = Effect.fnUntraced(function* (files: ReadonlyArray<MigrationFile>) {
  const migrations: Array<Migration> = [];
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const [index, { name, text }] of sorted.entries()) {
    const id = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    const number = String(index + 1).padStart(4, "0");
    if (id !== index + 1)
      return yield* refused(
        `Migration ${name} must be called ${number}_name.sql: numbers follow each other.`,
      );
    migrations.push({ id, name, checksum: checksumOf(text), text });
  }
  return migrations;
});

/** Why an applied migration does not fit the program's migration with its number; null if it does. */
const mismatch = (applied: AppliedMigration, migration: Migration | undefined): string | null => {
  const { name } = applied;
  if (migration === undefined)
    return (
      `The database is newer than this program: it has migration ${name}. ` +
      "Start the version of Waypost that made it, or a later one."
    );
  if (applied.id !== migration.id || name !== migration.name)
    return `The database has migration ${name} where this program has ${migration.name}.`;
  if (applied.checksum !== migration.checksum)
    return (
      `Migration ${name} was changed after it was applied to this database. ` +
      "Put it back as it was, and make the change in a new file."
    );
  return null;
};

/** The applied migrations. Fails unless they are the first of the program's migrations, unchanged. */
const appliedOf = Effect.fnUntraced(function* (migrations: ReadonlyArray<Migration>) {
  const sql = yield* SqlClient.SqlClient;
  const applied = yield* sql<AppliedMigration>`SELECT id, name, checksum FROM schema_migration ORDER BY id`;
  for (const [index, row] of applied.entries()) {
    const problem = mismatch(row, migrations[index]);
    if (problem !== null) return yield* refused(problem);
  }
  return applied;
});

/** The names of migrations that are not applied yet. Changes nothing. Fails where `migrate` would. */
export const missingMigrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const migrations = yield* Effect.flatMap((yield* MigrationFiles).load, inOrder);
  const tables = yield* sql`SELECT WHERE to_regclass('schema_migration') IS NOT NULL`;
  const applied = tables.length === 0 ? [] : yield* appliedOf(migrations);
  return migrations.slice(applied.length).map(({ name }) => name);
}).pipe(Effect.catchTag("SqlError", (cause) => Effect.die(cause)));

/** The advisory lock of all migrations: the ASCII of "waypost". */
const lockKey = "33602696433857396";

/** How long a migration waits for a table: less than PostgreSQL takes to detect a deadlock. */
const lockTimeout = "500ms";
const retryPause = "1 second";
const maxRetries = 100;

/** Other sessions used a table of the migration for too long. It was rolled back. */
class TablesInUse extends Data.TaggedError("TablesInUse")<{ readonly name: string }> {}

const failed =
  ({ name }: Migration, statement: string) =>
  (cause: SqlError.SqlError) => {
    const { _tag } = cause.reason;
    if (_tag === "LockTimeoutError" || _tag === "DeadlockError") return new TablesInUse({ name });
    const shown = statement.length > 200 ? `${statement.slice(0, 200)}…` : statement;
    return refused(`Migration ${name} failed: ${reasonOf(cause)}\n${shown}`, cause);
  };

/**
 * Applies the next migration and returns its name; null if there is none. Concurrent processes wait for each
 * other.
 */
const applyNext = Effect.fnUntraced(function* (migrations: ReadonlyArray<Migration>) {
  const sql = yield* SqlClient.SqlClient;
  // A migration, and waiting for that of another process, may take long.
  yield* sql`SET LOCAL statement_timeout = 0`;
  yield* sql`SET LOCAL lock_timeout = 0`;
  yield* sql`SELECT pg_advisory_xact_lock(${sql.literal(lockKey)})`;
  yield* sql`
    CREATE TABLE IF NOT EXISTS schema_migration (
      id integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL
    )`;
  const applied = yield* appliedOf(migrations);
  const next = migrations[applied.length];
  if (next === undefined) return null;
  const now = yield* Clock.currentTimeMillis;
  // Processes of the previous version still run, and a statement that waits for a table blocks all later
  // ones.
  yield* sql`SET LOCAL lock_timeout = ${sql.literal(`'${lockTimeout}'`)}`;
  for (const statement of statementsOf(next.text)) {
    yield* Effect.mapError(sql.unsafe(statement).unprepared, failed(next, statement));
  }
  yield* sql`INSERT INTO schema_migration (id, name, checksum, applied_at)
    VALUES (${next.id}, ${next.name}, ${next.checksum}, ${instant(now)})`;
  return next.name;
});

/** As `applyNext`, with retries while other sessions use the tables. */
const applyNextWithRetries = (migrations: ReadonlyArray<Migration>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(applyNext(migrations))).pipe(
    Effect.tapErrorTag("TablesInUse", ({ name }) =>
      Effect.logInfo(`Migration ${name} waits until no other session uses its tables`),
    ),
    Effect.retry({
      while: (error) => error._tag === "TablesInUse",
      schedule: Schedule.spaced(retryPause),
      times: maxRetries,
    }),
    Effect.catchTag("TablesInUse", ({ name }) =>
      refused(
        `Migration ${name} cannot be applied: other sessions have used its tables for minutes. ` +
          "End long transactions, or stop the other processes, and start again.",
      ),
    ),
  );

/** Applies all missing migrations, or waits for another process that does. */
export const migrate: Effect.Effect<void, MigrationRefused, SqlClient.SqlClient | MigrationFiles> =
  Effect.gen(function* () {
    const migrations = yield* Effect.flatMap((yield* MigrationFiles).load, inOrder);
    const applied: Array<string> = [];
    const report = Effect.suspend(() => {
      const [first, last] = [applied[0], applied.at(-1)];
      if (first === undefined) return Effect.void;
      return Effect.logInfo(
        applied.length === 1
          ? `Applied migration ${first}`
          : `Applied ${applied.length} migrations: ${first} to ${last}`,
      );
    });
    yield* Effect.ensuring(
      Effect.gen(function* () {
        for (;;) {
          const name = yield* applyNextWithRetries(migrations);
          if (name === null) return;
          applied.push(name);
        }
      }),
      report,
    );
  }).pipe(
    Effect.catchTag("SqlError", (cause) =>
      refused(`The schema cannot be migrated: ${reasonOf(cause)}`, cause),
    ),
  );
