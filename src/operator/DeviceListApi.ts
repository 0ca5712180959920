import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Approval, Device, deviceFilters } from "../devices/Device.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { Explanation, explanationQuery } from "../sending/explanations/ExplanationApi.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

/** The endpoints of registered devices: list them, and approve test devices. */
export class DeviceListApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/devices", {
      params: environmentPath,
      query: {
        ...PageQuery,
        ...deviceFilters,
      },
      success: PageOf(Device),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List registered devices")
      .annotate(OpenApi.Description, "Newest first, without devices that have unregistered."),

    HttpApiEndpoint.patch("approve", "/workspaces/:workspace/:env/devices/:device", {
      params: { ...environmentPath, device: idInPath("device") },
      payload: Approval,
      success: Data(Device),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Approve a test device, or withdraw the approval")
      .annotate(OpenApi.Description, "In Sandbox only approved devices get messages."),

    HttpApiEndpoint.get("explain", "/workspaces/:workspace/:env/devices/:device/explain", {
      params: { ...environmentPath, device: idInPath("device") },
      query: explanationQuery,
      success: PageOf(Explanation),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Explain which campaigns would reach a device")
      .annotate(
        OpenApi.Description,
        "Each active campaign, newest first: whether it would reach the device now, and if not the first " +
          "reason.",
      ),
  )
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "Devices that were registered through the device interface.") {}
