import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../../access/Caller.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { SurveyResults } from "./SurveyResults.ts";

/** Handlers of `SurveyResultsApi`. */
export const surveyResultsHandlers = HttpApiBuilder.group(
  PlatformApi,
  "surveyResults",
  Effect.fn(function* (handlers) {
    const surveys = yield* SurveyResults;
    const cursors = yield* Cursors;
    return handlers
      .handle("results", ({ params, query }) =>
        Effect.flatMap(Caller, (caller) => surveys.results(caller, params, query)),
      )
      .handle(
        "answers",
        Effect.fnUntraced(function* ({ params, query }) {
          const caller = yield* Caller;
          const scope = yield* surveys.scope(caller, params, query);
          const { campaign, end, notification, start } = scope;
          const list = {
            endpoint: "GET /campaigns/notifications/answers",
            owner: caller,
            filters: { campaign, notification, start, end },
          };
          return yield* cursors.page(list, query, (position) => surveys.responses(caller, scope, position));
        }),
      );
  }),
);
