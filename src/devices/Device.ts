import { Schema } from "effect";
import { TimeZoneName } from "../time/TimeZone.ts";
import { exactParameter } from "../wire/SearchText.ts";
import { nullableText, shownId, shownText } from "../wire/ShownFields.ts";
import { flag, optionalText, text, Timestamp } from "../wire/Text.ts";
import { SentAttributes } from "./Attributes.ts";
import { PushAddress, Transport } from "./PushAddress.ts";

/** The platforms of devices. */
export const Platform = Schema.Literals(["ios", "android", "web", "other"]).annotate({
  description: "The platform of the device.",
  examples: ["android"],
});
export type Platform = typeof Platform.Type;

const deviceFields = {
  id: shownId("Id of the device.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  installation_id: shownText(
    "The app's own id of this installation.",
    "5f0c1b1e-3a43-4b0e-9f8e-6a3b1d2c4e5f",
  ),
  platform: Platform,
  transport: Transport,
  address_gone: flag(
    "Whether the push service reported the address as gone: nothing is sent until one is registered again.",
    false,
  ),
  approved: flag(
    "Whether somebody approved this as a test device. Test sends reach only these, and in Sandbox so does " +
      "everything else.",
    true,
  ),
  attributes: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "Attributes that the app sent, for segments.",
    examples: [{ plan: "gold", visits: 12 }],
  }),
  locale: nullableText("Language and region; null if the app did not send it.", "nl-NL"),
  timezone: Schema.NullOr(Schema.String.pipe(Schema.brand("TimeZoneName"))).annotate({
    description: "IANA time zone of the device; null if the app did not send it.",
    examples: ["Europe/Amsterdam" as TimeZoneName],
  }),
  app_version: nullableText("Version of the app; null if it did not send it.", "4.2.0"),
  user_id: nullableText(
    "The person behind the device, by the app's own id; null if unknown.",
    "customer-4711",
  ),
  subscribed: flag("Whether the device wants messages; if not, nothing is sent to it.", true),
  registered_at: Timestamp,
  last_seen_at: Timestamp,
};

/** A device in the operator and device interfaces. Push addresses are never shown. */
export const Device = Schema.Struct(deviceFields).annotate({ identifier: "Device" });
export type Device = typeof Device.Type;

const tokenField = shownText(
  "The device's own token, for everything except registering. It is shown only once.",
  "wpd_00000100000200000000000000000000000000000000000000",
);

/** The response to a registration; it has the token if a new one was issued. */
export const Registration = Schema.Struct({
  ...deviceFields,
  device_token: Schema.optionalKey(tokenField),
}).annotate({ identifier: "Registration" });
export type Registration = typeof Registration.Type;

/** Body of an approval. */
export const Approval = Schema.Struct({
  approved: flag("Whether the device is an approved test device.", true),
}).annotate({ identifier: "Approval" });

/** The query parameters that select registered devices. */
export const deviceFilters = {
  approved: Schema.optionalKey(flag("Only approved devices, or only those that are not.", true)),
  platform: Schema.optionalKey(Platform),
  user_id: exactParameter("Only those of this person.", "customer-4711"),
  q: exactParameter("Only those whose installation id has this part, in any letter case.", "5f0c1b1e"),
};

/** The response to a rotation. */
export const RotatedToken = Schema.Struct({ device_token: tokenField }).annotate({
  identifier: "RotatedToken",
});

/** The app's own id of the person behind a device. */
export const UserId = text({
  max: 255,
  description: "The person behind the device: the app's own id, the same on all devices of the person.",
  example: "customer-4711",
});

const sentFields = {
  push: Schema.optionalKey(Schema.NullOr(PushAddress)),
  attributes: Schema.optionalKey(Schema.NullOr(SentAttributes)),
  locale: optionalText({ max: 64, description: "Language and region of the device.", example: "nl-NL" }),
  timezone: Schema.optionalKey(Schema.NullOr(TimeZoneName)),
  app_version: optionalText({ max: 64, description: "Version of the app.", example: "4.2.0" }),
  user_id: Schema.optionalKey(Schema.NullOr(UserId)),
  user_hash: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description:
        "Proof of the `user_id`, where the workspace demands it: the HMAC-SHA256 of the id under the " +
        "environment's user secret, in hexadecimal digits, made by the app's own server.",
      examples: ["b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"],
    }),
  ),
  subscribed: Schema.optionalKey(
    flag("Whether the device wants messages; left out: as before, at first true.", false),
  ),
};

/** Body of a registration, which replaces an earlier one as a whole. */
export const RegistrationDraft = Schema.Struct({ platform: Platform, ...sentFields }).annotate({
  identifier: "RegistrationDraft",
});
export type RegistrationDraft = typeof RegistrationDraft.Type;

/** Body of a change: missing fields are kept, attributes are merged by name, null clears a field. */
export const DevicePatch = Schema.Struct(sentFields).annotate({ identifier: "DevicePatch" });
export type DevicePatch = typeof DevicePatch.Type;
