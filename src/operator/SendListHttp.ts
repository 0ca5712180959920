import { Effect } from "effect";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { Sends } from "../sending/sends/Sends.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `SendListApi`. */
export const sendListHandlers = handlerGroup(
  OperatorApi,
  "sends",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const sends = yield* Sends;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers.handle("list", ({ params, query }) =>
      Effect.gen(function* () {
        const tenant = yield* tenants.find(params);
        const filters = { campaign: query.campaign, status: query.status };
        if (yield* wantsCsv) return yield* exports.send(yield* sends.file(tenant, filters));
        const scope = { endpoint: "GET /operator/sends", owner: tenant, filters };
        return yield* cursors.page(scope, query, (position) => sends.page(tenant, position, filters));
      }),
    );
  }),
);
