/** `waypost database distribute`: spreads the tables of devices over the nodes of a Citus cluster. */
import { Effect, Layer, References } from "effect";
import { Settings, type SettingsRecord } from "../../config/Settings.ts";
import { connectedProcesses } from "../ConnectedProcesses.ts";
import { missingMigrations } from "../migrations/Migrations.ts";
import { programMigrations } from "../migrations/ProgramMigrations.ts";
import { postgresLayer } from "../Postgres.ts";
import { distribute, distributionSteps, refused } from "./Distribution.ts";

/** The steps that are left, or with `isApplied` those that were taken. */
export const distributeDatabase = Effect.fn("distributeDatabase")(function* (
  record: SettingsRecord,
  isApplied: boolean,
) {
  const settings = yield* Settings.fromRecord(record);
  const url = settings.databaseUrl;
  if (url === undefined)
    return yield* refused(
      "The embedded database cannot be distributed. Set DATABASE_URL to the coordinator of a cluster.",
    );
  const run = Effect.gen(function* () {
    if ((yield* missingMigrations).length > 0)
      return yield* refused(
        "The schema is older than this program. Start waypost serve once to migrate it, and stop it.",
      );
    if (!isApplied) return yield* distributionSteps;
    const processes = yield* connectedProcesses;
    if (processes.length > 0)
      return yield* refused("Waypost processes are connected to the database. Stop them all before.");
    return yield* distribute;
  });
  const options = { retryMillis: 2_000, maxConnections: 4, applicationName: "waypost-distribute" };
  return yield* Layer.build(postgresLayer({ _tag: "url", url }, options)).pipe(
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.flatMap((client) => Effect.provide(run, client)),
    Effect.scoped,
    Effect.provide(programMigrations),
    Effect.catchTag(["PostgresUnusable", "MigrationRefused"], ({ message }) => Effect.fail(refused(message))),
  );
});
