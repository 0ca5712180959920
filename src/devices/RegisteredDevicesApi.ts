import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { shownId } from "../wire/ShownFields.ts";
import { AttributeSummaries } from "./AttributeSummary.ts";
import { Approval, Device, deviceFilters } from "./Device.ts";

/** The path parameter of a device in the platform API. */
export const devicePath = {
  device: shownId("Id of the device.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
};

/** The platform API's endpoints of registered devices and of their attributes (contract S1). */
export class RegisteredDevicesApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/devices", {
      query: { ...PageQuery, ...deviceFilters },
      success: PageOf(Device),
      error: [Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List registered devices")
      .annotate(OpenApi.Description, "Newest first, without devices that have unregistered."),
    HttpApiEndpoint.get("get", "/devices/:device", {
      params: devicePath,
      success: Data(Device),
      error: [NotFound],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "Show a device"),
    HttpApiEndpoint.patch("approve", "/devices/:device", {
      params: devicePath,
      payload: Approval,
      success: Data(Device),
      error: [NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "devices:write")
      .annotate(OpenApi.Summary, "Approve a test device, or withdraw the approval")
      .annotate(
        OpenApi.Description,
        "Test sends reach only approved devices. In Sandbox they alone get messages.",
      ),
    HttpApiEndpoint.get("attributes", "/attributes", {
      success: AttributeSummaries,
      error: [],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "List the attributes of devices")
      .annotate(
        OpenApi.Description,
        "The names that registered devices have, the most frequent first, each with up to 20 of its most " +
          "frequent values. With over 100,000 devices the counts are estimates from an even sample, at " +
          "most five seconds old.",
      ),
  )
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "The devices that apps registered, and their attributes.") {}
