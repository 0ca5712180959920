import { Schema } from "effect";
import { nullableText, shownText } from "../wire/ShownFields.ts";
import { flag } from "../wire/Text.ts";
import { areas, verdicts } from "./HealthCheck.ts";

/** The doctor's report on an installation; `waypost doctor --json` prints the same. */
export const HealthReport = Schema.Struct({
  ok: flag("Whether there is no problem.", true),
  findings: Schema.Array(
    Schema.Struct({
      area: Schema.Literals(areas).annotate({ description: "Area of the check.", examples: ["database"] }),
      check: shownText("Name of the check.", "connections"),
      verdict: Schema.Literals(verdicts).annotate({
        description: "`problem`: broken or about to break; `warning`: a person must decide.",
        examples: ["ok"],
      }),
      observation: shownText("The observation.", "The database responds."),
      advice: nullableText(
        "The remedy; null if the verdict is `ok`.",
        "Start a process with the role worker.",
      ),
    }),
  ).annotate({ description: "The findings of all checks, by area." }),
}).annotate({ identifier: "HealthReport" });
export type HealthReport = typeof HealthReport.Type;
