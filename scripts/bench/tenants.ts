/**
 * The heavy work of one tenant beside a quiet one: the reads, events and writes of the latter, and its
 * messages that are due, in rounds that alternate with rounds alone. The bars are twice the time alone for
 * medians and p99, no process over 600 MB, no 5xx, and nothing lost. Each group of kinds has a Waypost and a
 * database of its own. BENCH_ROUNDS (3 if unset) rounds of BENCH_SECONDS (8 if unset); BENCH_SCALE (1 if
 * unset) makes the tenant smaller, BENCH_DUE sets its due rows (300,000 if unset), and
 * `BENCH_KINDS=guest,slow` selects.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { mebibytesOf } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { takeAnswers } from "./HeavyRequests.ts";
import { heavyWork } from "./HeavyWork.ts";
import { type Heavy, neighbour, type Seen, spreadOf } from "./Neighbour.ts";
import { alternately, figure, median, setting } from "./Rounds.ts";
import { newWorkspace } from "./ServiceApi.ts";

const bars = { ratio: 2, mebibytes: 600, failed: 0 };
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

/** A round beside heavy work, with the most memory that the process had in it. */
interface Beside extends Seen {
  readonly mebibytes: number;
}

/** The 5xx and lost messages of all kinds, and the most memory. */
const worst = { failed: 0, mebibytes: 0 };

const stateKind = (kind: string, alone: ReadonlyArray<Seen>, beside: ReadonlyArray<Beside>): void => {
  const ratios = (["reads", "events", "late"] as const).flatMap((key) =>
    [0, 1].map((at) => {
      const of = (seen: ReadonlyArray<Seen>) => seen.map((each) => spreadOf(each[key])[at] ?? Number.NaN);
      const [own, bare] = [of(beside), of(alone)];
      return median(own.map((value, round) => value / (bare[round] ?? Number.NaN)));
    }),
  );
  const what = "the worst of p50 and p99 of reads, events and due messages, to alone";
  figure(kind, `${what}: beside ${kind}`, "times", Math.max(...ratios), { atMost: bars.ratio });
  console.log(`${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}; answers to the work: ${takeAnswers()}`);
  for (const { failed, lost, mebibytes } of beside) {
    worst.failed += failed + lost;
    worst.mebibytes = Math.max(worst.mebibytes, mebibytes);
  }
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
      stateKind(kind, results.alone, results.beside);
    }
  });
  yield* Effect.provide(work, client(group));
});

const bench = Effect.gen(function* () {
  for (const [group, { kinds }] of Object.entries(heavyWork)) {
    const chosen = kinds.filter((kind) => wanted === undefined || wanted.includes(kind));
    if (chosen.length === 0) continue;
    yield* Effect.scoped(measureGroup(group, chosen));
  }
  figure("memory", "the most memory of the process", "MiB", worst.mebibytes, { atMost: bars.mebibytes });
  figure("failed", "5xx and lost messages", "", worst.failed, { atMost: bars.failed });
});

runBench(bench);
