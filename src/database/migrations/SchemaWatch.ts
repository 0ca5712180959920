/** Detects that a process of a newer version has migrated the schema. */
import { Effect, Metric, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { MigrationFiles } from "./Migrations.ts";

const behind = Metric.gauge("waypost_schema_behind", {
  description: "Migrations of the schema that this process does not know, because it has an older version.",
});

/**
 * Builds the check for newer migrations. A process keeps working on a newer schema, because migrations keep
 * what the previous version uses. But it could not start again, so it logs once per migration that it should
 * be replaced.
 */
export const makeSchemaCheck = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const known = (yield* (yield* MigrationFiles).load).length;
  let reported = 0;
  return Effect.gen(function* () {
    const [newer = { count: 0, name: "" }] = yield* sql<{ readonly count: number; readonly name: string }>`
      SELECT count(*)::int AS count, coalesce(max(name), '') AS name
      FROM schema_migration WHERE id > ${known}`;
    yield* Metric.update(behind, newer.count);
    if (newer.count <= reported) return;
    reported = newer.count;
    yield* Effect.logWarning(
      `A newer version of Waypost has migrated the database to ${newer.name}. ` +
        "This process keeps running, but could not start again: replace it by the newer version.",
    );
  });
});

/** Checks twice a minute, and skips the check while the database is unavailable. */
export const watchSchema = Effect.flatMap(makeSchemaCheck, (check) =>
  Effect.repeat(Effect.ignore(check), Schedule.spaced("30 seconds")),
);
