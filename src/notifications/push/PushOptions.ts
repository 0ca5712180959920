import { Schema, Struct } from "effect";
import { codePoints } from "../../wire/CodePoints.ts";
import { atMost, inParts, keptAs, namedBy } from "../../wire/Parts.ts";
import { nullableText, shownText } from "../../wire/ShownFields.ts";
import { flag, optionalOrNull, optionalText, text, unstorable, whole } from "../../wire/Text.ts";
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
const shownOnly = ["sound", "badge", "actions", "interruption_level"] as const;

const ActionDraft = Schema.Struct({
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
})
  .annotate({ identifier: "PushActionDraft" })
  .pipe(inParts());

const maxActions = 2;
const maxData = { names: 20, nameLength: 64, bytes: 1024 };
/** Names that Waypost or a push service uses itself. */
const reserved = /^(?:waypost|from|gcm|google|aps|google\..*|gcm\..*)$/s;

const nameLength = `A name in the data must have 1 to ${maxData.nameLength} characters.`;

const nameProblem = (name: string): string | null => {
  if (codePoints(name) > maxData.nameLength) return nameLength;
  return reserved.test(name)
    ? "A name in the data may not be waypost, from, gcm, google or aps, nor begin with google. or gcm.: " +
        "choose another one."
    : ofValue(unstorable(name));
};
const ofValue = (sentence: string | null) => sentence && sentence.replace("{field}", "value");

const DataText = Schema.String.annotate({ message: "The value must be a text." }).check(
  Schema.makeFilter((text: string) => ofValue(unstorable(text)) ?? true),
);

const PushOptionsDraft = Schema.Struct({
  ...plainOptions,
  actions: Schema.Array(ActionDraft)
    .annotate({
      description: "At most two actions with different ids.",
      examples: [[{ id: "save", title: "Save it" }]],
    })
    .check(atMost(maxActions, `A push can have at most ${maxActions} actions.`))
    .pipe(
      inParts(([first, second], problems) => {
        if (second?.id !== undefined && second.id === first?.id)
          problems.add("1.id", "The ids of the actions must differ.");
      }),
    ),
  data: Schema.Record(Schema.String, DataText)
    .annotate({
      description:
        "Texts for the app: at most 20 names of 1 to 64 characters, 1,024 bytes of UTF-8 together. No name " +
        "may be waypost, from, gcm, google or aps, or begin with google. or gcm.",
      examples: [{ order: "4711" }],
      message: "The data must be an object of texts.",
    })
    .check(
      atMost(maxData.names, `The data can have at most ${maxData.names} names.`),
      Schema.makeFilter((data: object) => !Object.hasOwn(data, ""), { message: nameLength }),
    )
    .pipe(
      namedBy(nameProblem),
      inParts((data, problems) => {
        const bytes = Buffer.byteLength(Object.entries(data).flat().join(""));
        if (bytes <= maxData.bytes) return;
        const most = maxData.bytes.toLocaleString("en");
        problems.add("", `The data must have at most ${most} bytes of UTF-8, its names included.`);
      }),
    ),
})
  .mapFields(Struct.map(Schema.NullOr))
  .mapFields(Struct.map(Schema.optionalKey))
  .annotate({
    identifier: "PushOptionsDraft",
    description: "How push services deliver and show the message; null: by their defaults.",
    examples: [{ sound: "none", ttl_seconds: 3600 }],
    message: "The push options must be an object.",
  })
  .pipe(
    inParts((options, problems) => {
      if (options.silent !== true) return;
      for (const field of shownOnly) {
        if (!isSet(options[field])) continue;
        problems.add(
          field,
          `A silent push shows nothing, so it has no ${field.replaceAll("_", " ")}: leave it out.`,
        );
      }
    }),
  );

const isSet = (option: unknown): boolean =>
  Array.isArray(option) ? option.length > 0 : (option ?? null) !== null;

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

/** The options of a push on write: each may be left out or null (contract T2). Null if none is set. */
export const pushDraft = optionalOrNull(
  PushOptionsDraft.pipe(
    keptAs(({ actions, data, silent, ...plain }) => {
      const options = {
        ...unsetOptions,
        ...plain,
        silent: silent === true ? true : null,
        actions: isSet(actions) ? actions?.map((action) => ({ ...action, url: action.url ?? null })) : null,
        data: Object.keys(data ?? {}).length > 0 ? data : null,
      };
      return Object.values(options).some((option) => option !== null) ? (options as PushOptions) : null;
    }),
  ),
);
