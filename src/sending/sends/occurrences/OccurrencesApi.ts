import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../../access/Access.ts";
import { NotFound, Unprocessable } from "../../../wire/ApiError.ts";
import { PageOf } from "../../../wire/Envelope.ts";
import { shownId, shownInstant, shownText } from "../../../wire/ShownFields.ts";
import { wholeParameter } from "../../../wire/Text.ts";

/** A date on which a push campaign sends. */
export const Occurrence = Schema.Struct({
  occurrence: shownText("The date in the campaign's time zone.", "2026-11-30"),
  sends: Schema.Array(
    Schema.Struct({
      notification_id: shownId("The notification.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63"),
      due_at: shownInstant(
        "When it is due, in UTC; of one at a local time, where that comes first among the devices' zones.",
        "2026-11-30T08:00:00+00:00",
      ),
    }).annotate({ identifier: "OccurrenceSend" }),
  ).annotate({
    description: "Its sends, in the order in which the notifications were attached to the campaign.",
  }),
}).annotate({ identifier: "Occurrence" });
export type Occurrence = typeof Occurrence.Type;

/** The endpoint of the dates of a campaign (contract V2). */
export class OccurrencesApi extends HttpApiGroup.make("occurrences")
  .add(
    HttpApiEndpoint.get("list", "/campaigns/:campaign/occurrences", {
      params: { campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62") },
      query: {
        limit: Schema.optionalKey(
          wholeParameter({
            min: 1,
            max: 100,
            description: "The most dates; by default 10.",
            example: 5,
          }),
        ),
      },
      success: PageOf(Occurrence),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "campaigns:read")
      .annotate(OpenApi.Summary, "List the next dates of a campaign")
      .annotate(
        OpenApi.Description,
        "The dates on which a push campaign sends, until its last instant of each has passed, at most 100 " +
          "years ahead; of a campaign without recurrence its one day. `meta.next_cursor` is always null.",
      ),
  )
  .annotate(OpenApi.Title, "Occurrences")
  .annotate(OpenApi.Description, "The dates of push campaigns that send again and again.") {}
