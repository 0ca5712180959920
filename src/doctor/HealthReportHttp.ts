import { Effect } from "effect";
import { OperatorApi } from "../OperatorApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { HealthReports } from "./HealthReports.ts";

/** Handlers of `HealthReportApi`. */
export const healthReportHandlers = handlerGroup(
  OperatorApi,
  "health",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* HealthReports;
    return handlers.handle("report", () => Effect.map(reports.report, (data) => ({ data })));
  }),
);
