import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Cursors } from "../http/Cursors.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { OperatorTenants } from "./OperatorTenants.ts";
import { SendListSql } from "./SendListSql.ts";

/** Handlers of `SendListApi`. */
export const sendListHandlers = HttpApiBuilder.group(
  OperatorApi,
  "sends",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const sends = yield* SendListSql;
    const cursors = yield* Cursors;
    return handlers.handle("list", ({ params, query }) =>
      Effect.flatMap(tenants.find(params), (tenant) => {
        const filters = { campaign: query.campaign, status: query.status };
        const scope = { endpoint: "GET /operator/sends", owner: tenant, filters };
        return cursors.page(scope, query, (position) => sends.page(tenant, position, filters));
      }),
    );
  }),
);
