import { Schema } from "effect";
import { shownText } from "../../wire/ShownFields.ts";
import { Timestamp } from "../../wire/Text.ts";

/** The response to a new user secret, the only one that shows it (contract X31a). */
export const IssuedUserSecret = Schema.Struct({
  user_secret: shownText(
    "The secret, shown this once. Its UTF-8 bytes are the key of the HMAC.",
    "wpu_0000000000000000000000000000000000000",
  ),
  created_at: Timestamp,
}).annotate({ identifier: "IssuedUserSecret" });
export type IssuedUserSecret = typeof IssuedUserSecret.Type;
