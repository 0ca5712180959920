import { Effect } from "effect";
import { readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { goodKey, isStrongKey } from "../config/KeyStrength.ts";
import type { SettingsService } from "../config/Settings.ts";
import { settingsTable } from "../config/SettingsTable.ts";
import { statOrNull } from "./DoctorDatabase.ts";
import { formatSize, ok, type Outcome, outcomesOr, problem, runCheck, warning } from "./HealthCheck.ts";

const isOpenToOthers = (mode: number): boolean => (mode & 0o077) !== 0;

const formatMode = (mode: number): string => `0${(mode & 0o777).toString(8)}`;

const directory = Effect.fnUntraced(function* ({ dataDir, databaseUrl }: SettingsService) {
  const stats = yield* statOrNull(dataDir);
  if (stats === null) {
    return warning(
      `There is no data directory ${dataDir}.`,
      "waypost serve creates it. If there should be one, set WAYPOST_DATA_DIR to it, or pass --config.",
    );
  }
  if (!stats.isDirectory())
    return problem(`${dataDir} is not a directory.`, "Set WAYPOST_DATA_DIR to a directory of Waypost's own.");
  const hasUnusedDatabase =
    databaseUrl !== undefined && (yield* statOrNull(join(dataDir, "postgres"))) !== null;
  return outcomesOr(`${dataDir} exists, and other accounts cannot read it.`, [
    isOpenToOthers(stats.mode) &&
      warning(
        `The data directory ${dataDir} has mode ${formatMode(stats.mode)}: other accounts can read it.`,
        `chmod 700 ${dataDir} (the next start does this too).`,
      ),
    hasUnusedDatabase &&
      warning(
        `DATABASE_URL is set, but ${dataDir} holds an embedded database, which is not used.`,
        "To use it, remove DATABASE_URL. Otherwise back it up and remove the folder postgres.",
      ),
  ]);
});

/** Checks a key. It is either set as a setting, or kept in a file that only its owner can read. */
const keyFile = Effect.fnUntraced(function* (
  { dataDir, databaseUrl }: SettingsService,
  name: string,
  setting: string,
  isSet: boolean,
) {
  const path = join(dataDir, name);
  const stats = yield* statOrNull(path);
  if (stats === null) {
    if (isSet) return ok(`${setting} is set.`);
    const isNew = databaseUrl === undefined && (yield* statOrNull(join(dataDir, "postgres"))) === null;
    if (isNew) return ok(`The first start will generate ${name}.`);
    return problem(
      `${path} is missing, and ${setting} is not set.`,
      `Restore the key from a backup, or set ${setting}. Otherwise the next start generates another key` +
        (name === "secret.key" ? ", which the database does not accept." : "."),
    );
  }
  if (isOpenToOthers(stats.mode)) {
    const { mode } = yield* Effect.promise(() => stat(dataDir));
    const reach = isOpenToOthers(mode)
      ? "other accounts can read the key."
      : `only the mode of ${dataDir} keeps other accounts from the key.`;
    return problem(`${path} has mode ${formatMode(stats.mode)}: ${reach}`, `chmod 600 ${path}`);
  }
  const text = yield* Effect.promise(() => readFile(path, "utf8").catch(() => null));
  if (text === null)
    return problem(`This account cannot read ${path}.`, "Run the doctor as the account that runs Waypost.");
  return isStrongKey(text.trim())
    ? ok(`${name} exists, and other accounts cannot read it.`)
    : problem(`${path} holds no key of ${goodKey}.`, "Restore the right key from a backup.");
});

const gigabyte = 1e9;

/** Free bytes, free share of the disk, and free files below which an outcome is a warning or a problem. */
const limits = {
  bytes: { warning: 2 * gigabyte, problem: 0.3 * gigabyte },
  share: { warning: 0.2 },
  files: { warning: 50_000, problem: 2_000 },
};

/** The outcomes for the free space of a disk, and for the number of files that can still be created. */
export const diskOutcomes = (
  path: string,
  disk: {
    readonly bsize: number;
    readonly blocks: number;
    readonly bavail: number;
    readonly files: number;
    readonly ffree: number;
  },
): ReadonlyArray<Outcome> => {
  const free = disk.bavail * disk.bsize;
  const total = disk.blocks * disk.bsize;
  const percent = total === 0 ? 0 : Math.round((100 * free) / total);
  const grade = (isProblem: boolean, isWarning: boolean, observation: string, advice: string): Outcome => {
    if (isProblem) return problem(`Only ${observation}`, advice);
    return isWarning ? warning(`Only ${observation}`, advice) : ok(observation);
  };
  const space = grade(
    free < limits.bytes.problem,
    free < limits.bytes.warning && free < total * limits.share.warning,
    `${formatSize(free)} of ${formatSize(total)} (${percent} %) are free on the disk of ${path}.`,
    "Free space, or move the data directory to a larger disk: a full disk stops every change.",
  );
  const files = grade(
    disk.ffree < limits.files.problem,
    disk.ffree < limits.files.warning,
    `${disk.ffree.toLocaleString("en-US")} more files can be created there.`,
    "Remove files, or move the data directory: each media file needs one.",
  );
  // Some file systems have no fixed number of files and report 0.
  return disk.files === 0 ? [space] : [space, files];
};

/** Checks that the data directory exists, is closed to other accounts, has its keys, and has free space. */
export const dataDirectoryHealthCheck = (settings: SettingsService) => {
  const { dataDir, operatorKey, secretKey } = settings;
  const checkKey = (name: string, setting: string, isSet: boolean) => keyFile(settings, name, setting, isSet);
  const disk = Effect.gen(function* () {
    if ((yield* statOrNull(dataDir)) === null) return [];
    return diskOutcomes(dataDir, yield* Effect.promise(() => statfs(dataDir)));
  });
  return Effect.all(
    [
      runCheck("data directory", "directory", directory(settings)),
      runCheck(
        "data directory",
        "operator key",
        checkKey("operator.key", settingsTable.operatorKey.name, operatorKey !== undefined),
      ),
      runCheck(
        "data directory",
        "secret key",
        checkKey("secret.key", settingsTable.secretKey.name, secretKey !== undefined),
      ),
      runCheck("data directory", "disk", disk),
    ],
    { concurrency: "unbounded" },
  ).pipe(Effect.map((findings) => findings.flat()));
};
