import { Schema } from "effect";
import { shownId, shownInteger, shownText } from "../wire/ShownFields.ts";
import { Timestamp } from "../wire/Text.ts";

/** A named set of locations, created by imports. */
export const LocationGroup = Schema.Struct({
  id: shownId("Id of the location group.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  name: shownText("Name of the group, unique in its environment.", "Flagship stores"),
  location_count: shownInteger("How many locations belong to the group now.", 12),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "LocationGroup" });
export type LocationGroup = typeof LocationGroup.Type;
