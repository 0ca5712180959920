import { Effect, type Schema } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import { type ParsedBody, readParsedBody } from "../wire/ParsedBody.ts";
import type { RequestInput } from "../wire/RequestBody.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";

/** The path parameters of a tenant. */
export interface TenantPath {
  readonly workspace: string;
  readonly env: string;
}

/** Whether a text of a path names an environment. */
const isEnvironment = (text: string): text is Environment => text === "sandbox" || text === "production";

/** Finds the tenant that the path of an operator's request names. */
export const operatorTenants = Effect.gen(function* () {
  const workspaces = yield* Workspaces;

  const find = Effect.fnUntraced(function* ({ env, workspace: id }: TenantPath) {
    const { workspace, workspaceId } = yield* workspaces.find(id);
    if (!isEnvironment(env)) {
      return yield* NotFound.of("The environment in the path must be sandbox or production.");
    }
    return { workspaceId, workspace, environment: env } satisfies Tenant;
  });

  /** Runs a handler for the tenant; its result is the `data` of the response. @throws 404, as `find` */
  const data = <A, E, R>(path: TenantPath, handle: (tenant: Tenant) => Effect.Effect<A, E, R>) =>
    Effect.map(Effect.flatMap(find(path), handle), (result) => ({ data: result }));

  return {
    /** @throws 404 for an unknown workspace or environment */
    find,
    data,
    /** As `data`, for a handler that gets the parsed body. */
    dataOf: <Fields extends Schema.Struct.Fields, A, E, R>(
      path: TenantPath,
      schema: Schema.Struct<Fields>,
      input: RequestInput,
      handle: (
        tenant: Tenant,
        body: ParsedBody<Schema.Struct<Fields>["Type"] & object>,
      ) => Effect.Effect<A, E, R>,
    ) =>
      data(path, (tenant) => Effect.flatMap(readParsedBody(schema, input), (body) => handle(tenant, body))),
  };
});
