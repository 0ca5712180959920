import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { reportAnswer } from "./ReportAnswer.ts";
import { Reports } from "./Reports.ts";

/** Handlers of `ReportsApi`. */
export const reportHandlers = HttpApiBuilder.group(
  PlatformApi,
  "reports",
  Effect.fn(function* (handlers) {
    const reports = yield* Reports;
    return handlers
      .handleRaw("summary", ({ query, request }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.summary(caller, query), reportAnswer(request))),
      )
      .handleRaw("campaigns", ({ query, request }) =>
        Effect.flatMap(Caller, (caller) =>
          Effect.map(reports.campaigns(caller, query), reportAnswer(request)),
        ),
      )
      .handleRaw("locations", ({ query, request }) =>
        Effect.flatMap(Caller, (caller) =>
          Effect.map(reports.locations(caller, query), reportAnswer(request)),
        ),
      )
      .handleRaw("notifications", ({ query, request }) =>
        Effect.flatMap(Caller, (caller) =>
          Effect.map(reports.notifications(caller, query), reportAnswer(request)),
        ),
      )
      .handleRaw("surveys", ({ query, request }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.surveys(caller, query), reportAnswer(request))),
      );
  }),
);
