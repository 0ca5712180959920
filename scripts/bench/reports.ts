/**
 * The bars of reports: over a year of deliveries and geofence events each report is answered within a fixed
 * time, and in a small part of the time that plain SQL takes to count the same figures over the source rows;
 * alternating on one PostgreSQL, warm. The figures must be equal. Also: how long a rebuild takes, how large
 * the rollups are, and for how long a report blocks the event loop. BENCH_ROWS (1,000,000 if unset) of each
 * kind.
 *
 * `--keep DIR` keeps the history there, which takes long to make, and reuses it the next time; `--rebuild`
 * rebuilds the rollups; `--only NAME` asks only for reports whose name has that in it.
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
import { figure, setting, timed } from "./Rounds.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    rebuild: { type: "boolean", default: false },
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
  const millis = answers.map(({ seconds }) => seconds * 1000);
  const what = "results of a survey, 365 days";
  const plain = yield* timed(baselineResults(largeSurvey, range));
  const results = answers.at(-1)?.result;
  const isSame = plain.result.every(({ answered, id, median }) => {
    const question = results?.data.questions.find((each) => each.id === id);
    return (
      question?.answered === answered &&
      (question.median ?? null) === (question.type === "RATING" ? null : median)
    );
  });
  if (!isSame) return yield* Effect.die(new Error("The results differ from those of plain SQL."));
  figure("results", what, "ms", millis, {
    beside: [plainSql, plain.seconds * 1000],
    atMost: 1 / 30,
    valueAtMost: 200,
  });
});

const plainSql = "plain SQL over the rows";

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const reports = yield* Reports;
  const rollups = yield* Rollups;
  if ((yield* sql`SELECT FROM workspace LIMIT 1`).length === 0) yield* buildReportYear(yearOf(rows));
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
  const ofTenMillion = (seconds / (2 * rows)) * 10_000_000;
  const what = `rebuild of ${(2 * rows).toLocaleString("en")} rows, for ten million of them`;
  figure("rebuild", `time of a ${what}`, "s", ofTenMillion, { atMost: maxRebuild });
  figure("rebuild-cpu", "CPU of that rebuild", "s", cpu() - cpuBefore);
  for (const table of ["delivery_rollup", "event_rollup", "interaction_rollup", "answer_rollup"])
    yield* sql`VACUUM ANALYZE ${sql(table)}`.unprepared;
  const [{ source, stored } = { source: 1, stored: 0 }] = yield* sql<{
    readonly source: number;
    readonly stored: number;
  }>`
    SELECT (pg_total_relation_size('delivery') + pg_total_relation_size('geofence_event'))::float8 AS source,
      (pg_total_relation_size('delivery_rollup') + pg_total_relation_size('event_rollup'))::float8 AS stored`;
  const beside = ["the source tables", source / 1e6] as const;
  figure("size", "size of the rollups", "MB", stored / 1e6, { beside, atMost: maxShare });

  const storedId = (name: string, key: string) =>
    Effect.map(
      sql<{ readonly id: string }>`SELECT ${sql.literal(uuidOf(name, key))} AS id`,
      ([row]) => row?.id ?? "",
    );
  const questions = questionsOf({
    campaign: { campaign: yield* storedId("campaign", "7") },
    location: { location: yield* storedId("location", "70") },
    group: { location_group: yield* storedId("group", "7") },
    activation: { activation: "on_enter" },
    type: { content_type: "survey" },
  });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  let blocked = 0;
  for (const { baseline, maxMillis, name, report, search } of questions) {
    if (!name.includes(options.only)) continue;
    const ask = timed(reports[report](tenant, search));
    yield* ask;
    loop.reset();
    loop.enable();
    const answers = yield* Effect.replicateEffect(ask, rounds);
    loop.disable();
    const millis = answers.map(({ seconds }) => seconds * 1000);
    blocked = Math.max(blocked, loop.max / 1e6);
    const id = name.replaceAll(/[ ,]+/g, "-");
    if (baseline === undefined) {
      figure(id, name, "ms", millis, { atMost: maxMillis });
      continue;
    }
    const plain = yield* timed(baselineFigures(baseline.report, range));
    if (plain.result !== answerFigures(answers.at(-1)?.result ?? ""))
      return yield* Effect.die(new Error(`The figures of ${name} differ from those of plain SQL.`));
    figure(id, name, "ms", millis, {
      beside: [plainSql, plain.seconds * 1000],
      atMost: 1 / baseline.minRatio,
      valueAtMost: maxMillis,
    });
  }
  figure("blocked", "the event loop blocked by a report, at most", "ms", blocked, { atMost: maxBlocked });
  if ("results".includes(options.only) || options.only === "") yield* surveyResults(tenant);
});

runBench(Effect.provide(bench, onSchema(Layer.mergeAll(Reports.layer, SurveyResults.layer, Rollups.layer))), {
  keep: options.keep,
  settings: { max_wal_size: "4GB" },
});
