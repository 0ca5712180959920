import { Schema } from "effect";

/** The abilities of a token. Writing does not include reading (contract C1, C2). */
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
  "activity:read",
] as const;

export const Ability = Schema.Literals(abilities).annotate({
  description: "What a token may do; writing does not include reading.",
  examples: ["campaigns:read"],
});
export type Ability = typeof Ability.Type;
