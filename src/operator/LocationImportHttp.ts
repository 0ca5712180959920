import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { IdempotentRequests } from "../http/IdempotentRequests.ts";
import { ImportReader } from "../locations/import/ImportReader.ts";
import { LocationImports } from "../locations/LocationImports.ts";
import { isDryRun } from "../locations/LocationsApi.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `LocationImportApi`. */
export const locationImportHandlers = handlerGroup(
  OperatorApi,
  "locations",
  Effect.fnUntraced(function* (handlers) {
    const imports = yield* LocationImports;
    const tenants = yield* OperatorTenants;
    const requests = yield* IdempotentRequests;
    const reader = yield* ImportReader;
    return handlers.handleRaw("import", ({ params, query, request }) =>
      Effect.gen(function* () {
        const tenant = yield* tenants.find(params);
        const imported = Effect.gen(function* () {
          const { features, release } = yield* reader.read(tenant, request);
          const data = yield* Effect.ensuring(imports.run(tenant, features, isDryRun(query)), release);
          return HttpServerResponse.jsonUnsafe({ data });
        });
        if (query.part === undefined || isDryRun(query)) return yield* imported;
        const identity = {
          tenant,
          key: query.part.toLowerCase(),
          path: `/operator/v1/workspaces/${tenant.workspace.id}/${tenant.environment}/locations/import`,
        };
        return yield* requests.once(identity, Effect.void, imported);
      }),
    );
  }),
);
