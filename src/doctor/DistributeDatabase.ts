/** `waypost database distribute`: spreads the tables of devices over the nodes of a Citus cluster. */
import { Effect } from "effect";
import { Settings, type SettingsRecord } from "../config/Settings.ts";
import { distribute, DistributionRefused, distributionSteps } from "../database/citus/Distribution.ts";
import { missingMigrations } from "../database/migrations/Migrations.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { connectedProcesses } from "./DatabaseHealthCheck.ts";
import { withDatabase } from "./DoctorDatabase.ts";

/** The steps that are left, or with `isApplied` those that were taken. */
export const distributeDatabase = Effect.fn("distributeDatabase")(function* (
  record: SettingsRecord,
  isApplied: boolean,
) {
  const settings = yield* Settings.fromRecord(record);
  if (settings.databaseUrl === undefined)
    return yield* new DistributionRefused({
      message:
        "The embedded database cannot be distributed. Set DATABASE_URL to the coordinator of a cluster.",
    });
  const run = Effect.gen(function* () {
    if ((yield* missingMigrations).length > 0)
      return yield* new DistributionRefused({
        message:
          "The schema is older than this program. Start waypost serve once to migrate it, and stop it.",
      });
    if (!isApplied) return yield* distributionSteps;
    const processes = yield* connectedProcesses;
    if (processes.length > 0)
      return yield* new DistributionRefused({
        message: "Waypost processes are connected to the database. Stop them all before.",
      });
    return yield* distribute;
  });
  return yield* withDatabase(run, settings).pipe(
    Effect.provide(programMigrations),
    Effect.catchTag("NoDatabase", ({ message }) => Effect.fail(new DistributionRefused({ message }))),
    Effect.catchTag("MigrationRefused", ({ message }) => Effect.fail(new DistributionRefused({ message }))),
  );
});
