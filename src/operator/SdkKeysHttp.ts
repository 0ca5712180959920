import { Effect } from "effect";
import { SdkKeyDraft } from "../access/Token.ts";
import { Tokens } from "../access/Tokens.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { recordedChanges } from "./activity/RecordedChanges.ts";
import { operatorTenants } from "./OperatorTenants.ts";

/** Handlers of `SdkKeysApi`. */
export const sdkKeysHandlers = handlerGroup(
  OperatorApi,
  "sdkKeys",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* operatorTenants;
    const tokens = yield* Tokens;
    const changes = yield* recordedChanges;
    const cursors = yield* Cursors;
    return handlers
      .handleRaw("issue", ({ params, ...input }) =>
        tenants.dataOf(params, SdkKeyDraft, input, ({ environment, workspaceId }, body) =>
          changes.issueSdkKey(workspaceId, environment, body),
        ),
      )
      .handle("list", ({ params, query }) =>
        Effect.flatMap(tenants.find(params), (tenant) =>
          cursors.page({ endpoint: "GET /operator/sdk-keys", owner: tenant }, query, (position) =>
            tokens.pageOfSdkKeys(tenant.workspaceId, tenant.environment, position),
          ),
        ),
      )
      .handle("revoke", ({ params }) =>
        tenants.data(params, ({ environment, workspaceId }) =>
          changes.revokeSdkKey(workspaceId, environment, params.key),
        ),
      );
  }),
);
