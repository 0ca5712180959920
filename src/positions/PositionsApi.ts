import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../devices/DeviceAccess.ts";
import { Message } from "../sending/Message.ts";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { Timestamp } from "../wire/Text.ts";
import { Position } from "./Position.ts";
import { TransitionType } from "../events/Transition.ts";

const count = (description: string, example: number) =>
  Schema.Int.annotate({ description, examples: [example] });

const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "The positions must hold 1 to 100 positions." }),
    Schema.isMaxLength(100, { message: "The positions must hold 1 to 100 positions." }),
  );

/** Body of a report, as the documentation shows it. */
const PositionRequest = Schema.Struct({
  positions: listOf(Position).annotate({ description: "1 to 100 positions, the earliest first." }),
}).annotate({ identifier: "PositionRequest" });

/** Body of a report as it is read: a bad position is rejected alone. */
export const PositionsBody = Schema.Struct({ positions: listOf(Schema.Unknown) });
export type PositionsBody = typeof PositionsBody.Type;

/** What became of a report of positions. */
export const PositionsOutcome = Schema.Struct({
  accepted: count("Positions that were taken, those too inexact to change anything included.", 2),
  stale: count("Positions that are not newer than the last one known; they changed nothing.", 0),
  rejected: Schema.Array(
    Schema.Struct({
      index: count("Place of the position in the report, from 0.", 1),
      reasons: Schema.Array(Schema.String).annotate({
        description: "What is wrong with the position.",
        examples: [["The latitude must be a number of degrees from -90 to 90."]],
      }),
    }),
  ).annotate({ description: "Positions that were not taken, and why." }),
  transitions: Schema.Array(
    Schema.Struct({
      type: TransitionType,
      location_id: Schema.String.annotate({
        description: "Id of the location.",
        format: "uuid",
        examples: ["01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01"],
      }),
      occurred_at: Timestamp.annotate({ description: "The time of the position that showed it." }),
    }),
  ).annotate({ description: "The enters and exits that the positions showed, in their order." }),
  deliveries: Schema.Array(Message).annotate({
    description: "Every message that they fired; `delivered_at` is null while a push is on its way.",
  }),
}).annotate({ identifier: "PositionsOutcome" });
export type PositionsOutcome = typeof PositionsOutcome.Type;

/** Where devices tell where they are. */
export class PositionsApi extends HttpApiGroup.make("positions")
  .add(
    HttpApiEndpoint.post("report", "/positions", {
      payload: PositionRequest,
      success: Data(PositionsOutcome),
      error: [PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report positions")
      .annotate(
        OpenApi.Description,
        "Finds the enters and exits of all locations of the environment; they count and fire as reported events do, and share " +
          "one state with them. The first position inside is an enter. A device leaves when it is outside by more than the " +
          "position's accuracy. One over 15 minutes old is counted and fires nothing. Sending the same positions again is safe: they are " +
          "stale, and what they fired is in the device's messages.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Positions")
  .annotate(OpenApi.Description, "Position tracking: the server finds enters and exits itself.") {}
