import { Context, Effect } from "effect";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Ability } from "./Ability.ts";
import type { Actor } from "./Actor.ts";

/** The credential of a caller, as `GET /me` shows it. The operator key has no id and does not expire. */
export interface CallerToken {
  readonly id: string | null;
  readonly name: string;
  readonly expiresAt: Date | null;
}

/**
 * The authenticated caller of the platform API: a token of one environment of one workspace, or the operator
 * in an environment that the request names.
 */
export class Caller extends Context.Service<
  Caller,
  Tenant & { readonly token: CallerToken; readonly abilities: ReadonlyArray<Ability> }
>()("waypost/access/Caller") {}

/** The credential of the operator. */
export const operatorToken: CallerToken = { id: null, name: "operator", expiresAt: null };

/** Whether the caller is the operator, to whom neither abilities nor the full API apply (contract W1). */
export const isOperator = ({ token }: Caller["Service"]): boolean => token.id === null;

/** The caller as the author of changes. */
export const actorOf = ({ token: { id, name } }: Caller["Service"]): Actor => ({
  type: id === null ? "operator" : "token",
  id,
  name,
});

/** Runs a handler with the caller; its result is the `data` of the response. */
export const callerData = <A, E, R>(handle: (caller: Caller["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flatMap(Caller, handle), (data) => ({ data }));
