import { Schema, Struct } from "effect";
import { nullableText, shownText } from "../../wire/ShownFields.ts";
import { flag, optionalText, text, whole } from "../../wire/Text.ts";
import { maxLengths } from "../TextLimits.ts";

/** The most bytes of a collapse key, as APNs limits it. */
const maxKeyBytes = 64;

const literal = <const L extends ReadonlyArray<string>>(literals: L, description: string) =>
  Schema.Literals(literals).annotate({ description, examples: [literals[0] as L[number]] });

/** The options with one value each (contract T2). */
const plainOptions = {
  sound: text({
    max: 64,
    description: "Name of the sound file in the app, or `none`. Null: what the service plays by itself.",
    example: "coffee.caf",
  }),
  badge: whole({ min: 0, max: 99_999, description: "Number on the app's icon; 0 removes it.", example: 1 }),
  priority: literal(["high", "normal"], "How urgently the service hands it over; null: `high`."),
  ttl_seconds: whole({
    min: 0,
    max: 2_419_200,
    description:
      "How long the service keeps it for a device that is offline, from its first attempt; null: a day.",
    example: 3600,
  }),
  collapse_key: text({
    max: maxKeyBytes,
    description: "A push replaces an earlier one with the same key: at most 64 bytes of UTF-8.",
    example: "order-4711",
  }).check(
    Schema.makeFilter((key: string) =>
      Buffer.byteLength(key) <= maxKeyBytes
        ? true
        : `The {field} must have at most ${maxKeyBytes} bytes of UTF-8.`,
    ),
  ),
  interruption_level: literal(
    ["passive", "active", "time-sensitive"],
    "How an iPhone interrupts; null: what iOS does by itself.",
  ),
  channel_id: text({ max: 100, description: "Notification channel of the Android app.", example: "offers" }),
  category: text({
    max: 64,
    description: "Category of the iOS app; on Android the action of the intent that a tap starts.",
    example: "OFFER",
  }),
  silent: flag("Whether it wakes the app and shows nothing.", true),
};

/** The options that a push without anything to show cannot have. */
export const shownOnly = ["sound", "badge", "actions", "interruption_level"] as const;

/** An action on write. */
export const ActionDraft = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^[a-z0-9_-]{1,32}$/, {
      message: "The {field} must have 1 to 32 of the characters a-z, 0-9, _ and -.",
    }),
  ).annotate({ description: "Tells the app which action was chosen.", examples: ["save"] }),
  title: text({ max: 40, description: "Label of the action.", example: "Save it" }),
  url: optionalText({
    max: maxLengths.cta_url,
    description: "Address that the action opens, by the rules of `cta_url`; a template with `template`.",
    example: "https://example.com/offer/save",
  }),
}).annotate({ identifier: "PushActionDraft" });

/** Options on write: each may be left out or null. */
export const PushOptionsDraft = Schema.Struct({
  ...plainOptions,
  actions: Schema.Array(ActionDraft).annotate({
    description: "At most two actions with different ids.",
    examples: [[{ id: "save", title: "Save it" }]],
  }),
  data: Schema.Record(Schema.String, Schema.String).annotate({
    description:
      "Texts for the app: at most 20 names of 1 to 64 characters, 1,024 bytes of UTF-8 together. No name " +
      "may be waypost, from, gcm, google or aps, or begin with google. or gcm.",
    examples: [{ order: "4711" }],
  }),
})
  .mapFields(Struct.map(Schema.NullOr))
  .mapFields(Struct.map(Schema.optionalKey))
  .annotate({
    identifier: "PushOptionsDraft",
    description: "How push services deliver and show the message; null: by their defaults.",
    examples: [{ sound: "none", ttl_seconds: 3600 }],
  });

/** An action of a push, as devices and the platform API see it. */
const PushAction = Schema.Struct({
  id: shownText("Tells the app which action was chosen.", "save"),
  title: shownText("Label of the action.", "Save it"),
  url: nullableText("Address that the action opens; null for none.", "https://example.com/offer/save"),
}).annotate({ identifier: "PushAction" });

/** The actions and the data of a message: null for none. */
export const appOptions = {
  actions: Schema.NullOr(Schema.Array(PushAction)).annotate({
    description: "The actions of the push; null for none.",
    examples: [null],
  }),
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.String)).annotate({
    description: "Texts for the app; null for none.",
    examples: [null],
  }),
};

/** The options of a push, as they are stored and shown: all of them, null where not set. */
export const PushOptions = Schema.Struct({
  ...Struct.map(plainOptions, Schema.NullOr),
  ...appOptions,
}).annotate({ identifier: "PushOptions" });
export type PushOptions = typeof PushOptions.Type;

/** No option is set. */
export const unsetOptions: PushOptions = {
  sound: null,
  badge: null,
  priority: null,
  ttl_seconds: null,
  collapse_key: null,
  interruption_level: null,
  channel_id: null,
  category: null,
  silent: null,
  actions: null,
  data: null,
};

/** The options that the app itself reads. */
export const forApp = (push: PushOptions | null): Pick<PushOptions, "actions" | "data"> => ({
  actions: push?.actions ?? null,
  data: push?.data ?? null,
});
