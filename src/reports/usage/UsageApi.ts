import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Data } from "../../wire/Envelope.ts";
import { PlanUsage } from "./PlanUsage.ts";

/** The endpoint of what is used of a plan. It needs no ability (contract W2, Y17). */
export class UsageApi extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("get", "/usage", { success: Data(PlanUsage) })
      .annotate(OpenApi.Summary, "Show what is used of the plan")
      .annotate(
        OpenApi.Description,
        "The counts of this environment that the limits of the plan are compared with. Needs no ability.",
      ),
  )
  .annotate(OpenApi.Title, "Usage")
  .annotate(
    OpenApi.Description,
    "The counts of an environment against the limits of its workspace's plan.",
  ) {}
