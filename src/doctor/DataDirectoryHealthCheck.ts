import { Effect } from "effect";
import { readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../config/Settings.ts";
import { runCheck, fine, type Observation, problem, sizeOf, warning } from "./HealthCheck.ts";

const found = (path: string) => Effect.promise(() => stat(path).catch(() => null));

const modeText = (mode: number): string => `0${(mode & 0o777).toString(8)}`;

const directory = Effect.fnUntraced(function* ({ dataDir, databaseUrl }: Settings["Service"]) {
  const here = yield* found(dataDir);
  if (here === null) {
    return warning(
      `There is no data directory ${dataDir}.`,
      "waypost serve makes it. If there should be one, name it by WAYPOST_DATA_DIR or --config.",
    );
  }
  if (!here.isDirectory()) {
    return problem(`${dataDir} is no directory.`, "Set WAYPOST_DATA_DIR to a directory of Waypost's own.");
  }
  const seen: Array<Observation> = [];
  if ((here.mode & 0o077) !== 0) {
    seen.push(
      warning(
        `The data directory ${dataDir} has mode ${modeText(here.mode)}: other accounts can look into it.`,
        `chmod 700 ${dataDir} (the next start does so too).`,
      ),
    );
  }
  const database = yield* found(join(dataDir, "postgres"));
  if (databaseUrl !== undefined && database !== null) {
    seen.push(
      warning(
        `DATABASE_URL is set, and ${dataDir} holds an embedded database, which is not used.`,
        "If its data are wanted, remove DATABASE_URL; else remove the folder postgres in it once you have a backup.",
      ),
    );
  }
  return seen.length > 0 ? seen : fine(`${dataDir} is there, and closed to others.`);
});

/** A key that is a setting needs no file; one that is generated is in a file that only its owner reads. */
const keyFile = Effect.fnUntraced(function* (
  { dataDir, databaseUrl }: Settings["Service"],
  name: string,
  setting: string,
  isSet: boolean,
) {
  const path = join(dataDir, name);
  const file = yield* found(path);
  if (file === null) {
    if (isSet) return fine(`${setting} is set.`);
    const isNew = databaseUrl === undefined && (yield* found(join(dataDir, "postgres"))) === null;
    return isNew
      ? fine(`${name} will be generated at the first start.`)
      : problem(
          `${path} is missing, and ${setting} is not set.`,
          `Put the key back from a backup, or set ${setting}; else the next start generates another one` +
            (name === "secret.key" ? ", which the database does not accept." : "."),
        );
  }
  if ((file.mode & 0o077) !== 0)
    return problem(
      `${path} has mode ${modeText(file.mode)}: other accounts can read the key.`,
      `chmod 600 ${path}`,
    );
  const text = yield* Effect.promise(() => readFile(path, "utf8").catch(() => null));
  if (text === null) {
    return problem(
      `${path} cannot be read by this account.`,
      "Run the doctor under the account that runs Waypost.",
    );
  }
  return text.trim().length < 16
    ? problem(`${path} holds no key of at least 16 characters.`, "Put the right key back from a backup.")
    : fine(`${name} is there, and closed to others.`);
});

const gigabyte = 1e9;

/** Room below which a warning, and a problem, is told: bytes, and files that can still be made. */
const scarce = {
  bytes: { warning: 2 * gigabyte, problem: 0.3 * gigabyte },
  share: 0.05,
  files: { warning: 50_000, problem: 2_000 },
};

/** What is to be said of a disk with so much room. */
export const roomOf = (
  path: string,
  disk: {
    readonly bsize: number;
    readonly blocks: number;
    readonly bavail: number;
    readonly files: number;
    readonly ffree: number;
  },
): ReadonlyArray<Observation> => {
  const free = disk.bavail * disk.bsize;
  const all = disk.blocks * disk.bsize;
  const percent = all === 0 ? 0 : Math.round((100 * free) / all);
  const room = `${sizeOf(free)} of ${sizeOf(all)} (${percent} %) are free on the disk of ${path}`;
  const files = `${disk.ffree.toLocaleString("en-US")} more files can be made there`;
  const makeRoom = "Make room, or move the data directory to a larger disk: a full disk stops every change.";
  return [
    free < scarce.bytes.problem
      ? problem(`Only ${room}.`, makeRoom)
      : free < scarce.bytes.warning && free < all * scarce.share * 4
        ? warning(`Only ${room}.`, makeRoom)
        : fine(`${room}.`),
    // Some file systems make room for files as they go, and tell 0.
    ...(disk.files === 0
      ? []
      : disk.ffree < scarce.files.problem
        ? [problem(`Only ${files}.`, "Remove files, or move the data directory: each media file takes one.")]
        : disk.ffree < scarce.files.warning
          ? [
              warning(
                `Only ${files}.`,
                "Remove files, or move the data directory: each media file takes one.",
              ),
            ]
          : [fine(`${files}.`)]),
  ];
};

/** The data directory: whether it is there, closed to others, with its keys, on a disk with room. */
export const folderHealthCheck = (config: Settings["Service"]) =>
  Effect.all(
    [
      runCheck("data directory", "directory", directory(config)),
      runCheck(
        "data directory",
        "operator key",
        keyFile(config, "operator.key", "WAYPOST_OPERATOR_KEY", config.operatorKey !== undefined),
      ),
      runCheck(
        "data directory",
        "secret key",
        keyFile(config, "secret.key", "WAYPOST_SECRET_KEY", config.secretKey !== undefined),
      ),
      runCheck(
        "data directory",
        "disk",
        Effect.gen(function* () {
          const { dataDir } = config;
          const isThere = (yield* found(dataDir)) !== null;
          return isThere ? roomOf(dataDir, yield* Effect.promise(() => statfs(dataDir))) : [];
        }),
      ),
    ],
    { concurrency: "unbounded" },
  ).pipe(Effect.map((findings) => findings.flat()));
