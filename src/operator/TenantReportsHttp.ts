import { Effect } from "effect";
import { OperatorApi } from "../OperatorApi.ts";
import { reportAnswers } from "../reports/ReportAnswer.ts";
import type { ReportName } from "../reports/ReportCsv.ts";
import type { SentParameters } from "../reports/ReportQuery.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { OperatorTenants, type TenantPath } from "./OperatorTenants.ts";

interface ReportInput {
  readonly params: TenantPath;
  readonly query: SentParameters;
}

/** Handlers of `TenantReportsApi`. */
export const tenantReportsHandlers = handlerGroup(
  OperatorApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const respond = yield* reportAnswers;
    const { find } = yield* OperatorTenants;
    const answer =
      (report: ReportName) =>
      ({ params, query }: ReportInput) =>
        Effect.flatMap(find(params), (tenant) => respond(report, tenant, query));
    return handlers
      .handleRaw("summary", answer("summary"))
      .handleRaw("campaigns", answer("campaigns"))
      .handleRaw("locations", answer("locations"))
      .handleRaw("notifications", answer("notifications"))
      .handleRaw("interactions", answer("interactions"))
      .handleRaw("surveys", answer("surveys"));
  }),
);
