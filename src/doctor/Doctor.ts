/** `waypost doctor`: looks at an installation from the settings to the work that waits, and changes nothing. */
import { Data, Effect, Exit, Redacted, References } from "effect";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { isSea } from "node:sea";
import { join } from "node:path";
import { Settings, type SettingsRecord } from "../config/Settings.ts";
import { bundledFolder, runtimeFolder } from "../database/embedded/BundledRuntime.ts";
import { Database } from "../database/Database.ts";
import { MigrationFiles, missingMigrations } from "../database/migrations/Migrations.ts";
import { isDirectoryHeld, overDatabase } from "./DatabaseAtHand.ts";
import { bundledMediaWorker, MediaWorkerProgram } from "../media/worker/MediaWorkerProgram.ts";
import { addressHealthCheck } from "./AddressHealthCheck.ts";
import { areas, runCheck, type Finding, fine, problem } from "./HealthCheck.ts";
import { databaseClockHealthCheck, zonesHealthCheck } from "./ClockHealthCheck.ts";
import { connectedProcesses, databaseHealthCheck } from "./DatabaseHealthCheck.ts";
import { folderHealthCheck } from "./FolderHealthCheck.ts";
import { mediaHealthCheck } from "./MediaHealthCheck.ts";
import { pushHealthCheck } from "./PushHealthCheck.ts";
import { serverHealthCheck } from "./ServerHealthCheck.ts";
import { settingsHealthCheck } from "./SettingsHealthCheck.ts";
import { sharedStateHealthCheck } from "./SharedStateHealthCheck.ts";
import { workerHealthCheck } from "./WorkerHealthCheck.ts";
import { RollupStatus } from "../reports/rollups/RollupStatus.ts";

/** The rollups could not be read; `message` says why. */
export class RollupsUnreadable extends Data.TaggedError("RollupsUnreadable")<{ readonly message: string }> {}

const migrations = isSea()
  ? MigrationFiles.layerFiles(bundledFolder("schema"))
  : MigrationFiles.layerFolder(new URL("../../schema", import.meta.url));

const keptSecret = ({ dataDir, secretKey }: Settings["Service"]) =>
  secretKey === undefined
    ? Effect.promise(() =>
        readFile(join(dataDir, "secret.key"), "utf8").then(
          (text) => Redacted.make(text.trim()),
          () => null,
        ),
      )
    : Effect.succeed(secretKey);

/** The executable's picture reader lies in the data directory once it was unpacked. */
const pictureReader = ({ dataDir }: Settings["Service"]) =>
  isSea() ? bundledMediaWorker(runtimeFolder(dataDir)) : null;

/** A whole start of an embedded database after a crash fits in. */
const databasePatience = "3 minutes";

const databaseFindings = Effect.fnUntraced(function* (config: Settings["Service"], isHeld: boolean) {
  const secretKey = yield* keptSecret(config);
  const looks = Effect.gen(function* () {
    const processes = yield* connectedProcesses;
    // Tables that are not there yet cannot be asked; the line on the schema says so.
    const isOlder = yield* Effect.map(Effect.exit(missingMigrations), (missing) =>
      Exit.isSuccess(missing) ? missing.value.length > 0 : false,
    );
    const key = isOlder ? null : secretKey;
    const parts = yield* Effect.all([
      databaseHealthCheck({ config, secretKey: key, processes: processes.length }),
      databaseClockHealthCheck,
      sharedStateHealthCheck(config, processes),
      pushHealthCheck(key),
      // Where nobody runs the embedded database, the server's own line says that nothing works.
      !isOlder && (isHeld || config.databaseUrl !== undefined) ? workerHealthCheck : Effect.succeed([]),
    ]);
    return parts.flat();
  });
  let inside: ReadonlyArray<Finding> = [];
  const reached = yield* runCheck(
    "database",
    "reached",
    overDatabase(
      Effect.tap(looks, (found) => Effect.sync(() => (inside = found))),
      config,
    ).pipe(
      Effect.as(
        fine(isHeld ? "The database of the Waypost that runs here answers." : "The database answers."),
      ),
      Effect.catchTag("NoDatabase", ({ isMissing, message }) =>
        Effect.succeed(
          isMissing
            ? fine(`${message} The first start makes it.`)
            : problem(
                message.split("\n")[0] ?? "",
                config.databaseUrl === undefined
                  ? "Run the doctor under the account that runs Waypost; the end of postgres.log in the data directory tells more. " +
                      "Schema, push credentials and work were not looked at."
                  : "See that it runs, and that DATABASE_URL is right. Schema, push credentials and work were not looked at.",
              ),
        ),
      ),
    ),
    databasePatience,
  );
  return [...reached, ...inside];
});

/** The rollups of all environments; with `rebuild`, also invalidates them, so that workers rebuild them. */
export const reportRollups = Effect.fn("reportRollups")(function* (record: SettingsRecord, rebuild: boolean) {
  const config = yield* Settings.fromRecord(record);
  const read = Effect.gen(function* () {
    const missing = yield* missingMigrations;
    if (missing.length > 0) {
      return yield* new RollupsUnreadable({
        message: "The database is of an older version: start waypost serve once, which brings it up to date.",
      });
    }
    const rollups = yield* RollupStatus;
    const rebuilding = rebuild ? yield* rollups.rebuildAll : 0;
    return { environments: yield* rollups.environments, rebuilding };
  }).pipe(Effect.provide(RollupStatus.layer), Effect.provide(Database.layerClient));
  return yield* overDatabase(read, config).pipe(
    Effect.provide(migrations),
    Effect.catchTag("NoDatabase", ({ message }) => Effect.fail(new RollupsUnreadable({ message }))),
  );
});

/** Everything that was found, in the order of the parts of an installation. */
export const doctor = Effect.fn("doctor")(function* (environment: SettingsRecord, file: string | null) {
  const { config, findings } = yield* settingsHealthCheck(environment, file);
  const isHeld = yield* isDirectoryHeld(config);
  const isThere = yield* Effect.promise(() =>
    stat(config.dataDir).then(
      (found) => found.isDirectory(),
      () => false,
    ),
  );
  const reader = pictureReader(config);
  const media = mediaHealthCheck(config, {
    isThere,
    canRead: reader === null || existsSync(runtimeFolder(config.dataDir)),
  });
  const parts = yield* Effect.all(
    [
      Effect.succeed(findings),
      folderHealthCheck(config),
      databaseFindings(config, isHeld),
      zonesHealthCheck,
      reader === null ? media : Effect.provideService(media, MediaWorkerProgram, reader),
      serverHealthCheck(config, isHeld),
      addressHealthCheck(config),
    ],
    { concurrency: "unbounded" },
  ).pipe(
    Effect.provide(migrations),
    Effect.provideService(Settings, config),
    Effect.provideService(References.MinimumLogLevel, "None"),
  );
  return parts.flat().toSorted((one, other) => areas.indexOf(one.area) - areas.indexOf(other.area));
});
