import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Device, Platform } from "../devices/Device.ts";
import { bodyErrors, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { flag } from "../wire/Text.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

/** Body of an approval. */
export const Approval = Schema.Struct({
  approved: flag("Whether the device is an approved test device.", true),
}).annotate({ identifier: "Approval" });
export type Approval = typeof Approval.Type;

/** The endpoints of registered devices: list them, and approve test devices. */
export class DeviceListApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/devices", {
      params: environmentPath,
      query: {
        ...PageQuery,
        approved: Schema.optionalKey(flag("Only approved devices, or only those that are not.", true)),
        platform: Schema.optionalKey(Platform),
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
  )
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "Devices that were registered through the device interface.") {}
