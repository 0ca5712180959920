import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { OperatorApi } from "../OperatorApi.ts";
import { Reports } from "../reports/Reports.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

const json = (text: string) => HttpServerResponse.text(text, { contentType: "application/json" });

/** Handlers of `TenantReportsApi`. */
export const tenantReportsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports;
    const { find } = yield* OperatorTenants;
    return handlers
      .handleRaw("summary", ({ params, query }) =>
        Effect.flatMap(find(params), (tenant) => Effect.map(reports.summary(tenant, query), json)),
      )
      .handleRaw("campaigns", ({ params, query }) =>
        Effect.flatMap(find(params), (tenant) => Effect.map(reports.campaigns(tenant, query), json)),
      )
      .handleRaw("locations", ({ params, query }) =>
        Effect.flatMap(find(params), (tenant) => Effect.map(reports.locations(tenant, query), json)),
      )
      .handleRaw("notifications", ({ params, query }) =>
        Effect.flatMap(find(params), (tenant) => Effect.map(reports.notifications(tenant, query), json)),
      )
      .handleRaw("surveys", ({ params, query }) =>
        Effect.flatMap(find(params), (tenant) => Effect.map(reports.surveys(tenant, query), json)),
      );
  }),
);
