import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { devicePath } from "../devices/RegisteredDevicesApi.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { PageOf, PageQuery } from "../wire/Envelope.ts";
import { nullableText, shownId, shownInstant } from "../wire/ShownFields.ts";
import { TransitionType } from "./Transition.ts";

/** An enter or exit of a device in the platform API. */
export const DeviceEvent = Schema.Struct({
  id: shownId("The device's own id of the event.", "5b3cf2a4-8f57-4a0e-9d4b-0d0f6c1e7a11"),
  type: TransitionType,
  location_id: shownId("Its location, also if that is deleted.", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"),
  location_name: nullableText("Name of the location; null if it is deleted.", "Dam Square"),
  occurred_at: shownInstant("When it happened, in UTC."),
  received_at: shownInstant("When it was reported, in UTC."),
}).annotate({ identifier: "DeviceEvent" });
export type DeviceEvent = typeof DeviceEvent.Type;

/** The platform API's endpoint of the enters and exits of a device (contract S1). */
export class DeviceEventsApi extends HttpApiGroup.make("deviceEvents")
  .add(
    HttpApiEndpoint.get("list", "/devices/:device/events", {
      params: devicePath,
      query: PageQuery,
      success: PageOf(DeviceEvent),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "List a device's enters and exits")
      .annotate(
        OpenApi.Description,
        "Newest first by when they happened. Events past their retention are compacted and not listed.",
      ),
  )
  .annotate(OpenApi.Title, "Events of devices")
  .annotate(OpenApi.Description, "Enters and exits of devices.") {}
