import { Schema } from "effect";
import { shownInteger, shownText } from "../wire/ShownFields.ts";
import { flag } from "../wire/Text.ts";

const devices = (description: string, example: number) => shownInteger(description, example);

/** A name of device attributes, with its most frequent values. */
export const AttributeSummary = Schema.Struct({
  name: shownText("Name of the attribute, as segment rules use it.", "plan"),
  devices: devices("How many registered devices have it.", 1204),
  values: Schema.Array(
    Schema.Struct({
      value: Schema.Json.annotate({
        description: "A text, number, true or false. Of a list of texts each entry is a value.",
        examples: ["gold"],
      }),
      devices: devices("How many registered devices have this value.", 312),
    }),
  ).annotate({ description: "Up to 20 of its most frequent values." }),
}).annotate({ identifier: "AttributeSummary" });
export type AttributeSummary = typeof AttributeSummary.Type;

/** The response with all names. */
export const AttributeSummaries = Schema.Struct({
  data: Schema.Array(AttributeSummary),
  meta: Schema.Struct({
    estimated: flag("Whether the counts are estimates from an even sample of the devices.", false),
  }),
});
