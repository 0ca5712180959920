import { Schema } from "effect";

const nameSentence = "The {field} must have 1 to 64 of the characters a-z, 0-9, _, ., : and -.";

/** The name of a custom event. */
export const EventName = Schema.String.annotate({
  description: "Name of the event: 1 to 64 of the characters a-z, 0-9, `_`, `.`, `:` and `-`.",
  examples: ["order.placed"],
}).check(Schema.isPattern(/^[a-z0-9_.:-]{1,64}$/, { message: nameSentence }));
