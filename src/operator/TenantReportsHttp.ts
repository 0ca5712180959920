import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { OperatorApi } from "../OperatorApi.ts";
import { reportAnswer } from "../reports/ReportAnswer.ts";
import { Reports } from "../reports/Reports.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `TenantReportsApi`. */
export const tenantReportsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports;
    const { find } = yield* OperatorTenants;
    return handlers
      .handleRaw("summary", ({ params, query, request }) =>
        Effect.flatMap(find(params), (tenant) =>
          Effect.map(reports.summary(tenant, query), reportAnswer(request)),
        ),
      )
      .handleRaw("campaigns", ({ params, query, request }) =>
        Effect.flatMap(find(params), (tenant) =>
          Effect.map(reports.campaigns(tenant, query), reportAnswer(request)),
        ),
      )
      .handleRaw("locations", ({ params, query, request }) =>
        Effect.flatMap(find(params), (tenant) =>
          Effect.map(reports.locations(tenant, query), reportAnswer(request)),
        ),
      )
      .handleRaw("notifications", ({ params, query, request }) =>
        Effect.flatMap(find(params), (tenant) =>
          Effect.map(reports.notifications(tenant, query), reportAnswer(request)),
        ),
      )
      .handleRaw("surveys", ({ params, query, request }) =>
        Effect.flatMap(find(params), (tenant) =>
          Effect.map(reports.surveys(tenant, query), reportAnswer(request)),
        ),
      );
  }),
);
