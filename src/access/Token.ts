import { Schema, SchemaTransformation } from "effect";
import { Ability } from "./Ability.ts";
import { nullableInstant, shownId, shownText } from "../wire/ShownFields.ts";
import { optionalOrNull, text, Timestamp } from "../wire/Text.ts";
import { webOrigin } from "../wire/WebOrigin.ts";
import { Environment } from "../workspaces/Environment.ts";
import { Instant } from "../time/Instant.ts";

const Name = text({ max: 255, description: "The purpose of the token.", example: "Warehouse sync" });

const tokenFields = {
  id: shownId("Id of the token.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  name: shownText("The purpose of the token.", "Warehouse sync"),
  environment: Environment,
  abilities: Schema.Array(Ability).annotate({
    description: "The token's abilities.",
    examples: [["campaigns:read", "reports:read"]],
  }),
  expires_at: nullableInstant("When the token stops working; null for never.", "2027-11-21T00:00:00+00:00"),
  revoked_at: nullableInstant(
    "When the token was revoked; null while it is not.",
    "2026-12-01T08:00:00+00:00",
  ),
  last_used_at: nullableInstant(
    "When the token was last used, to the minute; null for never.",
    "2026-11-21T09:30:00+00:00",
  ),
  created_at: Timestamp,
};

/** A platform API token without its secret. */
export const Token = Schema.Struct(tokenFields).annotate({ identifier: "Token" });
export type Token = typeof Token.Type;

/** The response to a new token, the only one that shows its secret. */
export const IssuedToken = Schema.Struct({
  ...tokenFields,
  token: shownText(
    "The token itself, shown this once: `wps_…` for Sandbox, `wpp_…` for Production.",
    "wps_0000000000000000000000000000000000000",
  ),
}).annotate({ identifier: "IssuedToken" });

/** Body of a new token. */
export const TokenDraft = Schema.Struct({
  name: Name,
  environment: Environment,
  abilities: Schema.Array(Ability)
    .annotate({ description: "The token's abilities.", examples: [["campaigns:read", "reports:read"]] })
    .check(Schema.isMinLength(1, { message: "The abilities must name at least one ability." })),
  expires_at: Schema.optionalKey(Schema.NullOr(Instant)),
}).annotate({ identifier: "TokenDraft" });
export type TokenDraft = typeof TokenDraft.Type;

const Origin = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      webOrigin(text) !== null ||
      "Each of the {field} must be an origin such as https://shop.example, without a path " +
        "(http only for localhost and private addresses).",
    { toJsonSchema: () => ({ format: "uri" }) },
  ),
).pipe(
  Schema.decode(
    SchemaTransformation.transform<string, string>({
      decode: (text) => webOrigin(text) ?? text,
      encode: (origin) => origin,
    }),
  ),
);

const originsDescription =
  "The origins whose pages may register devices with the key; null for any. Apps are not held to it.";

const sdkKeyFields = {
  id: tokenFields.id,
  name: shownText("Which app uses the key.", "iOS app"),
  environment: Environment,
  allowed_origins: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: originsDescription,
    examples: [["https://shop.example"]],
  }),
  revoked_at: tokenFields.revoked_at,
  last_used_at: tokenFields.last_used_at,
  created_at: Timestamp,
};

/** An SDK key, with which an app registers devices, without its secret. */
export const SdkKey = Schema.Struct(sdkKeyFields).annotate({ identifier: "SdkKey" });
export type SdkKey = typeof SdkKey.Type;

/** The response to a new SDK key, the only one that shows it. */
export const IssuedSdkKey = Schema.Struct({
  ...sdkKeyFields,
  sdk_key: shownText("The key itself, shown this once.", "wpk_0000000000000000000000000000000000000"),
}).annotate({ identifier: "IssuedSdkKey" });

/** Body of a new SDK key. */
export const SdkKeyDraft = Schema.Struct({
  name: text({ max: 255, description: "Which app uses the key.", example: "iOS app" }),
  allowed_origins: optionalOrNull(
    Schema.Array(Origin)
      .annotate({ description: originsDescription, examples: [["https://shop.example"]] })
      .check(Schema.isMaxLength(20, { message: "The {field} must have at most 20 origins." })),
  ),
}).annotate({ identifier: "SdkKeyDraft" });
export type SdkKeyDraft = typeof SdkKeyDraft.Type;

/** A credential after its revocation; `isNew` is false if it had been revoked before. */
export interface Revocation<Credential> {
  readonly credential: Credential;
  readonly isNew: boolean;
}
