import { Effect } from "effect";
import { Caller } from "../access/Caller.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { reportAnswers } from "./ReportAnswer.ts";
import type { ReportName } from "./ReportCsv.ts";
import type { SentParameters } from "./ReportQuery.ts";

/** Handlers of `ReportsApi`. */
export const reportHandlers = handlerGroup(
  PlatformApi,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const respond = yield* reportAnswers;
    const answer =
      (report: ReportName) =>
      ({ query }: { readonly query: SentParameters }) =>
        Effect.flatMap(Caller, (caller) => respond(report, caller, query));
    return handlers
      .handleRaw("summary", answer("summary"))
      .handleRaw("campaigns", answer("campaigns"))
      .handleRaw("locations", answer("locations"))
      .handleRaw("notifications", answer("notifications"))
      .handleRaw("interactions", answer("interactions"))
      .handleRaw("surveys", answer("surveys"));
  }),
);
