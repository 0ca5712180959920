/** The client of the platform API, for commands that show and change campaigns. */
import { Clock, Effect, Option } from "effect";
import { Flag } from "effect/cli";
import type { Ability } from "../access/Ability.ts";
import { type Pages, WaypostClient, WaypostError } from "../client/WaypostClient.ts";
import { visible } from "../wire/VisibleText.ts";
import type { Environment } from "../workspaces/Environment.ts";
import { BadUsage, CommandRefused } from "./CommandRefused.ts";
import { environmentFlag, type FetchPage, findId, findWorkspace, workspaceFlag } from "./Lookups.ts";
import { locateServer, operator } from "./Operator.ts";

/** The flags that select an environment: its token, or a workspace and an environment. */
export const platformFlags = {
  token: Flag.String("token").pipe(
    Flag.withDescription(
      "Platform API token of the environment. If left out: the operator key with --workspace and " +
        "--environment, or WAYPOST_TOKEN",
    ),
    Flag.optional,
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

/** The server, and how its environment is selected: by a token, or by a workspace and an environment. */
export const selectEnvironment = Effect.fnUntraced(function* (flags: PlatformFlags) {
  const { setting, url } = yield* locateServer;
  const { environment, workspace } = flags;
  const isNamed = Option.isSome(workspace) || Option.isSome(environment);
  if (isNamed && Option.isSome(flags.token))
    return yield* new BadUsage({
      message: "Give either --token, or --workspace and --environment: a token selects its environment.",
    });
  const token = Option.getOrUndefined(flags.token) ?? (isNamed ? undefined : setting("WAYPOST_TOKEN"));
  if (token !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(token))
      return yield* new CommandRefused({ message: "A token has only visible ASCII characters." });
    return { url, token } as const;
  }
  if (Option.isNone(workspace) || Option.isNone(environment))
    return yield* new BadUsage({
      message: "Give --token, or the operator key with --workspace and --environment.",
    });
  return { url, token, workspace: workspace.value, environment: environment.value } as const;
});

/** Calls the platform API. Every failure becomes `CommandRefused`. */
export type Platform = <A>(
  request: (client: WaypostClient) => Promise<A>,
) => Effect.Effect<A, CommandRefused>;

/** Lifetime of a token that a command issues for itself, in milliseconds; clocks of machines may differ. */
const ownTokenMillis = 60 * 60_000;

const ownTokenName = "Command line";

/** Whether a token is one that a command issued for itself and revoked. */
export const isOwnToken = (token: { readonly name: string; readonly revoked_at: string | null }): boolean =>
  token.name === ownTokenName && token.revoked_at !== null;

/** Why a request failed. `workspace` is the one that the flags name; null for a given token. */
const refusedBy = (error: unknown, workspace: string | null): CommandRefused => {
  if (!(error instanceof WaypostError)) return new CommandRefused({ message: String(error) });
  if (Object.keys(error.fields).length > 0) return CommandRefused.fields(error.fields);
  if (error.code === "platform_api_not_enabled" && workspace !== null)
    return new CommandRefused({
      message:
        "The full platform API is not enabled for this workspace in Production. Enable it with: " +
        `waypost workspace update "${visible(workspace)}" --enable-platform-api true`,
    });
  const hint = error.status === 401 ? " Give another one with --token or WAYPOST_TOKEN." : "";
  return new CommandRefused({ message: visible(error.message) + hint });
};

const connect = (
  url: string,
  token: string,
  workspace: string | null,
): Effect.Effect<Platform, CommandRefused> =>
  Effect.map(
    Effect.try({
      // A person sees the error at once and decides whether to try again.
      try: () => new WaypostClient({ url, token, retry: { attempts: 1 } }),
      catch: (error) =>
        new CommandRefused({ message: error instanceof Error ? error.message : String(error) }),
    }),
    (client): Platform =>
      (request) =>
        Effect.tryPromise({ try: () => request(client), catch: (error) => refusedBy(error, workspace) }),
  );

/** A token of the command's own: issued with the operator key, and revoked at the end of the scope. */
const ownToken = Effect.fnUntraced(function* (
  workspaceName: string,
  environment: Environment,
  abilities: ReadonlyArray<Ability>,
) {
  const ask = yield* operator;
  const workspace = yield* findWorkspace(ask, workspaceName);
  const expires = (yield* Clock.currentTimeMillis) + ownTokenMillis;
  const { data } = yield* Effect.acquireRelease(
    ask((client) =>
      client.tokens.issue({
        params: { workspace },
        payload: { name: ownTokenName, environment, abilities, expires_at: expires },
      }),
    ),
    ({ data: { id } }) =>
      Effect.ignore(ask((client) => client.tokens.revoke({ params: { workspace, token: id } }))),
  );
  return data.token;
});

/**
 * Opens the platform API, with the token of the flags or of `WAYPOST_TOKEN`, or else with a token of the
 * command's own that has only these abilities.
 */
export const openPlatform = Effect.fnUntraced(function* (
  flags: PlatformFlags,
  abilities: ReadonlyArray<Ability>,
) {
  const { environment, token, url, workspace } = yield* selectEnvironment(flags);
  if (token !== undefined) return yield* connect(url, token, null);
  return yield* connect(url, yield* ownToken(workspace, environment, abilities), workspace);
});

/** Fetches one page of a list of the client. */
export const pageOf =
  <Item>(
    platform: Platform,
    list: (client: WaypostClient, query: { readonly limit: number; readonly cursor?: string }) => Pages<Item>,
  ): FetchPage<Item, CommandRefused> =>
  (query) =>
    platform(async (client) => {
      const { value } = await list(client, query).pages().next();
      return { data: value?.items ?? [], meta: { next_cursor: value?.nextCursor ?? null } };
    });

/** The id of a campaign, by its id or name. `archived` is "true" to find an archived one by its name. */
export const findCampaign = (
  platform: Platform,
  nameOrId: string,
  archived: "true" | "false" = "false",
): Effect.Effect<string, CommandRefused> =>
  findId(
    archived === "true" ? "archived campaign" : "campaign",
    nameOrId,
    pageOf(platform, (client, query) => client.campaigns.list({ ...query, archived })),
  );
