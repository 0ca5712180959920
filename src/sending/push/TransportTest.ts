import { Schema } from "effect";
import { nullableText, shownId, shownInteger } from "../../wire/ShownFields.ts";
import { flag, Uuid } from "../../wire/Text.ts";
import { PushProvider } from "../credentials/PushCredential.ts";

/** Body of a test. */
export const TransportTestDraft = Schema.Struct({
  device_id: Uuid.annotate({
    description: "A registered device with an address of the transport.",
    examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
  }),
}).annotate({ identifier: "TransportTestDraft" });
export type TransportTestDraft = typeof TransportTestDraft.Type;

/** A push service's response. */
export const TransportTest = Schema.Struct({
  transport: PushProvider,
  device_id: shownId("The device.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  accepted: flag("Whether the push service accepted the push.", true),
  outcome: Schema.Literals(["accepted", "gone", "refused", "unauthorized", "unavailable"]).annotate({
    description:
      "`gone`: the address no longer exists; `refused`: the push was refused for good; `unauthorized`: the " +
      "credentials were refused; `unavailable`: no answer, or one to try again after.",
    examples: ["accepted"],
  }),
  reason: nullableText("Why it was not accepted; null if it was.", "FCM answered with status 503."),
  duration_ms: shownInteger("How long the answer took, in milliseconds.", 182),
}).annotate({ identifier: "TransportTest" });
export type TransportTest = typeof TransportTest.Type;
