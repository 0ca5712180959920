/** `waypost doctor`: checks an installation from its settings to its background work, and changes nothing. */
import { Data, Effect, Exit, Redacted, References } from "effect";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isSea } from "node:sea";
import { Settings, type SettingsRecord, type SettingsService } from "../config/Settings.ts";
import { connectedProcesses } from "../database/ConnectedProcesses.ts";
import { Database } from "../database/Database.ts";
import { databaseClock } from "../database/DatabaseClock.ts";
import { runtimeFolder } from "../database/embedded/BundledRuntime.ts";
import { missingMigrations } from "../database/migrations/Migrations.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { bundledMediaWorker, MediaWorkerProgram } from "../media/worker/MediaWorkerProcess.ts";
import { RollupStatus } from "../reports/rollups/RollupStatus.ts";
import { addressHealthCheck } from "./AddressHealthCheck.ts";
import { databaseClockHealthCheck, zonesHealthCheck } from "./ClockHealthCheck.ts";
import { databaseHealthCheck } from "./DatabaseHealthCheck.ts";
import { dataDirectoryHealthCheck } from "./DataDirectoryHealthCheck.ts";
import { isDirectoryHeld, statOrNull, withDatabase } from "./DoctorDatabase.ts";
import { areas, type Finding, ok, problem, runCheck } from "./HealthCheck.ts";
import { mediaHealthCheck, sharedMediaHealthCheck } from "./MediaHealthCheck.ts";
import { pushHealthCheck } from "./PushHealthCheck.ts";
import { serverHealthCheck } from "./ServerHealthCheck.ts";
import { settingsHealthCheck } from "./SettingsHealthCheck.ts";
import { workHealthCheck } from "./WorkHealthCheck.ts";

/** The rollups could not be read. `message` says why. */
export class RollupsUnreadable extends Data.TaggedError("RollupsUnreadable")<{ readonly message: string }> {}

/** The secret key: that of the settings, or the one in the data directory; null if there is none. */
const findSecretKey = ({ dataDir, secretKey }: SettingsService) =>
  secretKey === undefined
    ? Effect.promise(() =>
        readFile(join(dataDir, "secret.key"), "utf8").then(
          (text) => Redacted.make(text.trim()),
          () => null,
        ),
      )
    : Effect.succeed(secretKey);

/** Enough time to start an embedded database after a crash. */
const databaseTimeout = "3 minutes";

const notChecked = "Schema, push credentials and work were not checked.";

/** The checks that need a database connection. */
const connectedFindings = Effect.fnUntraced(function* (settings: SettingsService, isHeld: boolean) {
  const secretKey = yield* findSecretKey(settings);
  const processes = yield* connectedProcesses;
  // The tables of missing migrations cannot be queried. The finding on the schema reports them.
  const isOutdated = yield* Effect.map(Effect.exit(missingMigrations), (missing) =>
    Exit.isSuccess(missing) ? missing.value.length > 0 : false,
  );
  const key = isOutdated ? null : secretKey;
  // If no process runs the embedded database, the finding on the server already says that no work is done.
  const hasWorkers = isHeld || settings.databaseUrl !== undefined;
  const findings = yield* Effect.all([
    databaseHealthCheck({
      settings,
      secretKey: key,
      connections: processes.map(({ connections: max }) => max),
    }),
    databaseClockHealthCheck,
    sharedMediaHealthCheck(settings, processes),
    pushHealthCheck(key),
    !isOutdated && hasWorkers ? workHealthCheck(settings) : Effect.succeed([]),
  ]);
  return findings.flat();
});

const databaseFindings = Effect.fnUntraced(function* (settings: SettingsService, isHeld: boolean) {
  let connected: ReadonlyArray<Finding> = [];
  const isEmbedded = settings.databaseUrl === undefined;
  const advice = isEmbedded
    ? "Run the doctor as the account that runs Waypost, and read the end of postgres.log in the data " +
      `directory. ${notChecked}`
    : `Make sure that it runs, and that DATABASE_URL is right. ${notChecked}`;
  const reached = yield* runCheck(
    "database",
    "reached",
    withDatabase(
      Effect.tap(connectedFindings(settings, isHeld), (findings) =>
        Effect.sync(() => (connected = findings)),
      ),
      settings,
    ).pipe(
      Effect.as(ok(isHeld ? "The database of the running Waypost responds." : "The database responds.")),
      Effect.catchTag("NoDatabase", ({ isMissing, message }) =>
        Effect.succeed(
          isMissing
            ? ok(`${message} The first start creates it.`)
            : problem(message.split("\n")[0] ?? "", advice),
        ),
      ),
    ),
    databaseTimeout,
  );
  return [...reached, ...connected];
});

