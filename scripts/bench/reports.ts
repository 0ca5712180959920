/**
 * The bars of reports: over a year of deliveries and geofence events each report is answered within a fixed
 * time, and in a small part of the time that plain SQL takes to count the same figures over the source rows;
 * alternating on one PostgreSQL, warm. The figures must be equal. Also: how long a rebuild takes, how large
 * the rollups are, and for how long a report blocks the event loop. BENCH_ROWS (1,000,000 if unset) of each
 * kind.
 *
 * `--keep DIR` keeps the history there, which takes long to make, and reuses it the next time; `--build` only
 * makes it; `--rebuild` rebuilds the rollups; `--quick` leaves out the plain SQL; `--only NAME` asks only for
 * reports whose name has that in it.
 */
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import type { SentParameters } from "../../src/reports/ReportQuery.ts";
import { reportRange } from "../../src/reports/ReportRange.ts";
import { Reports } from "../../src/reports/Reports.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { SurveyResults } from "../../src/reports/surveys/SurveyResults.ts";
import type { LocalDate } from "../../src/time/LocalTime.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { cpuOf } from "./BenchChild.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { answerFigures, baselineFigures, baselineResults, type BaselineReport } from "./ReportsBaseline.ts";
import { buildReportYear, largeSurvey, uuidOf, yearOf } from "./ReportYear.ts";
import { dayFromNow } from "./ServiceApi.ts";
import { median, met, setting, timed } from "./Rounds.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    build: { type: "boolean", default: false },
    rebuild: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
const rows = setting("ROWS", 1_000_000);
const timezone = "Europe/Amsterdam" as TimeZoneName;
const rounds = 5;
/** The bar of the longest time that a report blocks the event loop, in milliseconds. */
const maxBlocked = 50;
/** The bar of the size of rollups, as a share of the source tables. */
const maxShare = 0.25;
/** The bar of a rebuild, in seconds for ten million rows. */
const maxRebuild = 30;

type ReportName = BaselineReport | "notifications" | "surveys";

interface Question {
  readonly name: string;
  readonly report: ReportName;
  readonly search: SentParameters;
  readonly maxMillis: number;
  /** How many times faster than plain SQL it must be. */
  readonly baseline?: { readonly report: BaselineReport; readonly minRatio: number };
}

const wholeYear = { start: dayFromNow(-364), end: dayFromNow(0) };
const month = { start: dayFromNow(-29), end: dayFromNow(0) };

const questionsOf = (filters: Readonly<Record<string, SentParameters>>): ReadonlyArray<Question> => [
  ...(
    [
      ["summary", 100, 30],
      ["campaigns", 200, 30],
      ["locations", 200, 50],
      ["interactions", 200, 30],
    ] as const
  ).map(([report, maxMillis, minRatio]) => ({
    name: `${report}, 365 days`,
    report,
    search: wholeYear,
    maxMillis,
    baseline: { report, minRatio },
  })),
  ...Object.entries(filters).map(([name, filter]) => ({
    name: `summary by ${name}, 365 days`,
    report: "summary" as const,
    search: { ...wholeYear, ...filter },
    maxMillis: 150,
  })),
  ...(["notifications", "surveys"] as const).map((report) => ({
    name: `${report}, 365 days`,
    report,
    search: wholeYear,
    maxMillis: 200,
  })),
  ...(["summary", "campaigns", "locations", "notifications", "interactions", "surveys"] as const).map(
    (report) => ({
      name: `${report}, 30 days`,
      report,
      search: month,
      maxMillis: 60,
    }),
  ),
];

const say = (name: string, figure: string, isMet: boolean): void =>
  console.log(`${name.padEnd(32)} ${figure.padEnd(62)} ${met(isMet) ? "" : "missed"}`);

const range = reportRange(timezone, wholeYear.start as LocalDate, wholeYear.end as LocalDate);

