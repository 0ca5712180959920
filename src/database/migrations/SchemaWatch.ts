/** Tells when another process, of a newer version, has brought the schema further than this one knows it. */
import { Effect, Metric, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { MigrationFiles } from "./Migrations.ts";

const behind = Metric.gauge("waypost_schema_behind", {
  description: "Migrations that the schema has and this process does not know: it is of an older version.",
});

interface Newer {
  readonly count: number;
  readonly name: string | null;
}

/**
 * What looks once. A process goes on on a newer schema: a migration leaves what the version before uses. But it could not start again, so it
 * says, once for each migration, that it should be replaced.
 */
export const schemaLook = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const known = (yield* (yield* MigrationFiles).load).length;
  let told = 0;
  return Effect.gen(function* () {
    const [newer = { count: 0, name: null }] = yield* sql<Newer>`
      SELECT count(*)::int AS count, max(name) AS name FROM schema_migration WHERE id > ${known}`;
    yield* Metric.update(behind, newer.count);
    if (newer.count <= told) return;
    told = newer.count;
    yield* Effect.logWarning(
      `A newer version of Waypost has brought the database to ${newer.name ?? ""}. This process goes on, but could not start again: ` +
        "replace it by the newer version.",
    );
  });
});

/** Looks twice a minute, for ever; while the database is away it does not. */
export const watchSchema = Effect.flatMap(schemaLook, (look) =>
  Effect.repeat(Effect.ignore(look), Schedule.spaced("30 seconds")),
);
