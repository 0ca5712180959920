import { Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { OperatorApi } from "../OperatorApi.ts";
import { reportAnswer } from "../reports/ReportAnswer.ts";
import { Reports } from "../reports/Reports.ts";
import { OperatorTenants, type TenantPath } from "./OperatorTenants.ts";

type Report = Reports["Service"]["summary"];

interface ReportInput {
  readonly params: TenantPath;
  readonly query: Parameters<Report>[1];
  readonly request: HttpServerRequest.HttpServerRequest;
}

/** Handlers of `TenantReportsApi`. */
export const tenantReportsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports;
    const { find } = yield* OperatorTenants;
    const respond = (report: Report, { params, query, request }: ReportInput) =>
      Effect.flatMap(find(params), (tenant) => Effect.map(report(tenant, query), reportAnswer(request)));
    return handlers
      .handleRaw("summary", (input) => respond(reports.summary, input))
      .handleRaw("campaigns", (input) => respond(reports.campaigns, input))
      .handleRaw("locations", (input) => respond(reports.locations, input))
      .handleRaw("notifications", (input) => respond(reports.notifications, input))
      .handleRaw("interactions", (input) => respond(reports.interactions, input))
      .handleRaw("surveys", (input) => respond(reports.surveys, input));
  }),
);
