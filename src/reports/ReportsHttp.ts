import { Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { reportAnswer } from "./ReportAnswer.ts";
import type { SentParameters } from "./ReportQuery.ts";
import { Reports } from "./Reports.ts";

interface ReportRequest {
  readonly query: SentParameters;
  readonly request: HttpServerRequest.HttpServerRequest;
}

/** Handlers of `ReportsApi`. */
export const reportHandlers = HttpApiBuilder.group(
  PlatformApi,
  "reports",
  Effect.fn(function* (handlers) {
    const reports = yield* Reports;
    const answer =
      (report: keyof Reports["Service"]) =>
      ({ query, request }: ReportRequest) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports[report](caller, query), reportAnswer(request)));
    return handlers
      .handleRaw("summary", answer("summary"))
      .handleRaw("campaigns", answer("campaigns"))
      .handleRaw("locations", answer("locations"))
      .handleRaw("notifications", answer("notifications"))
      .handleRaw("interactions", answer("interactions"))
      .handleRaw("surveys", answer("surveys"));
  }),
);
