import { Effect } from "effect";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { WorkspaceDraft, WorkspacePatch } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { recordedChanges } from "./activity/RecordedChanges.ts";

/** Handlers of `WorkspacesApi`. */
export const workspacesHandlers = handlerGroup(
  OperatorApi,
  "workspaces",
  Effect.fnUntraced(function* (handlers) {
    const workspaces = yield* Workspaces;
    const changes = yield* recordedChanges;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("create", (input) =>
        Effect.gen(function* () {
          return { data: yield* changes.createWorkspace(yield* readParsedBody(WorkspaceDraft, input)) };
        }),
      )
      .handle("list", ({ query }) =>
        cursors.page({ endpoint: "GET /operator/workspaces", owner: "operator" }, query, workspaces.page),
      )
      .handle("get", ({ params }) =>
        Effect.map(workspaces.find(params.workspace), ({ workspace }) => ({ data: workspace })),
      )
      .handleRaw("update", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          yield* workspaces.find(params.workspace);
          const body = yield* readParsedBody(WorkspacePatch, { request, endpoint });
          return { data: yield* changes.updateWorkspace(params.workspace, body) };
        }),
      );
  }),
);
