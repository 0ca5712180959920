import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../devices/DeviceAccess.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../wire/Envelope.ts";
import { Message } from "./Message.ts";

/** A device's inbox. */
export class MessagesApi extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("list", "/messages", {
      query: PageQuery,
      success: PageOf(Message),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "List the device's messages")
      .annotate(OpenApi.Description, "The messages that were delivered to this device, newest first."),
    HttpApiEndpoint.post("open", "/messages/:message/opened", {
      params: {
        message: Schema.String.annotate({
          description: "Id of the message.",
          format: "uuid",
          examples: ["00000000-0000-8a41-8000-000000000007"],
        }),
      },
      success: Data(Message),
      error: [NotFound],
    })
      .annotate(OpenApi.Summary, "Mark a message as opened")
      .annotate(OpenApi.Description, "The first time counts; repeating it changes nothing."),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Messages")
  .annotate(OpenApi.Description, "The messages that were delivered to the device.") {}
