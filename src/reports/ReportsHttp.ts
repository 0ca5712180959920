import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { Reports } from "./Reports.ts";

/** The database wrote the JSON: ten thousand rows pass through as they are, without holding anybody up. */
const json = (text: string) => HttpServerResponse.text(text, { contentType: "application/json" });

/** Handlers of `ReportsApi`. */
export const reportHandlers = HttpApiBuilder.group(
  PlatformApi,
  "reports",
  Effect.fn(function* (handlers) {
    const reports = yield* Reports;
    return handlers
      .handleRaw("summary", ({ query }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.summary(caller, query), json)),
      )
      .handleRaw("campaigns", ({ query }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.campaigns(caller, query), json)),
      )
      .handleRaw("locations", ({ query }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.locations(caller, query), json)),
      )
      .handleRaw("notifications", ({ query }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.notifications(caller, query), json)),
      )
      .handleRaw("surveys", ({ query }) =>
        Effect.flatMap(Caller, (caller) => Effect.map(reports.surveys(caller, query), json)),
      );
  }),
);
