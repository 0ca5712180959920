import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Data } from "../wire/Envelope.ts";
import { HealthReport } from "./HealthCheck.ts";

/** The endpoint of the doctor's findings (contract S7). */
export class HealthReportApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("report", "/health/report", { success: Data(HealthReport) })
      .annotate(OpenApi.Summary, "Check the installation")
      .annotate(
        OpenApi.Description,
        "The report of `waypost doctor`: settings, data directory, database, clock, media, push services, " +
          "server and background work. The checks take seconds, so a report may be up to 5 seconds old.",
      ),
  )
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "Whether the installation works, and what to do if not.") {}
