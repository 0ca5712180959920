import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Device, Platform } from "../devices/Device.ts";
import { NotFound, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { flag } from "../wire/Text.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

/** Body of an approval. */
export const Approval = Schema.Struct({
  approved: flag("Whether the device is an approved test device.", true),
}).annotate({ identifier: "Approval" });
export type Approval = typeof Approval.Type;

/** The registered devices of an environment: listed, and approved as test devices. */
export class DeviceListApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/devices", {
      params: environmentPath,
      query: {
        ...PageQuery,
        approved: Schema.optionalKey(flag("Only devices that are approved, or that are not.", true)),
        platform: Schema.optionalKey(Platform),
      },
      success: PageOf(Device),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List registered devices")
      .annotate(OpenApi.Description, "Newest first, without those that unregistered."),

    HttpApiEndpoint.patch("approve", "/workspaces/:workspace/:env/devices/:device", {
      params: { ...environmentPath, device: idInPath("device") },
      payload: Approval,
      success: Data(Device),
      error: [NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Approve a test device, or take the approval back")
      .annotate(OpenApi.Description, "In Sandbox only approved devices get messages."),
  )
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "What has been registered through the device interface.") {}
