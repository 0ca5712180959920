/**
 * The heavy work of one tenant beside a quiet one: the reads, events and writes of the latter, and its
 * messages that are due, in rounds that alternate with rounds alone. The bars are twice the time alone for
 * medians and p99, no process over 600 MB, no 5xx, and nothing lost. Each group of kinds has a Waypost and a
 * database of its own. BENCH_ROUNDS (3 if unset) rounds of BENCH_SECONDS (8 if unset); BENCH_SCALE (1 if
 * unset) makes the tenant smaller, BENCH_DUE sets its due rows (300,000 if unset), and
 * `BENCH_KINDS=guest,slow` selects.
 */
import { Cause, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { mebibytesOf } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { takeAnswers } from "./HeavyRequests.ts";
import { heavyWork } from "./HeavyWork.ts";
import { type Heavy, neighbour, type Seen, spreadOf } from "./Neighbour.ts";
import { alternately, median, met, ratios, setting } from "./Rounds.ts";
import { newWorkspace } from "./ServiceApi.ts";

const bars = { ratio: 2, mebibytes: 600, failed: 0, lost: 0 };
const rounds = setting("ROUNDS", 3);
const millis = setting("SECONDS", 8) * 1000;
const wanted = process.env["BENCH_KINDS"]?.split(",");

const abilities = [
  "campaigns:read",
  "campaigns:write",
  "devices:read",
  "events:write",
  "locations:read",
  "locations:write",
  "media:write",
  "notifications:write",
  "reports:read",
  "segments:read",
  "segments:write",
];

const columns = ["reads p50", "p99", "events p50", "p99", "due p50", "most"];
const widths = [12, ...columns.map(() => 11), 8, 6, 6];
const line = (cells: ReadonlyArray<string>): void =>
  console.log(
    cells.map((cell, at) => (at === 0 ? cell.padEnd(12) : cell.padStart(widths[at] ?? 6))).join(""),
  );

/** A figure, marked where it is over its bar. */
const cell = (value: number, bar: number, digits = 0): string =>
  `${value.toFixed(digits)}${met(value <= bar) ? "" : "!"}`;

/** A round beside heavy work, with the most memory that the process had in it. */
interface Beside extends Seen {
  readonly mebibytes: number;
}

const printRow = (name: string, alone: ReadonlyArray<Seen>, beside: ReadonlyArray<Beside>): void => {
  const figures = (["reads", "events", "late"] as const).flatMap((key) =>
    [0, 1].map((at) => {
      const of = (seen: ReadonlyArray<Seen>) => seen.map((each) => spreadOf(each[key])[at] ?? Number.NaN);
      return median(ratios(of(beside), of(alone)));
    }),
  );
  const sum = (key: "failed" | "lost") => beside.reduce((total, each) => total + each[key], 0);
  const most = Math.max(...beside.map(({ mebibytes }) => mebibytes));
  line([
    name,
    ...figures.map((ratio) => cell(ratio, bars.ratio, 2)),
    cell(most, bars.mebibytes),
    cell(sum("failed"), bars.failed),
    cell(sum("lost"), bars.lost),
    `  ${takeAnswers()}`,
  ]);
};

/** Measures the kinds of a group on a database and a Waypost of their own. */
const measureGroup = Effect.fnUntraced(function* (group: string, kinds: ReadonlyArray<string>) {
  const { client, server } = yield* BenchWorld;
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE ${sql(group)}`.unprepared);
  const { child, origin, pid } = yield* BenchWorld.waypost(
    { DATABASE_URL: databaseUrl(server, group) },
    group,
  );
  const work = Effect.gen(function* () {
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SET statement_timeout = 0`.unprepared);
    const heavy = [yield* newWorkspace(origin, abilities), yield* newWorkspace(origin, abilities)] as const;
    const { measure } = yield* neighbour(yield* newWorkspace(origin, abilities));
    const made = yield* heavyWork[group]?.make(...heavy) ?? Effect.succeed<Record<string, Heavy>>({});
    for (const kind of kinds) {
      const beside = Effect.gen(function* () {
        // Linux begins again to note the most memory of the process.
        writeFileSync(`/proc/${pid}/clear_refs`, "5");
        const seen = yield* measure(millis, made[kind] ?? null);
        if (child.exitCode !== null || child.signalCode !== null)
          return yield* Effect.die(new Error(`the process ended: ${child.exitCode ?? child.signalCode}`));
        return { ...seen, mebibytes: mebibytesOf(pid, "VmHWM") };
      });
      const alone = Effect.map(measure(millis, null), (seen) => ({ ...seen, mebibytes: 0 }));
      const results = yield* alternately(rounds, { alone, beside });
      printRow(kind, results.alone, results.beside);
    }
  });
  yield* Effect.provide(work, client(group));
});

const bench = Effect.gen(function* () {
  console.log(
    `times of a quiet tenant beside another's work, to those alone; the most MiB, its 5xx and lost messages`,
  );
  line(["work", ...columns, "MiB", "5xx", "lost", "  answers to the work"]);
  for (const [group, { kinds }] of Object.entries(heavyWork)) {
    const chosen = kinds.filter((kind) => wanted === undefined || wanted.includes(kind));
    if (chosen.length === 0) continue;
    const exit = yield* Effect.exit(Effect.scoped(measureGroup(group, chosen)));
    if (exit._tag === "Success") continue;
    met(false);
    const [first = ""] = Cause.pretty(exit.cause).split("\n");
    line([chosen.join(","), ` broke: ${first}`]);
  }
});

runBench(bench);
