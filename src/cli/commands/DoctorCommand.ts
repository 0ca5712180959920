import { Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { areas, type Finding, type Verdict } from "../../doctor/HealthCheck.ts";
import type { Difference } from "../../reports/rollups/RollupAudit.ts";
import { counted } from "../../wire/Text.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { BadUsage, CommandRefused } from "../CommandRefused.ts";
import { Json, SettingsFile, settingsRecord } from "../Operator.ts";
import { type Paint, paint } from "../terminal/Colors.ts";
import { formatCount } from "../terminal/Formats.ts";
import { progressBar } from "../terminal/ProgressBars.ts";
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
  const markOf = (verdict: Verdict): string => {
    const mark = marks[verdict];
    return `  ${styles[verdict](mark)}${" ".repeat(marginCells - 2 - mark.length)}`;
  };
  const linesOf = ({ advice, observation, verdict }: Finding): ReadonlyArray<string> => [
    ...wrapText(observation, textCells).map((line, index) => (index === 0 ? markOf(verdict) : indent) + line),
    ...(advice === null ? [] : wrapText(`→ ${advice}`, textCells).map((line) => indent + line)),
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
  const count = (verdict: Verdict) => findings.filter((each) => each.verdict === verdict).length;
  return (
    `${counted(count("problem"), "problem")}, ${counted(count("warning"), "warning")}; ` +
    `${count("ok")} of ${counted(findings.length, "check")} ok.`
  );
};

const checkAll = Effect.gen(function* () {
  const { colors, columns, environment } = yield* CliEnvironment;
  const { doctor } = yield* doctors;
  const findings = yield* doctor(environment, Option.getOrNull(yield* SettingsFile));
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  yield* Console.log(
    (yield* Json)
      ? JSON.stringify({ ok: problems === 0, findings }, null, 2)
      : `${asText(findings, columns, paint(colors.stdout))}\n\n${tally(findings)}`,
  );
  if (problems > 0)
    return yield* new CommandRefused({ message: `The doctor found ${counted(problems, "problem")}.` });
});

/** The number of differences that are listed. The others are only counted. */
const maxListed = 1_000;

const differenceText = (each: Difference): string =>
  `${each.workspace_name} (${each.environment}), ${each.span} ` +
  `${each.span === "day" ? each.starts_on : each.starts_on.slice(0, 7)}: ` +
  `${each.row}: ${each.figure} rolled up ${formatCount(each.rolled_up)}, ` +
  `${each.span === "day" ? "by source rows" : "by its days"} ${formatCount(each.counted)}.`;

const auditAll = Effect.fnUntraced(function* (rebuild: boolean) {
  const { auditReports } = yield* doctors;
  const bar = yield* progressBar("days");
  const listed: Array<Difference> = [];
  let count = 0;
  const found = (difference: Difference): void => {
    count++;
    if (listed.length < maxListed) listed.push(difference);
  };
  const summary = yield* Effect.ensuring(
    auditReports(yield* settingsRecord, { found, progress: bar.report }, rebuild),
    Effect.sync(bar.clear),
  );
  const { days, environments, incomplete, months } = summary;
  const rebuilding = rebuild ? summary.differing.length : 0;
  if (yield* Json) {
    const facts = { ok: count === 0, environments, days, months, incomplete, differences: count, rebuilding };
    yield* Console.log(JSON.stringify({ ...facts, listed }, null, 2));
  } else {
    for (const each of listed) yield* Console.log(differenceText(each));
    if (count > listed.length)
      yield* Console.log(`… and ${counted(count - listed.length, "more difference")}.`);
    for (const each of incomplete) {
      yield* Console.log(
        `The rollups of workspace ${each.workspace} (${each.environment}) are being built: ` +
          "reports read source rows until they are complete, and there is nothing to compare yet.",
      );
    }
    const compared =
      `${counted(days, "day")} and ${counted(months, "month")} ` +
      `of ${counted(environments, "environment")}`;
    yield* Console.log(
      count === 0 ? `Compared ${compared}: rollups and source rows agree.` : `Compared ${compared}.`,
    );
    if (rebuilding > 0) {
      yield* Console.log(
        `Workers now rebuild the rollups of ${counted(rebuilding, "environment")}. ` +
          "Until they are complete, reports are exact but slower.",
      );
    }
  }
  if (count > 0) {
    const advice = rebuild ? "" : ' Run "waypost doctor --reports --rebuild" to rebuild the rollups.';
    return yield* new CommandRefused({ message: `Reports show ${counted(count, "wrong figure")}.${advice}` });
  }
});

/** `waypost doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {
    reports: Flag.Boolean("reports").pipe(
      Flag.withDescription("Compare the rollups of reports with every source row; takes a while"),
      Flag.withDefault(false),
    ),
    rebuild: Flag.Boolean("rebuild").pipe(
      Flag.withDescription("With --reports: let workers rebuild the rollups that differ"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ rebuild, reports }) {
    if (rebuild && !reports) return yield* new BadUsage({ message: "--rebuild needs --reports." });
    yield* reports ? auditAll(rebuild) : checkAll;
  }),
).pipe(
  Command.withDescription(
    "Check the settings, the data directory, the database, the clock, media, push services and background " +
      "work, and say what to do. Exit code 1 if there is a problem",
  ),
  Command.withGlobalFlags([SettingsFile, Json]),
  Command.withExamples([
    { command: "waypost doctor" },
    { command: "waypost doctor --config /etc/waypost/waypost.env --json" },
    { command: "waypost doctor --reports", description: "Compare the rollups of reports with source rows" },
    { command: "waypost doctor --reports --rebuild" },
  ]),
);
