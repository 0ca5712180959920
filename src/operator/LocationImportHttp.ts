import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { IdempotentRequests } from "../http/IdempotentRequests.ts";
import { FeatureCollection } from "../locations/LocationImport.ts";
import { LocationImports } from "../locations/LocationImports.ts";
import { importBodyRules, isDryRun } from "../locations/LocationsApi.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { readBody } from "../wire/RequestBody.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `LocationImportApi`. */
export const locationImportHandlers = HttpApiBuilder.group(
  OperatorApi,
  "locations",
  Effect.fnUntraced(function* (handlers) {
    const imports = yield* LocationImports;
    const tenants = yield* OperatorTenants;
    const requests = yield* IdempotentRequests;
    return handlers.handleRaw("import", ({ endpoint, params, query, request }) =>
      Effect.gen(function* () {
        const tenant = yield* tenants.find(params);
        const imported = Effect.gen(function* () {
          const body = yield* readParsedBody(FeatureCollection, { request, endpoint });
          return HttpServerResponse.jsonUnsafe({
            data: yield* imports.run(tenant, body, isDryRun(query)),
          });
        });
        if (query.part === undefined || isDryRun(query)) return yield* imported;
        const identity = {
          tenant,
          key: query.part.toLowerCase(),
          path: `/operator/v1/workspaces/${tenant.workspace.id}/${tenant.environment}/locations/import`,
        };
        return yield* requests.once(identity, Effect.ignore(readBody(request, importBodyRules)), imported);
      }),
    );
  }),
);
