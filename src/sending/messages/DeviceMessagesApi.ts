import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { devicePath } from "../../devices/RegisteredDevicesApi.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { Message } from "../rendering/Message.ts";

/** The platform API's endpoint of the messages of a device (contract S1). */
export class DeviceMessagesApi extends HttpApiGroup.make("deviceMessages")
  .add(
    HttpApiEndpoint.get("list", "/devices/:device/messages", {
      params: devicePath,
      query: PageQuery,
      success: PageOf(Message),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "List a device's messages")
      .annotate(
        OpenApi.Description,
        "The messages that were delivered to the device, newest first, as the device sees them.",
      ),
  )
  .annotate(OpenApi.Title, "Messages of devices")
  .annotate(OpenApi.Description, "Messages that devices received.") {}
