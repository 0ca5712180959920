import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { OperatorApi } from "../OperatorApi.ts";
import { HealthReports } from "./HealthReports.ts";

/** Handlers of `HealthReportApi`. */
export const healthReportHandlers = HttpApiBuilder.group(
  OperatorApi,
  "health",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* HealthReports;
    return handlers.handle("report", () => Effect.map(reports.report, (data) => ({ data })));
  }),
);
