/**
 * The bars of reports: over a year of deliveries and geofence events each report is answered from the rollups in a small part of the time
 * that plain SQL over the base rows takes, and within a fixed time; both in turns on one PostgreSQL, warm. Also: how long it takes to make
 * the rollups anew, how large they are, and for how long a report holds up everything else. BENCH_ROWS (1,000,000 unless told) of each kind.
 * Beside them, what DuckDB takes for the same figures of the same rows, where `npm ci --prefix scripts/bench/duckdb` installed it; its figures must be ours.
 *
 * `--keep DIR` keeps the history there, which takes long to make, and finds it there the next time; `--build` only makes it; `--rebuild` makes the rollups
 * anew; `--quick` leaves out the plain SQL and DuckDB; `--only NAME` asks only for reports whose name has that in it.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import type { SentParameters } from "../../src/reports/ReportQuery.ts";
import { Reports } from "../../src/reports/Reports.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { SourceRowLimits } from "../../src/reports/SlowReports.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { median } from "./BenchChild.ts";
import { benchClient, onSchema } from "./BenchDatabase.ts";
import { openDuckHistory } from "./duckdb/DuckHistory.ts";
import { duckFigures, duckQuestion, reportFigures, type ReportName } from "./duckdb/DuckQuestions.ts";
import { buildReportYear, uuidOf } from "./ReportYear.ts";

const { values: given } = parseArgs({
  options: {
    keep: { type: "string" },
    build: { type: "boolean", default: false },
    rebuild: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
const rows = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const timezone = "Europe/Amsterdam";
const year = { rows, devices: Math.max(1000, rows / 20), campaigns: 200, places: 2000, timezone };
const rounds = 5;
const held = 50;
const share = 0.25;

/** CPU seconds of this process and of its one session of the database, which tell more than the time where others are at work; Linux only. */
const cpuSeconds = (pid: number): number => {
  const { system, user } = process.cpuUsage();
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (user + system) / 1e6 + (Number(fields[11]) + Number(fields[12])) / 100;
};