/** The bars of the results of a survey with as many responses as there are rows. */
const surveyResults = Effect.fnUntraced(function* (tenant: Tenant) {
  const surveys = yield* SurveyResults;
  const sql = yield* SqlClient.SqlClient;
  const [path] = yield* sql<{ readonly campaign: string; readonly notification: string }>`
    SELECT c.id AS campaign, n.id AS notification FROM campaign c, notification n
    WHERE c.key = ${largeSurvey} AND n.key = ${largeSurvey}`;
  if (path === undefined) return;
  const ask = surveys.results(tenant, path, wholeYear);
  yield* ask;
  const answers = yield* Effect.replicateEffect(timed(ask), rounds);
  const plain = yield* timed(options.quick ? Effect.succeed([]) : baselineResults(largeSurvey, range));
  const plainMillis = plain.seconds * 1000;
  const millis = median(answers.map(({ seconds }) => seconds * 1000));
  const results = answers.at(-1)?.result;
  const isSame = plain.result.every(({ answered, id, median }) => {
    const question = results?.data.questions.find((each) => each.id === id);
    return (
      question?.answered === answered &&
      (question.median ?? null) === (question.type === "RATING" ? null : median)
    );
  });
  say(
    "results of a survey, 365 days",
    `${millis.toFixed(0)} ms (bar: 200) of ${results?.data.responses} responses, ` +
      `plain ${plainMillis.toFixed(0)} ms, ` +
      `1/${(plainMillis / millis).toFixed(0)} (bar: 1/30)${isSame ? "" : ", NOT THE SAME"}`,
    options.quick || (isSame && millis <= 200 && plainMillis / millis >= 30),
  );
});

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const reports = yield* Reports;
  const rollups = yield* Rollups;
  if ((yield* sql`SELECT FROM workspace LIMIT 1`).length === 0) yield* buildReportYear(yearOf(rows));
  if (options.build) return;
  const tenant = { workspaceId: 1, environment: "production", workspace: { timezone } } as unknown as Tenant;
  if (options.rebuild) yield* sql`UPDATE rollup_state SET timezone = ''`;
  const [{ pid } = { pid: 0 }] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`;
  /**
   * Seconds of CPU of this process and of its database session. Other work on the machine changes them
   * little.
   */
  const cpu = () => {
    const { system, user } = process.cpuUsage();
    return (user + system) / 1e6 + cpuOf(pid);
  };
  const cpuBefore = cpu();
  const { seconds } = yield* timed(
    Effect.gen(function* () {
      while (yield* rollups.step);
    }),
  );
  const each = (seconds / (2 * rows)) * 10_000_000;
  say(
    "rebuild of the rollups",
    `${seconds.toFixed(1)} s, ${each.toFixed(1)} s for ten million rows (bar: ${maxRebuild}), ` +
      `${(cpu() - cpuBefore).toFixed(1)} s of CPU`,
    each <= maxRebuild,
  );
  for (const table of options.quick
    ? []
    : ["delivery_rollup", "event_rollup", "interaction_rollup", "answer_rollup"])
    yield* sql`VACUUM ANALYZE ${sql(table)}`.unprepared;
  const [{ source, stored } = { source: 1, stored: 0 }] = yield* sql<{
    readonly source: number;
    readonly stored: number;
  }>`
    SELECT (pg_total_relation_size('delivery') + pg_total_relation_size('geofence_event'))::float8 AS source,
      (pg_total_relation_size('delivery_rollup') + pg_total_relation_size('event_rollup'))::float8 AS stored`;
  const share = stored / source;
  say("size of rollups to source rows", `${share.toFixed(3)} (bar: ${maxShare})`, share < maxShare);

  const idOf = (name: string, key: string) =>
    Effect.map(
      sql<{ readonly id: string }>`SELECT ${sql.literal(uuidOf(name, key))} AS id`,
      ([row]) => row?.id ?? "",
    );
  const questions = questionsOf({
    campaign: { campaign: yield* idOf("campaign", "7") },
    location: { location: yield* idOf("location", "70") },
    group: { location_group: yield* idOf("group", "7") },
    activation: { activation: "on_enter" },
    type: { content_type: "survey" },
  });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  for (const { baseline, maxMillis, name, report, search } of questions) {
    if (!name.includes(options.only)) continue;
    const ask = timed(reports[report](tenant, search));
    yield* ask;
    loop.reset();
    loop.enable();
    const before = cpu();
    const answers = yield* Effect.replicateEffect(ask, rounds);
    loop.disable();
    const busy = ((cpu() - before) / rounds) * 1000;
    const millis = median(answers.map(({ seconds }) => seconds * 1000));
    const blocked = loop.max / 1e6;
    const isGood = millis <= maxMillis && blocked <= maxBlocked;
    const figures =
      `${millis.toFixed(0)} ms (bar: ${maxMillis}), CPU ${busy.toFixed(0)} ms, ` +
      `blocked ${blocked.toFixed(0)} ms`;
    if (baseline === undefined || options.quick) {
      say(name, figures, isGood);
      continue;
    }
    const plain = yield* timed(baselineFigures(baseline.report, range));
    const ratio = (plain.seconds * 1000) / millis;
    const isSame = plain.result === answerFigures(answers.at(-1)?.result ?? "");
    say(
      name,
      `${figures}, plain ${(plain.seconds * 1000).toFixed(0)} ms, ` +
        `1/${ratio.toFixed(0)} (bar: 1/${baseline.minRatio})` +
        (isSame ? "" : ", NOT THE SAME"),
      isSame && isGood && ratio >= baseline.minRatio,
    );
  }
  if ("results".includes(options.only) || options.only === "") yield* surveyResults(tenant);
});

runBench(Effect.provide(bench, onSchema(Layer.mergeAll(Reports.layer, SurveyResults.layer, Rollups.layer))), {
  keep: options.keep,
  settings: { max_wal_size: "4GB" },
});
