import { Console, Effect } from "effect";
import { Command } from "effect/cli";
import { areas, type Finding } from "../../doctor/HealthCheck.ts";
import type { EnvironmentRollups } from "../../reports/rollups/RollupTypes.ts";
import { counted } from "../../wire/Text.ts";
import { visible } from "../../wire/VisibleText.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { command } from "../DeclaredCommand.ts";
import { switchFlag } from "../Flags.ts";
import { Json, SettingsFile, settingsRecord } from "../Operator.ts";
import { type Paint, paint } from "../terminal/Colors.ts";
import { wrapText } from "../terminal/WrappedText.ts";

// Loaded on demand: most commands do not need a database server.
const doctors = Effect.promise(() => import("../../doctor/Doctor.ts"));

const marks = { ok: "ok", warning: "WARNING", problem: "PROBLEM" } as const;
const marginCells = "  PROBLEM  ".length;
const minTextCells = 40;
const defaultColumns = 100;

/** The findings as text: by area, each with what was observed and what to do. */
const asText = (findings: ReadonlyArray<Finding>, columns: number | null, paint: Paint): string => {
  const styles = { ok: paint.green, warning: paint.yellow, problem: paint.red };
  const textCells = Math.max(minTextCells, (columns ?? defaultColumns) - marginCells);
  const indent = " ".repeat(marginCells);
  const markOf = (verdict: Finding["verdict"]): string => {
    const mark = marks[verdict];
    return `  ${styles[verdict](mark)}${" ".repeat(marginCells - 2 - mark.length)}`;
  };
  const linesOf = ({ advice, observation, verdict }: Finding): ReadonlyArray<string> => [
    ...wrapText(visible(observation), textCells).map(
      (line, index) => (index === 0 ? markOf(verdict) : indent) + line,
    ),
    ...(advice === null ? [] : wrapText(visible(`→ ${advice}`), textCells).map((line) => indent + line)),
  ];
  return areas
    .flatMap((area) => {
      const lines = findings.filter((each) => each.area === area).flatMap(linesOf);
      const heading = paint.bold(`${area[0]?.toUpperCase()}${area.slice(1)}`);
      return lines.length === 0 ? [] : [[heading, ...lines].join("\n")];
    })
    .join("\n\n");
};

const tally = (findings: ReadonlyArray<Finding>): string => {
  const count = (verdict: Finding["verdict"]) => findings.filter((each) => each.verdict === verdict).length;
  return (
    `${counted(count("problem"), "problem")}, ${counted(count("warning"), "warning")}; ` +
    `${count("ok")} of ${counted(findings.length, "check")} ok.`
  );
};

const checkAll = Effect.gen(function* () {
  const { colors, columns, environment } = yield* CliEnvironment;
  const { doctor } = yield* doctors;
  const findings = yield* doctor(environment, (yield* SettingsFile) ?? null);
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  yield* Console.log(
    (yield* Json)
      ? JSON.stringify({ ok: problems === 0, findings }, null, 2)
      : `${asText(findings, columns, paint(colors.stdout))}\n\n${tally(findings)}`,
  );
  if (problems > 0) return yield* refused(`The doctor found ${counted(problems, "problem")}.`);
});

const states = {
  complete: "complete",
  rebuilding: "rebuilding; reports count older days row by row",
  invalid: "waiting for a rebuild; reports count row by row",
} as const;

const rollupsText = ({ environment, name, pending_deltas, state }: EnvironmentRollups): string =>
  `${visible(name)} (${environment}): ${states[state]}, ${counted(pending_deltas, "pending delta")}.`;

const showRollups = Effect.fnUntraced(function* (rebuild: boolean) {
  const { reportRollups } = yield* doctors;
  const { environments, rebuilding } = yield* reportRollups(yield* settingsRecord, rebuild);
  if (yield* Json) {
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
export const doctorCommand = command("doctor", {
  description:
    "Check the settings, the data directory, the database, the clock, media, push services and background " +
    "work, and say what to do. Exit code 1 if there is a problem",
  examples: [
    "waypost doctor",
    "waypost doctor --config /etc/waypost/waypost.env --json",
    { command: "waypost doctor --reports", description: "Show the state of the rollups that reports read" },
    "waypost doctor --reports --rebuild",
  ],
  flags: {
    reports: switchFlag(
      "reports",
      "Show whether the rollups that reports read are complete, and how many deltas are pending",
    ),
    rebuild: switchFlag("rebuild", "With --reports: let workers rebuild all rollups from their source rows"),
  },
  *run({ rebuild, reports }) {
    if (rebuild && !reports) return yield* badUsage("--rebuild needs --reports.");
    yield* reports ? showRollups(rebuild) : checkAll;
  },
}).pipe(Command.withGlobalFlags([SettingsFile, Json]));
