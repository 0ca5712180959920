/** Brings the schema to this version of the program: numbered SQL files, forward only, each in its own transaction. */
import { Clock, Context, Data, Effect, Layer, Schedule } from "effect";
import { SqlClient, type SqlError } from "effect/sql";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { instant } from "../Rows.ts";
import { statementsOf } from "./SqlScript.ts";

/** One file, `NNNN_name.sql`. */
export interface MigrationFile {
  readonly name: string;
  readonly text: string;
}

/** The schema cannot be brought up to date; `message` says which file, why, and what to do. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{
  readonly message: string;
  readonly cause?: unknown;
}> {}

/** Where the files come from: a folder in the source tree, or what the executable carries. */
export class MigrationFiles extends Context.Service<
  MigrationFiles,
  { readonly load: Effect.Effect<ReadonlyArray<MigrationFile>, MigrationRefused> }
>()("waypost/database/MigrationFiles") {
  /** Every `.sql` file of the folder. */
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
        catch: (cause) =>
          new MigrationRefused({ message: `The migrations in ${String(folder)} cannot be read.`, cause }),
      }),
    });

  /** These files. */
  static readonly layerFiles = (files: ReadonlyArray<MigrationFile>): Layer.Layer<MigrationFiles> =>
    Layer.succeed(MigrationFiles, { load: Effect.succeed(files) });
}

interface Migration {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
  readonly text: string;
}

interface AppliedRow {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
}

/** What tells a migration from one that was changed. Line ends do not count: a checkout may change them. */
export const checksumOf = (text: string): string =>
  createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");

/** In order, numbered 1, 2, 3 … without a gap or a double. */
const inOrder = Effect.fnUntraced(function* (files: ReadonlyArray<MigrationFile>) {
  const migrations: Array<Migration> = [];
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const [index, { name, text }] of sorted.entries()) {
    const id = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (id !== index + 1) {
      return yield* new MigrationRefused({
        message: `Migration ${name} must be called ${String(index + 1).padStart(4, "0")}_name.sql: numbers follow each other.`,
      });
    }
    migrations.push({ id, name, checksum: checksumOf(text), text });
  }
  return migrations;
});

/** What the database has must be what the first files say. */
const compare = Effect.fnUntraced(function* (
  migrations: ReadonlyArray<Migration>,
  applied: ReadonlyArray<AppliedRow>,
) {
  for (const [index, row] of applied.entries()) {
    const migration = migrations[index];
    if (migration === undefined) {
      return yield* new MigrationRefused({
        message:
          `The database is newer than this program: it has migration ${row.name}. ` +
          `Start the version of Waypost that made it, or a later one.`,
      });
    }
    if (row.id !== migration.id || row.name !== migration.name) {
      return yield* new MigrationRefused({
        message: `The database has migration ${row.name} where this program has ${migration.name}.`,
      });
    }
    if (row.checksum !== migration.checksum) {
      return yield* new MigrationRefused({
        message:
          `Migration ${row.name} was changed after it was applied to this database. ` +
          `Put it back as it was, and make the change in a new file.`,
      });
    }
  }
});

/** Files that the schema is still missing, as a look that changes nothing; refused like a start would be. */
export const missingMigrations: Effect.Effect<
  ReadonlyArray<string>,
  MigrationRefused,
  SqlClient.SqlClient | MigrationFiles
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const migrations = yield* Effect.flatMap((yield* MigrationFiles).load, inOrder);
  const [there] = yield* sql<{
    readonly is: boolean;
  }>`SELECT to_regclass('schema_migration') IS NOT NULL AS is`;
  const applied =
    there?.is === true
      ? yield* sql<AppliedRow>`SELECT id, name, checksum FROM schema_migration ORDER BY id`
      : [];
  yield* compare(migrations, applied);
  return migrations.slice(applied.length).map(({ name }) => name);
}).pipe(Effect.catchTag("SqlError", (cause) => Effect.die(cause)));

