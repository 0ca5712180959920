import { Schema } from "effect";
import { nullableInstant, nullableText } from "../../wire/ShownFields.ts";
import { optionalText, text } from "../../wire/Text.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The push providers: the transports that need credentials. */
export const PushProvider = Schema.Literals(["fcm", "apns", "webpush"]).annotate({
  description: "A push provider, by its name in device registrations.",
  examples: ["fcm"],
});
export type PushProvider = typeof PushProvider.Type;

/** Whether a transport in a path is a push provider. */
export const isProvider = (text: string): text is PushProvider =>
  (PushProvider.literals as ReadonlyArray<string>).includes(text);

/** Binds credentials to their row: copied to another environment or provider, they do not open. */
export const sealingContext = (tenant: TenantKey, transport: PushProvider): string =>
  `${tenant.workspaceId}/${tenant.environment}/${transport}`;

/** The error for any other transport in a path. */
export const unknownTransport = "The transport in the path must be fcm, apns or webpush.";

/** The public part of a provider's credentials. */
export const ShownTransport = Schema.Struct({
  transport: PushProvider,
  configured: Schema.Boolean.annotate({
    description: "Whether credentials are set. Without them deliveries fail with a reason that says so.",
    examples: [true],
  }),
  public_key: nullableText(
    "`webpush` only: VAPID public key that browsers subscribe with (`applicationServerKey`), else null.",
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  ),
  default_url: nullableText(
    "`webpush` only: the address that a message without a web address of its own opens; null for none.",
    "https://example.com/",
  ),
  updated_at: nullableInstant(
    "When the credentials were last set; null while there are none.",
    "2026-11-21T09:30:00+00:00",
  ),
}).annotate({ identifier: "Transport" });
export type ShownTransport = typeof ShownTransport.Type;

const privateKey = (description: string) =>
  text({ max: 16_384, description, example: "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n" });

const baseUrl = (address: string) =>
  optionalText({
    max: 2048,
    description: `Address of the provider, if not ${address}: a proxy or a test server.`,
    example: address,
  });

/** Body of `PUT …/transports/fcm`. */
export const FcmCredentials = Schema.Struct({
  service_account: Schema.Struct({
    project_id: text({ max: 255, description: "Id of the Firebase project.", example: "acme-shop" }),
    client_email: text({
      max: 255,
      description: "The service account's address.",
      example: "push@acme-shop.iam.gserviceaccount.com",
    }),
    private_key: privateKey("The service account's RSA private key, in PEM."),
    private_key_id: optionalText({
      max: 255,
      description: "Id of the private key.",
      example: "3f1f5d7a2b60",
    }),
    token_uri: optionalText({
      max: 2048,
      description: "Address that issues access tokens; Google's if left out.",
      example: "https://oauth2.googleapis.com/token",
    }),
  }).annotate({
    identifier: "ServiceAccount",
    description: "The service account's key file from Google; other fields are ignored.",
    message: "The service account must be the object that its JSON key file holds.",
  }),
  base_url: baseUrl("https://fcm.googleapis.com"),
}).annotate({ identifier: "FcmCredentials" });
export type FcmCredentials = typeof FcmCredentials.Type;

/** Body of `PUT …/transports/apns`. */
export const ApnsCredentials = Schema.Struct({
  team_id: text({ max: 64, description: "Id of the team at Apple.", example: "A1B2C3D4E5" }),
  key_id: text({ max: 64, description: "Id of the signing key.", example: "F6G7H8J9K0" }),
  private_key: privateKey("The signing key (the .p8 file): a P-256 private key in PEM."),
  topic: text({
    max: 255,
    description: "The app's bundle id. A device's own topic takes precedence.",
    example: "com.example.shop",
  }),
  base_url: baseUrl("https://api.push.apple.com"),
}).annotate({ identifier: "ApnsCredentials" });
export type ApnsCredentials = typeof ApnsCredentials.Type;

/** Body of `PUT …/transports/webpush`. */
export const WebPushCredentials = Schema.Struct({
  subject: text({
    max: 255,
    description: "Contact for push services: a mailto: or https: address (RFC 8292).",
    example: "mailto:push@example.com",
  }),
  default_url: optionalText({
    max: 2048,
    description:
      "An http or https address that messages without a web address of their own open, so that browsers " +
      "show them without a service worker. Left out: none.",
    example: "https://example.com/",
  }),
}).annotate({ identifier: "WebPushCredentials" });
export type WebPushCredentials = typeof WebPushCredentials.Type;

/** Web Push credentials as stored, with the keys that the server generated. */
export interface KeptWebPushCredentials extends WebPushCredentials {
  /** PKCS #8, PEM. */
  readonly private_key: string;
  /** The uncompressed point, base64url. */
  readonly public_key: string;
}

/** Credentials as stored, by provider. */
export interface KeptCredentials {
  readonly fcm: FcmCredentials;
  readonly apns: ApnsCredentials;
  readonly webpush: KeptWebPushCredentials;
}
