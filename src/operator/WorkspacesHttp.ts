import { Clock, Effect } from "effect";
import { CampaignsRepository } from "../campaigns/CampaignsRepository.ts";
import { Cursors } from "../http/Cursors.ts";
import { LocationImportsRepository } from "../locations/LocationImportsRepository.ts";
import { MediaLibraryRepository } from "../media/MediaLibraryRepository.ts";
import { ContentsRepository } from "../notifications/ContentsRepository.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { type Tenant, WorkspaceDraft, WorkspacePatch } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { RecordedChanges } from "./activity/RecordedChanges.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** The counts that the limits of a plan are compared with. */
const planUsage = Effect.gen(function* () {
  const campaigns = yield* CampaignsRepository;
  const notifications = yield* ContentsRepository;
  const locations = yield* LocationImportsRepository;
  const media = yield* MediaLibraryRepository;
  return Effect.fnUntraced(function* (tenant: Tenant) {
    const now = yield* Clock.currentTimeMillis;
    return {
      campaigns: yield* campaigns.countLimited(tenant, null, now),
      notifications: yield* notifications.count(tenant),
      locations: yield* locations.count(tenant),
      media_bytes: yield* media.total(tenant),
    };
  });
});

/** Handlers of `WorkspacesApi`. */
export const workspacesHandlers = handlerGroup(
  OperatorApi,
  "workspaces",
  Effect.fnUntraced(function* (handlers) {
    const workspaces = yield* Workspaces;
    const changes = yield* RecordedChanges;
    const cursors = yield* Cursors;
    const tenants = yield* OperatorTenants;
    const usage = yield* planUsage;
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
      )
      .handle("usage", ({ params }) => tenants.data(params, usage));
  }),
);
