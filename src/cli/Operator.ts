/** The client of the operator interface, and the global flags of every command that uses it. */
import { Effect, Option } from "effect";
import { Flag, GlobalFlag } from "effect/cli";
import { accessSync, constants, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorCode } from "../backup/DiskProblem.ts";
import { OperatorClient } from "../client/OperatorClient.ts";
import { Settings } from "../config/Settings.ts";
import { settingsTable } from "../config/SettingsTable.ts";
import { publishedServer, serverFile } from "../operator/ServerFile.ts";
import { type Ask, askOf } from "./Ask.ts";
import { CliEnvironment } from "./CliEnvironment.ts";
import { badUsage, refused } from "./CommandRefused.ts";
import { optional, optionalFlag, switchFlag } from "./Flags.ts";

const Url = GlobalFlag.Setting("url")({
  flag: optionalFlag(
    "url",
    "Address of the Waypost server, such as https://push.example.com. " +
      "If left out: WAYPOST_URL, or the server that runs on this machine",
  ),
});

const Key = GlobalFlag.Setting("key")({
  flag: optionalFlag(
    "key",
    "Operator key of the server. If left out: WAYPOST_OPERATOR_KEY, or the key in the data directory",
  ),
});

/** The settings file. Its settings override those of the environment. */
export const SettingsFile = GlobalFlag.Setting("config")({
  flag: optional(
    Flag.File("config").pipe(
      Flag.withDescription("Settings file of the server, which overrides the environment"),
    ),
  ),
});

/** Whether to print JSON. */
export const Json = GlobalFlag.Setting("json")({
  flag: switchFlag("json", "Print JSON for programs instead of text for people"),
});

/** Global flags of every command that uses the operator interface. */
export const operatorFlags = [Url, Key, SettingsFile, Json] as const;

/** Settings of a command: the environment, overridden by the file of `--config`. */
export const settingsRecord = Effect.gen(function* () {
  const { environment } = yield* CliEnvironment;
  const file = yield* SettingsFile;
  return file === undefined ? environment : { ...environment, ...(yield* Settings.readFile(file)) };
});

const readKeyFile = (dataDir: string): string | undefined => {
  try {
    return readFileSync(join(dataDir, "operator.key"), "utf8").trim();
  } catch {
    return undefined;
  }
};

/** Whether the file exists but this account may not read it. */
const isForbidden = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch (error) {
    return errorCode(error) === "EACCES";
  }
};

/** The path of an interface, which people often copy with the address. */
const interfacePath = /\/(operator\/v1|device\/v1|(sandbox\/)?platform\/v1|docs)(\/.*)?$/;

/** The address without a trailing slash or the path of an interface; null if it is not an http address. */
const baseAddress = (text: string): string | null => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(interfacePath, "");
};

/**
 * Finds the server: first by flags, then by settings, then by the data directory. `isLocal` if it runs on
 * that directory.
 */
export const locateServer = Effect.gen(function* () {
  const record = yield* settingsRecord;
  const setting = (name: string): string | undefined => record[name]?.trim() || undefined;
  const dataDir = resolve(setting(settingsTable.dataDir.name) ?? settingsTable.dataDir.default);
  const local = publishedServer(dataDir);
  const given = (yield* Url) ?? setting("WAYPOST_URL");
  if (given === undefined && Option.isNone(local)) {
    return yield* refused(
      isForbidden(serverFile(dataDir))
        ? `This account may not read the data directory ${dataDir}. ` +
            "Run the command as the account that runs Waypost, or give --url and --key."
        : `No Waypost is running on the data directory ${dataDir}. ` +
            'Start one with "waypost serve", or give --url.',
    );
  }
  const url = baseAddress(given ?? Option.getOrElse(local, () => ""));
  if (url === null) {
    return yield* badUsage(`"${given}" is not an http address: try --url https://push.example.com`);
  }
  return { url, dataDir, setting, isLocal: Option.isSome(local) && baseAddress(local.value) === url };
});

/** Calls the operator interface of a server. */
export interface Operator extends Ask<OperatorClient> {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

/** The sentence behind a refused operator key. */
export const keyHint = "Give the right one with --key or WAYPOST_OPERATOR_KEY.";

/** The operator interface of the server that flags and settings name. */
export const operator = Effect.gen(function* () {
  const { dataDir, isLocal, setting, url } = yield* locateServer;
  // The key of the data directory is sent to the server on this data directory only.
  const key =
    (yield* Key) ?? setting(settingsTable.operatorKey.name) ?? (isLocal ? readKeyFile(dataDir) : undefined);
  if (key === undefined)
    return yield* refused(`Give the operator key of ${url} with --key or WAYPOST_OPERATOR_KEY.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    return yield* refused("An operator key has only visible ASCII characters.");
  const ask = askOf(url, keyHint, (settings) => new OperatorClient({ ...settings, operatorKey: key }));
  return Object.assign(ask, { url, key }) satisfies Operator;
});
