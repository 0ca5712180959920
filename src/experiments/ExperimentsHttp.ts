import { Clock, Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { csvLines } from "../http/csv/Csv.ts";
import { CsvExports } from "../http/csv/CsvExports.ts";
import { csvName, todayOf } from "../http/csv/CsvFile.ts";
import { wantsCsv } from "../http/csv/CsvParameters.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import type { NotFound } from "../wire/ApiError.ts";
import { type ExperimentArm, type ExperimentDay, ExperimentStop } from "./ShownExperiment.ts";
import { CampaignExperiments } from "./CampaignExperiments.ts";

const armHeading = [
  "notification_id",
  "key",
  "enrolled",
  "delivered",
  "converted",
  "rate",
  "interval_low",
  "interval_high",
];
const dayHeading = ["date", ...armHeading.filter((name) => name !== "delivered")];

const record = ({ interval, ...arm }: ExperimentArm | ExperimentDay) => ({
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
    /** Arms of a caller's campaign as JSON, or as a file. */
    const shown = Effect.fnUntraced(function* <Found>(
      name: string,
      heading: ReadonlyArray<string>,
      find: (caller: Caller["Service"]) => Effect.Effect<Found, NotFound>,
      arms: (found: Found) => ReadonlyArray<ExperimentArm | ExperimentDay>,
    ) {
      const caller = yield* Caller;
      const isCsv = yield* wantsCsv;
      const data = yield* find(caller);
      if (!isCsv) return { data };
      const now = yield* Clock.currentTimeMillis;
      return yield* exports.send(caller.workspaceId, {
        name: csvName(name, caller, todayOf(caller, now)),
        heading,
        records: csvLines(heading, arms(data).map(record)),
      });
    });
    return handlers
      .handle("get", ({ params }) =>
        shown(
          "experiment",
          armHeading,
          (caller) => experiments.find(caller, params.campaign),
          (found) => found["arms"],
        ),
      )
      .handle("days", ({ params }) =>
        shown(
          "experiment-days",
          dayHeading,
          (caller) => experiments.days(caller, params.campaign),
          (found) => found,
        ),
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
