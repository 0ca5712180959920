import { Context, Effect } from "effect";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Ability } from "./Ability.ts";

/**
 * The authenticated caller of the platform API: a token of one environment of one workspace, or the operator
 * in a session of the console, who has no token.
 */
export class Caller extends Context.Service<
  Caller,
  Tenant & {
    readonly tokenId: string | null;
    readonly tokenName: string;
    readonly abilities: ReadonlyArray<Ability>;
  }
>()("waypost/access/Caller") {}

/** Runs a handler with the caller; its result is the `data` of the response. */
export const callerData = <A, E, R>(handle: (caller: Caller["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flatMap(Caller, handle), (data) => ({ data }));
