import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { bodyErrors, Conflict, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { shownId } from "../wire/ShownFields.ts";
import { ExperimentDay, ExperimentStop, ShownExperiment } from "./ShownExperiment.ts";

const params = { campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60") };

/** The endpoints of the experiment of a campaign (contract U6, U7). */
export class ExperimentsApi extends HttpApiGroup.make("experiments")
  .add(
    HttpApiEndpoint.get("get", "/campaigns/:campaign/experiment", {
      params,
      success: Data(ShownExperiment),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "reports:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "Show what the experiment of a campaign has found")
      .annotate(
        OpenApi.Description,
        "Who is enrolled, who of them reached the campaign's goal, and how sure the differences are. The " +
          "sequential p-values and the intervals of differences stay valid however often they are read.",
      ),
    HttpApiEndpoint.get("days", "/campaigns/:campaign/experiment/days", {
      params,
      success: Data(Schema.Array(ExperimentDay)),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "reports:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "Show the arms of an experiment by day")
      .annotate(
        OpenApi.Description,
        "Each arm at the end of each day in the campaign's time zone, from the first enrolment to the last " +
          "day on which anything happened. A conversion counts on the day on which it happened, so a late " +
          "report changes an earlier day.",
      ),
    HttpApiEndpoint.post("stop", "/campaigns/:campaign/experiment/stop", {
      params,
      payload: ExperimentStop,
      success: Data(ShownExperiment),
      error: [Conflict, NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "campaigns:write")
      .annotate(OpenApi.Summary, "Stop the experiment of a campaign")
      .annotate(
        OpenApi.Description,
        "From now on everybody gets the winner, and those who were held out do, too, unless `keep_holdout` " +
          "says otherwise. Nobody is enrolled any more; those who are go on converting until their hours " +
          "end. The same stop again changes nothing, another one is a 409 `experiment_stopped`.",
      ),
  )
  .annotate(OpenApi.Title, "Experiments")
  .annotate(OpenApi.Description, "Variants and holdouts of campaigns, compared.") {}