/**
 * The rollups of all environments. With `rebuild`, it also invalidates them, so that workers rebuild them.
 */
export const reportRollups = Effect.fn("reportRollups")(function* (record: SettingsRecord, rebuild: boolean) {
  const settings = yield* Settings.fromRecord(record);
  const read = Effect.gen(function* () {
    const missing = yield* missingMigrations;
    if (missing.length > 0) {
      return yield* new RollupsUnreadable({
        message:
          "The schema of the database is older than this program. Start waypost serve once to migrate it.",
      });
    }
    const rollups = yield* RollupStatus;
    const rebuilding = rebuild ? yield* rollups.rebuildAll : 0;
    return { environments: yield* rollups.environments, rebuilding };
  }).pipe(Effect.provide(RollupStatus.layer), Effect.provide(Database.layerClient));
  return yield* withDatabase(read, settings).pipe(
    Effect.provide(programMigrations),
    Effect.catchTag("NoDatabase", ({ message }) => Effect.fail(new RollupsUnreadable({ message }))),
  );
});

/** Runs the checks of all areas. `database` gives the findings about the database. Sorted by area. */
const allFindings = Effect.fnUntraced(function* <R>(
  settings: SettingsService,
  settingsFindings: ReadonlyArray<Finding>,
  isHeld: boolean,
  database: Effect.Effect<ReadonlyArray<Finding>, never, R>,
) {
  const { dataDir } = settings;
  const hasDataDirectory = (yield* statOrNull(dataDir))?.isDirectory() === true;
  // The media worker of the executable is in the data directory once it was unpacked.
  const mediaWorker = isSea() ? bundledMediaWorker(runtimeFolder(dataDir)) : null;
  const hasMediaWorker = mediaWorker === null || existsSync(runtimeFolder(dataDir));
  const media = mediaHealthCheck(settings, { hasDataDirectory, hasMediaWorker });
  const all = yield* Effect.all(
    [
      Effect.succeed(settingsFindings),
      dataDirectoryHealthCheck(settings),
      database,
      zonesHealthCheck,
      mediaWorker === null ? media : Effect.provideService(media, MediaWorkerProgram, mediaWorker),
      serverHealthCheck(settings, isHeld),
      addressHealthCheck(settings),
    ],
    { concurrency: "unbounded" },
  ).pipe(
    Effect.provide(programMigrations),
    Effect.provideService(Settings, settings),
    Effect.provideService(References.MinimumLogLevel, "None"),
  );
  return all.flat().toSorted((a, b) => areas.indexOf(a.area) - areas.indexOf(b.area));
});

/** Runs all health checks. Returns the findings by area. `file` is the settings file, if any. */
export const doctor = Effect.fn("doctor")(function* (environment: SettingsRecord, file: string | null) {
  const { findings, settings } = yield* settingsHealthCheck(environment, file);
  const isHeld = yield* isDirectoryHeld(settings);
  return yield* allFindings(settings, findings, isHeld, databaseFindings(settings, isHeld));
});

/** The database of this process, by its own connections. */
const ownDatabaseFindings = Effect.fnUntraced(function* (settings: SettingsService) {
  const reached = yield* runCheck(
    "database",
    "reached",
    Effect.map(databaseClock, () => ok("The database responds.")),
  );
  if (reached.some(({ verdict }) => verdict === "problem")) return reached;
  return [...reached, ...(yield* connectedFindings(settings, true))];
});

/** Runs all health checks within a server, on its settings, data directory and database. */
export const serverDoctor = Effect.fn("serverDoctor")(function* (record: SettingsRecord) {
  const settings = yield* Settings;
  const { findings } = yield* settingsHealthCheck(record, null);
  return yield* allFindings(settings, findings, true, ownDatabaseFindings(settings));
});
