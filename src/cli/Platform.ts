/** The client of the platform API, for commands that show and change campaigns. */
import { Clock, Effect, Option } from "effect";
import { Flag } from "effect/cli";
import type { Ability } from "../access/Ability.ts";
import { type Pages, WaypostClient, WaypostError } from "../client/WaypostClient.ts";
import { CliEnvironment } from "./CliEnvironment.ts";
import { BadUsage, CommandRefused } from "./CommandRefused.ts";
import { environmentFlag, type FetchPage, findId, findWorkspace, workspaceFlag } from "./Lookups.ts";
import { locateServer, operator } from "./Operator.ts";

/** The flags that give access to the platform API: a token, or a workspace and an environment. */
export const platformFlags = {
  token: Flag.String("token").pipe(
    Flag.withDescription(
      "A platform API token. If left out: WAYPOST_TOKEN, or the operator key with --workspace and " +
        "--environment",
    ),
    Flag.optional,
  ),
  workspace: workspaceFlag.pipe(Flag.optional),
  environment: environmentFlag.pipe(Flag.optional),
};

type PlatformFlags = {
  readonly token: Option.Option<string>;
  readonly workspace: Option.Option<string>;
  readonly environment: Option.Option<"sandbox" | "production">;
};

/** Calls the platform API. Every failure becomes `CommandRefused`. */
export type Platform = <A>(
  request: (client: WaypostClient) => Promise<A>,
) => Effect.Effect<A, CommandRefused>;

/** Lifetime of a token that a command issues for itself, in milliseconds; clocks of machines may differ. */
const ownTokenMillis = 60 * 60_000;

const refusedBy = (error: unknown): CommandRefused => {
  if (!(error instanceof WaypostError)) return new CommandRefused({ message: String(error) });
  if (Object.keys(error.fields).length > 0) return CommandRefused.fields(error.fields);
  const hint = error.status === 401 ? " Give another one with --token or WAYPOST_TOKEN." : "";
  return new CommandRefused({ message: error.message + hint });
};

const connect = (url: string, token: string): Effect.Effect<Platform, CommandRefused> =>
  Effect.map(
    Effect.try({
      // A person sees the error at once and decides whether to try again.
      try: () => new WaypostClient({ url, token, retry: { attempts: 1 } }),
      catch: (error) =>
        new CommandRefused({ message: error instanceof Error ? error.message : String(error) }),
    }),
    (client): Platform =>
      (request) =>
        Effect.tryPromise({ try: () => request(client), catch: refusedBy }),
  );

/** A token of the command's own: issued with the operator key, and revoked at the end of the scope. */
const ownToken = Effect.fnUntraced(function* (
  workspaceName: string,
  environment: "sandbox" | "production",
  abilities: ReadonlyArray<Ability>,
) {
  const ask = yield* operator;
  const workspace = yield* findWorkspace(ask, workspaceName);
  const expires = (yield* Clock.currentTimeMillis) + ownTokenMillis;
  const { data } = yield* Effect.acquireRelease(
    ask((client) =>
      client.tokens.issue({
        params: { workspace },
        payload: { name: "Command line", environment, abilities, expires_at: expires },
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
  { environment, token, workspace }: PlatformFlags,
  abilities: ReadonlyArray<Ability>,
) {
  const variables = (yield* CliEnvironment).environment;
  const given = Option.getOrUndefined(token) ?? variables["WAYPOST_TOKEN"]?.trim();
  const { url } = yield* locateServer;
  if (given !== undefined && given !== "") return yield* connect(url, given);
  if (Option.isNone(workspace) || Option.isNone(environment))
    return yield* new BadUsage({
      message: "Give --workspace and --environment, or a platform API token with --token or WAYPOST_TOKEN.",
    });
  return yield* connect(url, yield* ownToken(workspace.value, environment.value, abilities));
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

/** The id of a campaign, by its id or name. */
export const findCampaign = (platform: Platform, nameOrId: string): Effect.Effect<string, CommandRefused> =>
  findId(
    "campaign",
    nameOrId,
    pageOf(platform, (client, query) => client.campaigns.list(query)),
  );
