import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { SdkKeyDraft } from "../access/Token.ts";
import { Tokens } from "../access/Tokens.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `SdkKeysApi`. */
export const sdkKeysHandlers = HttpApiBuilder.group(
  OperatorApi,
  "sdkKeys",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const tokens = yield* Tokens;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("issue", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const { environment, workspaceId } = yield* tenants.find(params);
          const body = yield* readParsedBody(SdkKeyDraft, { request, endpoint });
          return { data: yield* tokens.issueSdkKey(workspaceId, environment, body) };
        }),
      )
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const { environment, workspaceId } = yield* tenants.find(params);
          const scope = { endpoint: "GET /operator/sdk-keys", owner: `${workspaceId}/${environment}` };
          return yield* cursors.page(scope, query, (position) =>
            tokens.pageOfSdkKeys(workspaceId, environment, position),
          );
        }),
      )
      .handle("revoke", ({ params }) =>
        Effect.gen(function* () {
          const { environment, workspaceId } = yield* tenants.find(params);
          return { data: yield* tokens.revokeSdkKey(workspaceId, environment, params.key) };
        }),
      );
  }),
);
