import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../devices/DeviceAccess.ts";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { sentList } from "../wire/Parts.ts";
import { shownId, shownInteger } from "../wire/ShownFields.ts";
import { Timestamp } from "../wire/Text.ts";
import { Position } from "./Position.ts";
import { laterFields, rejectedEntries } from "../events/EventsApi.ts";
import { TransitionType } from "../events/Transition.ts";

/** Request body. */
export const PositionsBody = Schema.Struct({
  positions: sentList(Position, 100, "positions").annotate({
    description: "1 to 100 positions, the earliest first.",
  }),
}).annotate({ identifier: "PositionRequest" });
export type PositionsBody = typeof PositionsBody.Type;

/** Response. */
export const PositionsOutcome = Schema.Struct({
  accepted: shownInteger("Accepted positions, including those too imprecise to change anything.", 2),
  stale: shownInteger("Positions that are not newer than the last one; they changed nothing.", 0),
  rejected: rejectedEntries(
    "position",
    "The latitude must be a number of degrees from -90 to 90.",
    "Rejected positions, and why.",
  ),
  transitions: Schema.Array(
    Schema.Struct({
      type: TransitionType,
      location_id: shownId("Id of the location.", "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"),
      occurred_at: Timestamp.annotate({ description: "The time of the position that shows it." }),
    }),
  ).annotate({ description: "The enters and exits that the positions show, in order." }),
  ...laterFields("positions", "from the first of them on"),
}).annotate({ identifier: "PositionsOutcome" });
export type PositionsOutcome = typeof PositionsOutcome.Type;

/** Reports of positions. */
export class PositionsApi extends HttpApiGroup.make("positions")
  .add(
    HttpApiEndpoint.post("report", "/positions", {
      payload: PositionsBody,
      success: Data(PositionsOutcome),
      error: [PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report positions")
      .annotate(
        OpenApi.Description,
        "Detects enters and exits of all locations of the environment. They count and trigger campaigns as " +
          "reported events do, and share one state with them. The first position inside is an enter. A " +
          "device leaves when it is outside by more than the position's accuracy. A transition over 15 " +
          "minutes old is counted but fires nothing. Sending the same positions again is safe: they are " +
          "stale, and the messages are in the inbox. Positions that the request has no time for are listed " +
          "as `later`, and were not followed.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Positions")
  .annotate(OpenApi.Description, "Positions of devices: the server detects enters and exits itself.") {}