interface Question {
  readonly name: string;
  readonly report: ReportName;
  readonly search: SentParameters;
  readonly millis: number;
  readonly ratio?: number;
}

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const reports = yield* Reports;
  const rollups = yield* Rollups;
  if (isNew) yield* buildReportYear(year);
  if (given.build) return;
  const tenant = { workspaceId: 1, environment: "production", workspace: { timezone } } as unknown as Tenant;
  let misses = 0;
  const say = (name: string, figure: string, isMet: boolean) => {
    if (!isMet) misses++;
    console.log(`${name.padEnd(32)} ${figure.padEnd(62)} ${isMet ? "" : "missed"}`);
  };

  yield* sql`SET statement_timeout = 0`.unprepared;
  if (given.rebuild) yield* sql`UPDATE rollup_state SET timezone = ''`;
  const [{ pid } = { pid: 0 }] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`;
  const cpu = () => cpuSeconds(pid);
  const began = performance.now();
  const used = cpu();
  while (yield* rollups.step);
  const rebuild = (performance.now() - began) / 1000;
  const busy = cpu() - used;
  const each = (rebuild / (2 * rows)) * 10_000_000;
  say(
    "rollups made anew",
    `${rebuild.toFixed(1)} s, ${each.toFixed(1)} s for ten million rows (bar: 30), ${busy.toFixed(1)} s of CPU`,
    each <= 30,
  );
  for (const table of given.quick ? [] : ["delivery_rollup", "event_rollup"])
    yield* sql`VACUUM ANALYZE ${sql(table)}`.unprepared;
  const [size] = yield* sql<{ readonly base: number; readonly rolled: number }>`
    SELECT (pg_total_relation_size('delivery') + pg_total_relation_size('geofence_event'))::float8 AS base,
      (pg_total_relation_size('delivery_rollup') + pg_total_relation_size('event_rollup'))::float8 AS rolled`;
  const part = (size?.rolled ?? 0) / (size?.base ?? 1);
  say("size of rollups to base rows", `${part.toFixed(3)} (bar: ${share})`, part < share);

  const [surveys] = yield* sql<{ readonly responses: number }>`
    SELECT count(*)::int AS responses FROM survey_response`;
  console.log(`${surveys?.responses ?? 0} responses to surveys, which have no rollups.`);

  const [ids] = yield* sql<{ readonly campaign: string; readonly location: string; readonly group: string }>`
    SELECT ${sql.literal(uuidOf("campaign", "7"))} AS campaign, ${sql.literal(uuidOf("location", "70"))} AS location,
      ${sql.literal(uuidOf("group", "7"))} AS "group"`;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const range = { start: day(364), end: day(0) };
  const month = { start: day(29), end: day(0) };
  const filters = {
    campaign: { campaign: ids?.campaign ?? "" },
    location: { location: ids?.location ?? "" },
    group: { location_group: ids?.group ?? "" },
    activation: { activation: "on_enter" },
    type: { content_type: "survey" },
  };
  const questions: ReadonlyArray<Question> = [
    { name: "summary, 365 days", report: "summary", search: range, millis: 100, ratio: 30 },
    ...Object.entries(filters).map(([name, filter]) => ({
      name: `summary by ${name}, 365 days`,
      report: "summary" as const,
      search: { ...range, ...filter },
      millis: 150,
    })),
    { name: "campaigns, 365 days", report: "campaigns", search: range, millis: 200, ratio: 30 },
    { name: "locations, 365 days", report: "locations", search: range, millis: 200, ratio: 50 },
    { name: "notifications, 365 days", report: "notifications", search: range, millis: 200 },
    { name: "surveys, 365 days", report: "surveys", search: range, millis: 200 },
    ...(["summary", "campaigns", "locations", "notifications", "surveys"] as const).map((report) => ({
      name: `${report}, 30 days`,
      report,
      search: month,
      millis: 60,
    })),
  ];
  const timed = (question: Question) =>
    Effect.gen(function* () {
      const began = performance.now();
      const answer = yield* reports[question.report](tenant, question.search);
      return { answer, millis: performance.now() - began };
    });
  const duck = given.quick ? undefined : yield* openDuckHistory(directory, timezone);
  /** What DuckDB takes for it, warm, and whether it has the same figures. */
  const beside = Effect.fnUntraced(function* ({ report, search }: Question, answer: string) {
    if (duck === undefined) return { text: "", isSame: true };
    const times: Array<number> = [];
    let isSame = true;
    const used = cpu();
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      const rows = yield* duck.ask(duckQuestion(report, search));
      times.push(performance.now() - began);
      isSame &&= duckFigures(rows) === reportFigures(report, answer);
    }
    const busy = ((cpu() - used) / rounds) * 1000;
    return {
      text: `, DuckDB ${median(times).toFixed(0)} ms, CPU ${busy.toFixed(0)} ms${isSame ? "" : " WITH OTHER FIGURES"}`,
      isSame,
    };
  });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  for (const question of questions.filter(({ name }) => name.includes(given.only))) {
    yield* timed(question);
    const times: Array<number> = [];
    let rolledUp = "";
    loop.reset();
    loop.enable();
    const used = cpu();
    for (let round = 0; round < rounds; round++) {
      const { answer, millis } = yield* timed(question);
      times.push(millis);
      rolledUp = answer;
    }
    loop.disable();
    const busy = ((cpu() - used) / rounds) * 1000;
    const millis = median(times);
    const holds = loop.max / 1e6;
    const { isSame, text } = yield* beside(question, rolledUp);
    const isGood = millis <= question.millis && holds <= held && isSame;
    const figures = `${millis.toFixed(0)} ms (bar: ${question.millis}), CPU ${busy.toFixed(0)} ms, held ${holds.toFixed(0)} ms${text}`;
    if (question.ratio === undefined || given.quick) {
      say(question.name, figures, isGood);
      continue;
    }
    // In a zone that is not the workspace's the rollups are no use, and base rows answer, however many they are.
    yield* sql`UPDATE rollup_state SET timezone = 'UTC'`;
    const plain = yield* Effect.provideService(timed(question), SourceRowLimits, {
      quick: Infinity,
      most: Infinity,
    });
    yield* sql`UPDATE rollup_state SET timezone = ${timezone}`;
    const ratio = plain.millis / millis;
    const isExact = plain.answer === rolledUp;
    say(
      question.name,
      `${figures}, plain ${plain.millis.toFixed(0)} ms, 1/${ratio.toFixed(0)} (bar: 1/${question.ratio})${isExact ? "" : ", NOT THE SAME"}`,
      isExact && isGood && ratio >= question.ratio,
    );
  }
  if (misses > 0) process.exitCode = 1;
});

const directory = given.keep ?? mkdtempSync(join(tmpdir(), "waypost-bench-"));
const isNew = !existsSync(join(directory, "postgres"));
mkdirSync(directory, { recursive: true });
const services = onSchema(
  Layer.mergeAll(Reports.layer, Rollups.layer),
  benchClient(directory, { max_wal_size: "4GB" }),
);

NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(services),
    Effect.ensuring(
      Effect.sync(() => given.keep === undefined && rmSync(directory, { recursive: true, force: true })),
    ),
    Effect.scoped,
  ),
);
