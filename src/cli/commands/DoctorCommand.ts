import { Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { Settings } from "../../config/Settings.ts";
import { BadUsage, CommandRefused } from "../CommandRefused.ts";
import { SettingsFile, wantsJson } from "../Operator.ts";
import { type Paint, paint } from "../terminal/Colors.ts";
import { progressBar } from "../terminal/ProgressBars.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { wrapped } from "../terminal/WrappedText.ts";
import { areas, type Finding } from "../../doctor/HealthCheck.ts";

import type { Difference } from "../../reports/rollups/RollupAudit.ts";
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

/** More than a person reads: the rest is counted. */
const mostListed = 1_000;

const differenceText = (each: Difference): string =>
  `${each.workspace_name} (${each.environment}), ${each.span} ${each.span === "day" ? each.starts_on : each.starts_on.slice(0, 7)}: ` +
  `${each.row}: ${each.figure} rolled up ${each.rolled_up.toLocaleString("en-US")}, ` +
  `${each.span === "day" ? "by base rows" : "by its days"} ${each.counted.toLocaleString("en-US")}.`;

const lookAtReports = Effect.fnUntraced(function* (rebuild: boolean) {
  const { environment } = yield* CliEnvironment;
  const file = yield* SettingsFile;
  const fromFile = Option.isSome(file) ? yield* Settings.readFile(file.value) : {};
  const { auditReports } = yield* doctors;
  const bar = yield* progressBar("days");
  const listed: Array<Difference> = [];
  let count = 0;
  const found = (difference: Difference): void => {
    count++;
    if (listed.length < mostListed) listed.push(difference);
  };
  const summary = yield* Effect.ensuring(
    auditReports({ ...environment, ...fromFile }, { found, progress: bar.at }, rebuild),
    Effect.sync(bar.clear),
  );
  const { days, environments, incomplete, months } = summary;
  const rebuilt = rebuild ? summary.differing.length : 0;
  if (yield* wantsJson) {
    const facts = {
      ok: count === 0,
      environments,
      days,
      months,
      incomplete,
      differences: count,
      rebuilding: rebuilt,
    };
    yield* Console.log(JSON.stringify({ ...facts, listed }, null, 2));
  } else {
    for (const each of listed) yield* Console.log(differenceText(each));
    if (count > listed.length)
      yield* Console.log(`… and ${counted(count - listed.length, "more difference")}.`);
    for (const each of incomplete) {
      yield* Console.log(
        `The rollups of workspace ${each.workspace} (${each.environment}) are being made: reports read base rows until they are ` +
          "complete, and there is nothing to compare yet.",
      );
    }
    const looked = `${counted(days, "day")} and ${counted(months, "month")} of ${counted(environments, "environment")}`;
    yield* Console.log(
      count === 0 ? `Compared ${looked}: rollups and base rows say the same.` : `Compared ${looked}.`,
    );
    if (rebuilt > 0) {
      yield* Console.log(
        `Workers now make the rollups of ${counted(rebuilt, "environment")} anew. Until then their reports read base rows: right, and slower.`,
      );
    }
  }
  if (count > 0) {
    const advice = rebuild ? "" : ' Have the rollups made anew with "waypost doctor --reports --rebuild".';
    return yield* new CommandRefused({ message: `Reports show ${counted(count, "wrong figure")}.${advice}` });
  }
});

/** `waypost doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {
    reports: Flag.Boolean("reports").pipe(
      Flag.withDescription(
        "Compare what reports add up in advance with every row it was made of; takes a while",
      ),
      Flag.withDefault(false),
    ),
    rebuild: Flag.Boolean("rebuild").pipe(
      Flag.withDescription("With --reports: have workers add up anew where there is a difference"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ rebuild, reports }) {
    if (rebuild && !reports) return yield* new BadUsage({ message: "--rebuild goes with --reports." });
    yield* reports ? lookAtReports(rebuild) : lookAtAll;
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
    { command: "waypost doctor --reports", description: "Hold the reports against the rows that they count" },
    { command: "waypost doctor --reports --rebuild" },
  ]),
);
