import { Context, Effect, Layer } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";

const isEnvironment = (text: string): text is Environment => text === "sandbox" || text === "production";

/** Finds what the path of an operator's request is about. */
export class OperatorTenants extends Context.Service<OperatorTenants>()("waypost/operator/OperatorTenants", {
  make: Effect.gen(function* () {
    const workspaces = yield* Workspaces;
    return {
      /** @throws 404 for an unknown workspace or environment. */
      find: Effect.fnUntraced(function* (path: { readonly workspace: string; readonly env: string }) {
        const { env } = path;
        const { workspace, workspaceId } = yield* workspaces.find(path.workspace);
        if (!isEnvironment(env)) {
          return yield* NotFound.of("The environment in the path must be sandbox or production.");
        }
        return { workspaceId, workspace, environment: env } satisfies Tenant;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(OperatorTenants, OperatorTenants.make);
}
