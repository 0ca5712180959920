import { Effect, Redacted } from "effect";
import { timingSafeEqual } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { digest } from "./Credential.ts";

/** The function that says whether a text is the operator key of this installation. */
export const operatorKeyCheck = Effect.map(DataDirectory, ({ operatorKey }) => {
  // Digests have equal lengths, so the comparison reveals nothing about the key.
  const expected = digest(Redacted.value(operatorKey));
  return (text: string): boolean => timingSafeEqual(digest(text), expected);
});
