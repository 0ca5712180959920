import { Schema } from "effect";

/**
 * The abilities of a token. Writing does not include reading (contract C1, C2), and no ability includes
 * another: tokens issued before an ability existed do not have it (S1).
 */
export const abilities = [
  "reports:read",
  "campaigns:read",
  "campaigns:write",
  "notifications:read",
  "notifications:write",
  "locations:read",
  "locations:write",
  "media:read",
  "media:write",
  "webhooks:read",
  "webhooks:write",
  "segments:read",
  "segments:write",
  "devices:read",
  "devices:write",
  "events:write",
  "sends:read",
  "activity:read",
] as const;

export const Ability = Schema.Literals(abilities).annotate({
  description: "An action that a token allows; writing does not include reading.",
  examples: ["campaigns:read"],
});
export type Ability = typeof Ability.Type;
