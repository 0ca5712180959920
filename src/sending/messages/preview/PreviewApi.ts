import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { ChangesNothing, Needs } from "../../../access/Access.ts";
import { bodyErrors } from "../../../wire/ApiError.ts";
import { Data } from "../../../wire/Envelope.ts";
import { shownText } from "../../../wire/ShownFields.ts";
import { Preview, PreviewDraft } from "./Preview.ts";

/** Previews of notifications (contract O3). */
export class PreviewApi extends HttpApiGroup.make("previews")
  .add(
    HttpApiEndpoint.post("preview", "/notifications/preview", {
      query: {
        variant: Schema.optionalKey(
          shownText(
            "The variant to preview, or `control`, of a notification with variants. Without it that of the " +
              "device, or `control` without a device.",
            "question",
          ),
        ),
      },
      payload: PreviewDraft,
      success: Data(Preview),
      error: bodyErrors,
    })
      .annotate(Needs, "notifications:read")
      .annotate(ChangesNothing, true)
      .annotate(OpenApi.Summary, "Preview a notification")
      .annotate(
        OpenApi.Description,
        "A message as a device would get it, of a draft or a notification. Nothing is stored or sent, and " +
          "the request counts as a read. `attributes` are merged over those of the device.",
      ),
  )
  .annotate(OpenApi.Title, "Previews")
  .annotate(OpenApi.Description, "Messages as devices would get them.") {}
