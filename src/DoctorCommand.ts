import { Console, Effect, Option } from "effect";
import { Command } from "effect/cli";
import { CommandRefused } from "./operator/commands/CommandRefused.ts";
import { SettingsFile, wantsJson } from "./operator/commands/Operator.ts";
import { Surroundings } from "./operator/commands/Surroundings.ts";
import { areas, countOf, type Finding } from "./operator/doctor/Checkup.ts";

// Most commands only ask a server: they do without what looks at one.
const doctors = Effect.promise(() => import("./Doctor.ts"));

const marks = { ok: "ok", warning: "WARNING", problem: "PROBLEM" } as const;
const margin = "  ".length + "PROBLEM".length + "  ".length;

/** Breaks a sentence at blanks, so that it stands in a column of that many cells. */
const wrapped = (text: string, room: number): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
};

/** The findings for people: by part, what is wrong with what to do about it. */
const asText = (findings: ReadonlyArray<Finding>, columns: number | null): string => {
  const room = Math.max(40, (columns ?? 100) - margin);
  const indent = " ".repeat(margin);
  return areas
    .flatMap((area) => {
      const here = findings.filter((each) => each.area === area);
      if (here.length === 0) return [];
      const lines = here.flatMap(({ advice, seen, verdict }) => [
        ...wrapped(seen, room).map(
          (line, at) => `${at === 0 ? `  ${marks[verdict].padEnd(margin - 2)}` : indent}${line}`,
        ),
        ...(advice === null ? [] : wrapped(`→ ${advice}`, room).map((line) => indent + line)),
      ]);
      return [[`${area[0]?.toUpperCase()}${area.slice(1)}`, ...lines].join("\n")];
    })
    .join("\n\n");
};

const tally = (findings: ReadonlyArray<Finding>): string => {
  const count = (verdict: Finding["verdict"]) => findings.filter((each) => each.verdict === verdict).length;
  return `${countOf(count("problem"), "problem")}, ${countOf(count("warning"), "warning")}; ${count("ok")} of ${countOf(findings.length, "check")} ok.`;
};

/** `waypost doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const { columns, environment } = yield* Surroundings;
    const { doctor } = yield* doctors;
    const findings = yield* doctor(environment, Option.getOrNull(yield* SettingsFile));
    const problems = findings.filter(({ verdict }) => verdict === "problem").length;
    yield* Console.log(
      (yield* wantsJson)
        ? JSON.stringify({ ok: problems === 0, findings }, null, 2)
        : `${asText(findings, columns)}\n\n${tally(findings)}`,
    );
    if (problems > 0) {
      return yield* new CommandRefused({ message: `The doctor found ${countOf(problems, "problem")}.` });
    }
  }),
).pipe(
  Command.withDescription(
    "Look at settings, data directory, database, clock, media, push services and the work that waits, and say what to do. Exit code 1 if there is a problem",
  ),
  Command.withGlobalFlags([SettingsFile, wantsJson]),
  Command.withExamples([
    { command: "waypost doctor" },
    { command: "waypost doctor --config /etc/waypost/waypost.env --json" },
  ]),
);
