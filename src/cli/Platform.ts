/** The client of the platform API, for commands on the data of an environment. */
import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import { type ConnectionSettings, WaypostClient } from "../client/WaypostClient.ts";
import type { Environment } from "../workspaces/Environment.ts";
import { type Ask, askOf, listOf } from "./Ask.ts";
import { badUsage, CommandRefused, refused } from "./CommandRefused.ts";
import {
  environmentFlag,
  type EnvironmentFlags,
  nameArgument,
  optionalFlag,
  workspaceFlag,
} from "./Flags.ts";
import { findId, findWorkspace } from "./Lookups.ts";
import { keyHint, locateServer, operator } from "./Operator.ts";

/** The flags that select an environment: its token, or a workspace and an environment. */
export const platformFlags = {
  token: optionalFlag(
    "token",
    "Platform API token of the environment. If left out: the operator key with --workspace and " +
      "--environment, or WAYPOST_TOKEN",
  ),
  workspace: workspaceFlag.pipe(Flag.optional),
  environment: environmentFlag.pipe(Flag.optional),
};

/** The values of `platformFlags`. */
export type PlatformFlags = {
  readonly token: Option.Option<string>;
  readonly workspace: Option.Option<string>;
  readonly environment: Option.Option<Environment>;
};

/** Calls the platform API of an environment. */
export type Platform = Ask<WaypostClient>;

/** Opens the platform API of the workspace and environment of the flags, with the operator key. */
export const openWorkspace = Effect.fnUntraced(function* (
  flags: EnvironmentFlags,
  options: Partial<ConnectionSettings> = {},
) {
  const ask = yield* operator;
  const workspace = yield* findWorkspace(ask, flags.workspace);
  const { environment } = flags;
  return askOf(
    ask.url,
    keyHint,
    (settings) => new WaypostClient({ ...settings, ...options, token: ask.key, workspace, environment }),
  );
});

/** Opens the platform API with the token of the flags or of `WAYPOST_TOKEN`, else with the operator key. */
export const openPlatform = Effect.fnUntraced(function* (flags: PlatformFlags) {
  const { setting, url } = yield* locateServer;
  const { environment, workspace } = flags;
  const isNamed = Option.isSome(workspace) || Option.isSome(environment);
  if (isNamed && Option.isSome(flags.token))
    return yield* badUsage(
      "Give either --token, or --workspace and --environment: a token selects its environment.",
    );
  const token = Option.getOrUndefined(flags.token) ?? (isNamed ? undefined : setting("WAYPOST_TOKEN"));
  if (token !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(token)) return yield* refused("A token has only visible ASCII characters.");
    return yield* Effect.try({
      try: () => askOf(url, tokenHint, (settings) => new WaypostClient({ ...settings, token })),
      catch: (error) => CommandRefused.from(url, error, tokenHint),
    });
  }
  if (Option.isNone(workspace) || Option.isNone(environment))
    return yield* badUsage("Give --token, or the operator key with --workspace and --environment.");
  return yield* openWorkspace({ workspace: workspace.value, environment: environment.value });
});

const tokenHint = "Give another one with --token or WAYPOST_TOKEN.";

/** The id of a campaign, by its id or name. `archived` is "true" to find an archived one by its name. */
export const findCampaign = (
  platform: Platform,
  nameOrId: string,
  archived: "true" | "false" = "false",
): Effect.Effect<string, CommandRefused> =>
  findId(
    archived === "true" ? "archived campaign" : "campaign",
    nameOrId,
    listOf(platform, (client, query) => client.campaigns.list({ ...query, archived })),
  );

/** Flags of a command on one campaign. */
export const campaignFlags = { ...platformFlags, campaign: nameArgument("campaign") };
