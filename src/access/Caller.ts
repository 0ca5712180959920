import { Context } from "effect";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Ability } from "./Ability.ts";

/** Who is asking the platform API: a token of one environment of one workspace, already let in. */
export class Caller extends Context.Service<
  Caller,
  Tenant & {
    readonly tokenId: string;
    readonly abilities: ReadonlyArray<Ability>;
  }
>()("waypost/access/Caller") {}
