import { Schema } from "effect";
import { nullableText, shownId, shownText } from "../../../wire/ShownFields.ts";
import { optionalOrNull, Uuid } from "../../../wire/Text.ts";
import { DeliveryState } from "../../deliveries/DeliveryResource.ts";

const maxDevices = 20;
const deviceCount = `The {field} must be a list of 1 to ${maxDevices} ids of approved test devices.`;
const exampleDevice = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** Body of a test send. */
export const TestSendDraft = Schema.Struct({
  device_ids: Schema.Array(Uuid.annotate({ description: "Id of a device.", examples: [exampleDevice] }))
    .annotate({
      description: "The approved test devices to send to, 1 to 20. One that is given twice gets one message.",
      examples: [[exampleDevice]],
      message: deviceCount,
    })
    .check(
      Schema.makeFilter(
        (ids: ReadonlyArray<string>) => (ids.length >= 1 && ids.length <= maxDevices ? true : deviceCount),
        { toJsonSchema: () => ({ minItems: 1, maxItems: maxDevices }) },
      ),
    ),
  location_id: Schema.optionalKey(
    Schema.NullOr(
      Uuid.annotate({
        description: "The location that the message of a geo campaign is for; null for none.",
        examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b65"],
      }),
    ),
  ),
  variant: optionalOrNull(
    shownText(
      "The variant to send, or `control`, of a notification with variants; null: that of each device.",
      "question",
    ),
  ),
}).annotate({ identifier: "TestSendDraft" });
export type TestSendDraft = typeof TestSendDraft.Type;

/** A test send: its deliveries with their outcomes. */
export const TestSend = Schema.Struct({
  id: shownId("Id of the test send, to read it again.", "00000000-0000-8001-8000-000000000000"),
  deliveries: Schema.Array(
    Schema.Struct({
      id: shownId("Id of the delivery, and of the device's message.", "00000000-0000-8001-8000-000000000001"),
      device_id: shownId("Its device.", exampleDevice),
      status: DeliveryState,
      last_error: nullableText(
        "The last error, or why it failed; null for none.",
        "No credentials are set for fcm in this environment.",
      ),
    }).annotate({ identifier: "TestDelivery" }),
  ).annotate({
    description: "One for each device: in the response to the test, in the order of the request.",
  }),
}).annotate({ identifier: "TestSend" });
export type TestSend = typeof TestSend.Type;
