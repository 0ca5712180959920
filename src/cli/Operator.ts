/** The operator interface as commands ask it: where it is, with which key, and what went wrong in words. */
import { Effect, Option, type Schema } from "effect";
import { Flag, GlobalFlag } from "effect/cli";
import { HttpClient, HttpClientRequest, type HttpClientError } from "effect/http";
import { HttpApiClient } from "effect/http-api";
import { accessSync, constants, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Settings } from "../config/Settings.ts";
import { OperatorApi } from "../OperatorApi.ts";
import type { ApiError } from "../wire/ApiError.ts";
import { publishedServer, serverFile } from "../operator/ServerFile.ts";
import { BadUsage, CommandRefused } from "./CommandRefused.ts";
import { CliEnvironment } from "./CliEnvironment.ts";

const Url = GlobalFlag.Setting("url")({
  flag: Flag.String("url").pipe(
    Flag.withDescription(
      "Address of the Waypost to talk to, such as https://push.example.com (or WAYPOST_URL; else the one running here)",
    ),
    Flag.optional,
  ),
});

const Key = GlobalFlag.Setting("key")({
  flag: Flag.String("key").pipe(
    Flag.withDescription("Its operator key (or WAYPOST_OPERATOR_KEY; else the one in the data directory)"),
    Flag.optional,
  ),
});

/** Flag for a settings file, which goes before the environment. */
export const SettingsFile = GlobalFlag.Setting("config")({
  flag: Flag.File("config").pipe(
    Flag.withDescription("Settings file of the Waypost running here, if its data directory is named there"),
    Flag.optional,
  ),
});

const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print JSON for programs instead of text for people"),
    Flag.withDefault(false),
  ),
});

/** Flags of every command that asks the operator interface. */
export const operatorFlags = [Url, Key, SettingsFile, Json] as const;

/** Whether the answer is to be JSON. */
export const wantsJson = Json;

const keptKey = (dataDir: string): string | undefined => {
  try {
    return readFileSync(join(dataDir, "operator.key"), "utf8").trim();
  } catch {
    return undefined;
  }
};

/** Whether only another account may read the file. */
const isClosed = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES";
  }
};

/** Addresses are often copied with the path of one of the interfaces. */
const interfacePath = /\/(operator\/v1|device\/v1|(sandbox\/)?platform\/v1|docs)(\/.*)?$/;

/** The address without a slash or the path of an interface at its end, or null for no http address. */
const originOf = (text: string): string | null => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(interfacePath, "");
};

const refused = (message: string) => new CommandRefused({ message });

/** Finds the server and its key: flags, a settings file included, go before the environment, and that before the data directory. */
const locate = Effect.gen(function* () {
  const { environment } = yield* CliEnvironment;
  const settingsFile = yield* SettingsFile;
  const fromFile = Option.isSome(settingsFile)
    ? yield* Effect.mapError(Settings.readFile(settingsFile.value), ({ message }) => refused(message))
    : {};
  const setting = (name: string): string | undefined => {
    const text = fromFile[name]?.trim() || environment[name]?.trim();
    return text === "" ? undefined : text;
  };
  const dataDir = resolve(setting("WAYPOST_DATA_DIR") ?? "./waypost-data");
  const local = publishedServer(dataDir);
  const asked = Option.getOrUndefined(yield* Url) ?? setting("WAYPOST_URL");
  if (asked === undefined && Option.isNone(local) && isClosed(serverFile(dataDir))) {
    return yield* refused(
      `This account may not read what is in the data directory ${dataDir}: give the command as the account that runs Waypost, or name the ` +
        "server with --url and --key.",
    );
  }
  if (asked === undefined && Option.isNone(local)) {
    return yield* refused(
      `No Waypost is running on the data directory ${dataDir}. Start one with "waypost serve", or name another with --url.`,
    );
  }
  const url = originOf(asked ?? Option.getOrElse(local, () => ""));
  if (url === null) {
    return yield* new BadUsage({
      message: `"${asked}" is no http address: try --url https://push.example.com`,
    });
  }
  // The key of this machine's Waypost goes to no other.
  const isLocal = Option.isSome(local) && originOf(local.value) === url;
  const key =
    Option.getOrUndefined(yield* Key) ??
    setting("WAYPOST_OPERATOR_KEY") ??
    (isLocal ? keptKey(dataDir) : undefined);
  if (key === undefined) {
    return yield* refused(`Give the operator key of ${url} with --key or WAYPOST_OPERATOR_KEY.`);
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    return yield* refused("An operator key has only visible ASCII characters.");
  return { url, key };
});

type Client = HttpApiClient.ForApi<typeof OperatorApi>;

/** Asks the operator interface; whatever it answers but success is `CommandRefused`. */
export const operator = Effect.gen(function* () {
  const { key, url } = yield* locate;
  const client = yield* HttpApiClient.make(OperatorApi, {
    baseUrl: url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(key)),
  });
  const asking = <A>(
    ask: (
      client: Client,
    ) => Effect.Effect<A, ApiError | HttpClientError.HttpClientError | Schema.SchemaError>,
  ): Effect.Effect<A, CommandRefused> =>
    Effect.mapError(ask(client), (failure) => CommandRefused.from(url, failure));
  /** The address asked, without a slash at its end. */
  return Object.assign(asking, { url });
});

/** The way to ask that `operator` gives. */
export type Operator = Effect.Success<typeof operator>;
