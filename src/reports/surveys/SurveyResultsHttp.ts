import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { CsvExports } from "../../http/csv/CsvExports.ts";
import { wantsCsv } from "../../http/csv/CsvParameters.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { resultsFile } from "./SurveyCsv.ts";
import { SurveyResults } from "./SurveyResults.ts";

/** Handlers of `SurveyResultsApi`. */
export const surveyResultsHandlers = handlerGroup(
  PlatformApi,
  "surveyResults",
  Effect.fnUntraced(function* (handlers) {
    const surveys = yield* SurveyResults;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers
      .handle(
        "results",
        Effect.fnUntraced(function* ({ params, query }) {
          const caller = yield* Caller;
          const results = yield* surveys.results(caller, params, query);
          if (yield* wantsCsv)
            return yield* exports.send(caller.workspaceId, resultsFile(caller, results.data, results.meta));
          return results;
        }),
      )
      .handle(
        "answers",
        Effect.fnUntraced(function* ({ params, query }) {
          const caller = yield* Caller;
          const scope = yield* surveys.scope(caller, params, query);
          if (yield* wantsCsv)
            return yield* exports.send(caller.workspaceId, yield* surveys.file(caller, scope));
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
