import { Schema } from "effect";
import { Timestamp } from "../wire/Text.ts";

/** A named set of locations, created by imports. */
export const LocationGroup = Schema.Struct({
  id: Schema.String.annotate({
    description: "Id of the location group.",
    format: "uuid",
    examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
  }),
  name: Schema.String.annotate({
    description: "Name of the group, unique in its environment.",
    examples: ["Flagship stores"],
  }),
  location_count: Schema.Int.annotate({
    description: "How many locations belong to the group now.",
    examples: [12],
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "LocationGroup" });
export type LocationGroup = typeof LocationGroup.Type;
