/** Targets of commands: the flags that name one, and the client of the server that their values open. */
import { Effect } from "effect";
import type { Flag } from "effect/cli";
import { type ConnectionSettings, WaypostClient } from "../client/WaypostClient.ts";
import type { Environment } from "../workspaces/Environment.ts";
import { type Ask, askOf, listOf, type Refusal } from "./Ask.ts";
import { badUsage, CommandRefused, refused } from "./CommandRefused.ts";
import { command, type FlagSet, type Help, type Steps, type Values } from "./DeclaredCommand.ts";
import { environmentFlag, only, optional, optionalFlag, workspaceFlag } from "./Flags.ts";
import { findId } from "./Lookups.ts";
import { keyHint, locateServer, type Operator, operator } from "./Operator.ts";

type Ids = ReadonlyArray<unknown>;
type Needs = Effect.Services<typeof operator>;

/** The target of commands: flags that name it, and the client that they open, with the ids of its paths. */
export interface Target<Client, At extends Ids, Named = never> {
  readonly flags: FlagSet;
  readonly open: (named: Named) => Effect.Effect<Ask<Client, At>, Refusal, Needs>;
}

/** Declares a command on a target. Its first call opens the client, so that flags are checked before. */
export const commandOn = <
  Client,
  At extends Ids,
  Named,
  const Flags extends FlagSet,
  Step extends Effect.Effect<unknown, unknown, unknown>,
>(
  { flags, open }: Target<Client, At, Named>,
  name: string,
  declared: Help & {
    readonly flags: Flags;
    readonly run: (ask: Ask<Client, At>, flags: Values<Flags>, named: Named) => Steps<Step>;
  },
) =>
  command(name, {
    ...declared,
    flags: { ...flags, ...declared.flags },
    *run(all) {
      const values = all as object;
      const named = only(flags, values) as Named;
      const needs = yield* Effect.context<Needs>();
      const opened = yield* Effect.cached(Effect.provide(open(named), needs));
      const ask: Ask<Client, At> = (request) => Effect.flatMap(opened, (asks) => asks(request));
      yield* Effect.gen(() => declared.run(ask, only(declared.flags, values), named));
    },
  });

/** The same client, with further ids of its paths. */
export const askAt =
  <Client, At extends Ids, const More extends Ids>(
    ask: Ask<Client, At>,
    ...more: More
  ): Ask<Client, [...At, ...More]> =>
  (request) =>
    ask((client, ...at) => request(client, ...at, ...more));

const findWorkspace = (ask: Operator, nameOrId: string) =>
  findId(
    "workspace",
    nameOrId,
    listOf(ask, (client, query) => client.workspaces.list(query)),
  );

/** The whole installation, by the operator key. */
export const installation = { flags: {}, open: () => operator };

/** A workspace, by the operator key. */
export const workspaceTarget = {
  flags: { workspace: workspaceFlag },
  open: Effect.fnUntraced(function* ({ workspace }: { readonly workspace: string }) {
    const ask = yield* operator;
    return askAt(ask, yield* findWorkspace(ask, workspace));
  }),
};

/** An environment, by its flags. */
interface EnvironmentValues {
  readonly workspace: string;
  readonly environment: Environment;
}

/** An environment, by the operator key. */
export const environmentTarget = {
  flags: { workspace: workspaceFlag, environment: environmentFlag },
  open: Effect.fnUntraced(function* ({ environment, workspace }: EnvironmentValues) {
    const ask = yield* operator;
    return askAt(ask, yield* findWorkspace(ask, workspace), environment);
  }),
};

/** Calls the platform API of an environment. */
export type Platform = Ask<WaypostClient>;

/** The platform API of an environment, by the operator key. */
export const openEnvironment = Effect.fnUntraced(function* (
  { environment, workspace: nameOrId }: EnvironmentValues,
  connection: Partial<ConnectionSettings> = {},
) {
  const ask = yield* operator;
  const workspace = yield* findWorkspace(ask, nameOrId);
  return askOf(
    ask.url,
    keyHint,
    (settings) => new WaypostClient({ ...settings, ...connection, token: ask.key, workspace, environment }),
  );
});

const tokenHint = "Give another one with --token or WAYPOST_TOKEN.";

/** The values of the flags of a platform target. */
interface PlatformValues {
  readonly token: string | undefined;
  readonly workspace: string | undefined;
  readonly environment: Environment | undefined;
}

/**
 * An environment by a token, or by the operator key with a workspace and an environment, which is
 * `otherwise` if it is left out.
 */
export const platformTarget = ({
  otherwise,
  environment: flag = environmentFlag,
  ...connection
}: Partial<ConnectionSettings> & {
  readonly environment?: Flag.Flag<Environment>;
  readonly otherwise?: Environment;
} = {}) => ({
  flags: {
    token: optionalFlag(
      "token",
      "Platform API token of the environment. If left out: the operator key with --workspace and " +
        "--environment, or WAYPOST_TOKEN",
    ),
    workspace: optional(workspaceFlag),
    environment: optional(flag),
  },
  open: Effect.fnUntraced(function* (flags: PlatformValues): Effect.fn.Return<Platform, Refusal, Needs> {
    const { setting, url } = yield* locateServer;
    const { environment = otherwise, workspace } = flags;
    const isNamed = workspace !== undefined || flags.environment !== undefined;
    if (isNamed && flags.token !== undefined)
      return yield* badUsage(
        "Give either --token, or --workspace and --environment: a token selects its environment.",
      );
    const token = flags.token ?? (isNamed ? undefined : setting("WAYPOST_TOKEN"));
    if (token !== undefined) {
      if (!/^[\x21-\x7e]+$/.test(token)) return yield* refused("A token has only visible ASCII characters.");
      return yield* Effect.try({
        try: () =>
          askOf(url, tokenHint, (settings) => new WaypostClient({ ...settings, ...connection, token })),
        catch: (error) => CommandRefused.from(url, error, tokenHint),
      });
    }
    if (workspace === undefined || environment === undefined)
      return yield* badUsage("Give --token, or the operator key with --workspace and --environment.");
    return yield* openEnvironment({ workspace, environment }, connection);
  }),
});

/** An environment by a token, or by the operator key. */
export const platform = platformTarget();
