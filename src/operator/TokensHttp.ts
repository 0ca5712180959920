import { Effect } from "effect";
import { TokenDraft } from "../access/Token.ts";
import { Tokens } from "../access/Tokens.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { recordedChanges } from "./activity/RecordedChanges.ts";

/** Handlers of `TokensApi`. */
export const tokensHandlers = handlerGroup(
  OperatorApi,
  "tokens",
  Effect.fnUntraced(function* (handlers) {
    const workspaces = yield* Workspaces;
    const tokens = yield* Tokens;
    const changes = yield* recordedChanges;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("issue", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const { workspaceId } = yield* workspaces.find(params.workspace);
          const body = yield* readParsedBody(TokenDraft, { request, endpoint });
          return { data: yield* changes.issueToken(workspaceId, body) };
        }),
      )
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const { workspaceId } = yield* workspaces.find(params.workspace);
          const scope = { endpoint: "GET /operator/tokens", owner: String(workspaceId) };
          return yield* cursors.page(scope, query, (position) => tokens.pageOfTokens(workspaceId, position));
        }),
      )
      .handle("revoke", ({ params }) =>
        Effect.gen(function* () {
          const { workspaceId } = yield* workspaces.find(params.workspace);
          return { data: yield* changes.revokeToken(workspaceId, params.token) };
        }),
      );
  }),
);
