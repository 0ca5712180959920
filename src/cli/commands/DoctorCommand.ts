import { Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { Settings } from "../../config/Settings.ts";
import { BadUsage, CommandRefused } from "../CommandRefused.ts";
import { SettingsFile, wantsJson } from "../Operator.ts";
import { type Paint, paint } from "../terminal/Colors.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { wrapped } from "../terminal/WrappedText.ts";
import { areas, type Finding } from "../../doctor/HealthCheck.ts";
import type { EnvironmentRollups } from "../../reports/rollups/RollupTypes.ts";
import { counted } from "../../wire/Text.ts";

// Most commands only ask a server: they do without what looks at one.
const doctors = Effect.promise(() => import("../../doctor/Doctor.ts"));

const marks = { ok: "ok", warning: "WARNING", problem: "PROBLEM" } as const;
const margin = "  ".length + "PROBLEM".length + "  ".length;

/** The findings for people: by part, what is wrong with what to do about it. */
const asText = (findings: ReadonlyArray<Finding>, columns: number | null, paint: Paint): string => {
  const looks = { ok: paint.green, warning: paint.yellow, problem: paint.red };
  const room = Math.max(40, (columns ?? 100) - margin);
  const indent = " ".repeat(margin);
  return areas
    .flatMap((area) => {
      const here = findings.filter((each) => each.area === area);
      if (here.length === 0) return [];
      const lines = here.flatMap(({ advice, seen, verdict }) => [
        ...wrapped(seen, room).map(
          (line, at) =>
            `${at === 0 ? `  ${looks[verdict](marks[verdict])}${" ".repeat(margin - 2 - marks[verdict].length)}` : indent}${line}`,
        ),
        ...(advice === null ? [] : wrapped(`→ ${advice}`, room).map((line) => indent + line)),
      ]);
      return [[paint.bold(`${area[0]?.toUpperCase()}${area.slice(1)}`), ...lines].join("\n")];
    })
    .join("\n\n");
};

const tally = (findings: ReadonlyArray<Finding>): string => {
  const count = (verdict: Finding["verdict"]) => findings.filter((each) => each.verdict === verdict).length;
  return `${counted(count("problem"), "problem")}, ${counted(count("warning"), "warning")}; ${count("ok")} of ${counted(findings.length, "check")} ok.`;
};

const lookAtAll = Effect.gen(function* () {
  const { colors, columns, environment } = yield* CliEnvironment;
  const { doctor } = yield* doctors;
  const findings = yield* doctor(environment, Option.getOrNull(yield* SettingsFile));
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  yield* Console.log(
    (yield* wantsJson)
      ? JSON.stringify({ ok: problems === 0, findings }, null, 2)
      : `${asText(findings, columns, paint(colors.stdout))}\n\n${tally(findings)}`,
  );
  if (problems > 0) {
    return yield* new CommandRefused({ message: `The doctor found ${counted(problems, "problem")}.` });
  }
});

const states = {
  complete: "complete",
  rebuilding: "rebuilding; reports count older days row by row",
  invalid: "waiting for a rebuild; reports count row by row",
} as const;

const rollupsText = ({ environment, name, pending_deltas, state }: EnvironmentRollups): string =>
  `${name} (${environment}): ${states[state]}, ${counted(pending_deltas, "pending delta")}.`;

const showRollups = Effect.fnUntraced(function* (rebuild: boolean) {
  const { environment } = yield* CliEnvironment;
  const file = yield* SettingsFile;
  const fromFile = Option.isSome(file) ? yield* Settings.readFile(file.value) : {};
  const { reportRollups } = yield* doctors;
  const { environments, rebuilding } = yield* reportRollups({ ...environment, ...fromFile }, rebuild);
  if (yield* wantsJson) {
    yield* Console.log(JSON.stringify({ environments, rebuilding }, null, 2));
    return;
  }
  for (const each of environments) yield* Console.log(rollupsText(each));
  if (environments.length === 0) yield* Console.log("There are no rollups yet.");
  if (rebuild) {
    yield* Console.log(
      `Workers now rebuild the rollups of ${counted(rebuilding, "environment")}. ` +
        "Until they are complete, reports are exact but slower.",
    );
  }
});

/** `waypost doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {
    reports: Flag.Boolean("reports").pipe(
      Flag.withDescription(
        "Show whether the rollups that reports read are complete, and how many deltas are pending",
      ),
      Flag.withDefault(false),
    ),
    rebuild: Flag.Boolean("rebuild").pipe(
      Flag.withDescription("With --reports: have workers rebuild all rollups from their source rows"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ rebuild, reports }) {
    if (rebuild && !reports) return yield* new BadUsage({ message: "--rebuild goes with --reports." });
    yield* reports ? showRollups(rebuild) : lookAtAll;
  }),
).pipe(
  Command.withDescription(
    "Look at settings, data directory, database, clock, media, push services and the work that waits, and say what to do. " +
      "Exit code 1 if there is a problem",
  ),
  Command.withGlobalFlags([SettingsFile, wantsJson]),
  Command.withExamples([
    { command: "waypost doctor" },
    { command: "waypost doctor --config /etc/waypost/waypost.env --json" },
    { command: "waypost doctor --reports", description: "Show the state of the rollups that reports read" },
    { command: "waypost doctor --reports --rebuild" },
  ]),
);
