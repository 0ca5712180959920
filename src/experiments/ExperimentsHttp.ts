import { Clock, Effect, Stream } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { csvLines } from "../http/csv/Csv.ts";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { csvName, todayOf } from "../http/csv/CsvFile.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { type ExperimentArm, ExperimentStop } from "./ShownExperiment.ts";
import { CampaignExperiments } from "./CampaignExperiments.ts";

const heading = [
  "notification_id",
  "key",
  "enrolled",
  "delivered",
  "converted",
  "rate",
  "interval_low",
  "interval_high",
];

const record = ({ interval, ...arm }: ExperimentArm) => ({
  ...arm,
  interval_low: interval?.[0],
  interval_high: interval?.[1],
});

/** Handlers of `ExperimentsApi`. */
export const experimentsHandlers = handlerGroup(
  PlatformApi,
  "experiments",
  Effect.fnUntraced(function* (handlers) {
    const experiments = yield* CampaignExperiments;
    const exports = yield* CsvExports;
    return handlers
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          const caller = yield* Caller;
          const isCsv = yield* wantsCsv;
          const data = yield* experiments.find(caller, params.campaign);
          if (!isCsv) return { data };
          const now = yield* Clock.currentTimeMillis;
          return yield* exports.send(caller.workspaceId, {
            name: csvName("experiment", caller, todayOf(caller, now)),
            heading,
            records: Effect.succeed(Stream.succeed(csvLines(heading, data["arms"].map(record)))),
          });
        }),
      )
      .handleRaw("stop", ({ params, ...input }) =>
        callerData((caller) =>
          readParsedBody(ExperimentStop, input).pipe(
            // An unknown campaign is reported before a body that cannot be parsed (contract B1).
            Effect.tapError(() => experiments.find(caller, params.campaign)),
            Effect.flatMap((body) => experiments.stop(caller, params.campaign, body)),
          ),
        ),
      );
  }),
);