/** Any number that is the same in every process: the ASCII of "waypost". */
const lockKey = "33602696433857396";

/** How long a migration asks for a table before it stands aside for a while: less than PostgreSQL takes to see a deadlock. */
const lockTimeout = "500ms";
const pauseBetween = "1 second";
const mostTries = 100;

/** Others have used a table all the time that the migration asked for it; nothing of it was applied. */
class TablesInUse extends Data.TaggedError("TablesInUse")<{ readonly name: string }> {}

const failed = (migration: Migration, statement: string) => (cause: SqlError.SqlError) => {
  const { _tag } = cause.reason;
  if (_tag === "LockTimeoutError" || _tag === "DeadlockError")
    return new TablesInUse({ name: migration.name });
  const why = cause.reason.cause instanceof Error ? cause.reason.cause.message : cause.message;
  const shown = statement.length > 200 ? `${statement.slice(0, 200)}…` : statement;
  return new MigrationRefused({ message: `Migration ${migration.name} failed: ${why}\n${shown}`, cause });
};

/** Applies the first migration that is still missing; false when none is. Those who come at the same time wait. */
const applyNext = Effect.fnUntraced(function* (migrations: ReadonlyArray<Migration>) {
  const sql = yield* SqlClient.SqlClient;
  // Waiting for another process's long migration, and a long migration, are fine.
  yield* sql`SET LOCAL statement_timeout = 0`;
  yield* sql`SELECT pg_advisory_xact_lock(${sql.literal(lockKey)})`;
  yield* sql`
    CREATE TABLE IF NOT EXISTS schema_migration (
      id integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL
    )`;
  const applied = yield* sql<AppliedRow>`SELECT id, name, checksum FROM schema_migration ORDER BY id`;
  yield* compare(migrations, applied);
  const next = migrations[applied.length];
  if (next === undefined) return false;
  const now = yield* Clock.currentTimeMillis;
  // Processes of the version before are at work. Whoever waits for a table keeps everybody after it waiting too: not for long.
  yield* sql`SET LOCAL lock_timeout = ${sql.literal(`'${lockTimeout}'`)}`;
  for (const statement of statementsOf(next.text)) {
    yield* Effect.mapError(sql.unsafe(statement).unprepared, failed(next, statement));
  }
  yield* sql`INSERT INTO schema_migration (id, name, checksum, applied_at)
    VALUES (${next.id}, ${next.name}, ${next.checksum}, ${instant(now)})`;
  yield* Effect.logInfo(`Applied migration ${next.name}`);
  return true;
});

const applyNextPatiently = (migrations: ReadonlyArray<Migration>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(applyNext(migrations))).pipe(
    Effect.tapErrorTag("TablesInUse", ({ name }) =>
      Effect.logInfo(`Migration ${name} waits until its tables are free for a moment`),
    ),
    Effect.retry({
      while: (error) => error._tag === "TablesInUse",
      schedule: Schedule.spaced(pauseBetween),
      times: mostTries,
    }),
    Effect.catchTag("TablesInUse", ({ name }) =>
      Effect.fail(
        new MigrationRefused({
          message:
            `Migration ${name} cannot be applied: other sessions have used its tables for minutes without a pause. ` +
            "End long transactions, or stop the other processes, and start again.",
        }),
      ),
    ),
  );

/** Applies what is missing and returns when the schema is that of the program, whoever brought it there. */
export const migrate: Effect.Effect<void, MigrationRefused, SqlClient.SqlClient | MigrationFiles> =
  Effect.gen(function* () {
    const migrations = yield* Effect.flatMap((yield* MigrationFiles).load, inOrder);
    while (yield* applyNextPatiently(migrations));
  }).pipe(
    Effect.catchTag("SqlError", (cause) => {
      const why = cause.reason.cause instanceof Error ? cause.reason.cause.message : cause.message;
      return new MigrationRefused({ message: `The schema cannot be brought up to date: ${why}`, cause });
    }),
  );
