import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../../devices/DeviceAccess.ts";
import { NotFound, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../../wire/ApiError.ts";
import { withOptionalBody } from "../../wire/OpenApiTidy.ts";
import { Data, PageOf, PageQuery } from "../../wire/Envelope.ts";
import { shownId } from "../../wire/ShownFields.ts";
import { Interaction, InteractionDraft } from "./Interaction.ts";
import { Message } from "../rendering/Message.ts";

const interaction = {
  params: {
    message: shownId("Id of the message.", "c1e07f3a-9d24-8b56-91f8-2a6d4e7b03c5"),
  },
  payload: InteractionDraft,
  success: Data(Interaction),
  error: [NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
} as const;

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
    HttpApiEndpoint.post("open", "/messages/:message/opened", interaction)
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(OpenApi.Summary, "Mark a message as opened")
      .annotate(OpenApi.Description, "The first time counts; repeating it changes nothing."),
    HttpApiEndpoint.post("click", "/messages/:message/clicked", interaction)
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(OpenApi.Summary, "Mark a message's button as clicked")
      .annotate(
        OpenApi.Description,
        "The first time counts; repeating it changes nothing. A message that was not opened yet is opened.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Messages")
  .annotate(OpenApi.Description, "The messages that were delivered to the device.") {}
