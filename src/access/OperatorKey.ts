import { Effect, Redacted } from "effect";
import { createHmac, timingSafeEqual } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { digest } from "./Credential.ts";

/** The function that says whether a text is the operator key of this installation. */
export const operatorKeyCheck = Effect.map(DataDirectory, ({ operatorKey }) => {
  // Digests have equal lengths, so the comparison reveals nothing about the key.
  const expected = digest(Redacted.value(operatorKey));
  return (text: string): boolean => timingSafeEqual(digest(text), expected);
});

/** A fingerprint distinguishes operator keys and does not reveal them: what one has issued ends with it. */
export const operatorKeyFingerprint = Effect.map(
  DataDirectory,
  ({ operatorKey, secretKey }) =>
    new Uint8Array(
      createHmac("sha256", Redacted.value(secretKey))
        .update("waypost console operator key\0")
        .update(Redacted.value(operatorKey))
        .digest(),
    ),
);
