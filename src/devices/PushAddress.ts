import { Schema, SchemaTransformation } from "effect";
import { optionalOrNull, optionalText, text } from "../wire/Text.ts";

/** The transports to a device. `inbox` has no address: the device fetches its messages. */
export const Transport = Schema.Literals(["fcm", "apns", "webpush", "inbox"]).annotate({
  description:
    "How messages reach the device: a push service, or `inbox`, from which the device fetches them.",
  examples: ["inbox"],
});
export type Transport = typeof Transport.Type;

const providerToken = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })
    .check(
      Schema.isPattern(/^\s*[\x21-\x7e]{1,4096}\s*$/, {
        message: "The push token must have 1 to 4,096 visible ASCII characters without spaces.",
      }),
    )
    .pipe(Schema.decode(SchemaTransformation.trim()));

const key = (description: string, pattern: RegExp, message: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] }).check(Schema.isPattern(pattern, { message }));

const Endpoint = text({
  max: 2048,
  description: "Endpoint of the push subscription, as the browser gave it.",
  example: "https://push.example.com/wpush/v2/gAAAAABlR1",
}).check(
  Schema.makeFilter((endpoint: string) => {
    const url = URL.parse(endpoint);
    return url !== null && (url.protocol === "https:" || url.protocol === "http:")
      ? true
      : "The endpoint must be an https address, as the browser's push subscription has it.";
  }),
);

const transport = <const T extends Transport>(name: T) =>
  Schema.Literal(name).annotate({ description: "The push service.", examples: [name] });

const Fcm = Schema.Struct({
  transport: transport("fcm"),
  token: optionalOrNull(
    providerToken("Registration token of Firebase Cloud Messaging.", "dGhpcyBpcyBub3QgYSB0b2tlbg"),
  ),
  fid: optionalOrNull(
    text({
      max: 255,
      description: "Firebase Installation ID, instead of a token.",
      example: "fBNn3pD5R3aGOUJzq0dq1w",
    }),
  ),
}).check(
  Schema.makeFilter(({ fid = null, token = null }) =>
    (fid === null) === (token === null)
      ? "The push address of fcm must have either a token or a fid, and not both."
      : true,
  ),
);

const Apns = Schema.Struct({
  transport: transport("apns"),
  token: providerToken(
    "Device token of the Apple Push Notification service.",
    "740f4707bebcf74f9b7c25d48e335894",
  ),
  topic: optionalText({
    max: 255,
    description: "The app's bundle id, if it differs from that of the environment's credentials.",
    example: "com.example.shop",
  }),
});

const WebPush = Schema.Struct({
  transport: transport("webpush"),
  endpoint: Endpoint,
  keys: Schema.Struct({
    p256dh: key(
      "Public key of the subscription, an uncompressed P-256 point in base64url.",
      /^B[\w+/-]{86}=?$/,
      "The p256dh key must be the subscription's public key: 65 bytes in base64url.",
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    ),
    auth: key(
      "Authentication secret of the subscription, in base64url.",
      /^[\w+/-]{22}(==)?$/,
      "The auth secret must be the subscription's: 16 bytes in base64url.",
      "BTBZMqHH6r4Tts7J_aSIgg",
    ),
  }),
});

const Inbox = Schema.Struct({ transport: transport("inbox") });

/** The address of a device, by transport. */
export const PushAddress = Schema.Union([Fcm, Apns, WebPush, Inbox]).annotate({
  identifier: "PushAddress",
  description: "The push address; left out or null: `inbox`.",
  examples: [{ transport: "inbox" }],
  message:
    "The push address must be an object with a transport: fcm, apns, webpush or inbox, and its address.",
});
export type PushAddress = typeof PushAddress.Type;

/** The stored form of an address: the transport, and its other fields. */
export const storedAddress = (push: PushAddress | null) => {
  if (push === null || push.transport === "inbox") return { transport: "inbox" as const, address: null };
  const { transport, ...address } = push;
  const given = Object.entries(address).filter(([name, value]) => value !== null || name === "topic");
  return { transport, address: Object.fromEntries(given) };
};
