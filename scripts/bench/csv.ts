/**
 * The bars of CSV files: deliveries leave the database at half the rate of COPY of the same rows on the same
 * server or more, in flat memory, the first record within 200 ms. BENCH_ROWS (300,000 if unset) deliveries.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer, Stream } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeliveryList } from "../../src/operator/DeliveryList.ts";
import { DeliveryListSql } from "../../src/operator/DeliveryListSql.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { benchClient, benchDirectory, onSchema } from "./BenchDatabase.ts";
import { buildReportYear } from "./ReportYear.ts";

const rows = Number(process.env["BENCH_ROWS"] ?? 300_000);
const maxFirstMillis = 200;
const minShare = 0.5;
const maxMegabytes = 50;
const rounds = 3;

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const list = yield* DeliveryList;
  const { lines } = yield* DeliveryListSql;
  const timezone = "UTC";
  yield* buildReportYear({ rows, devices: 50_000, campaigns: 200, locations: 2000, timezone });
  const tenant = {
    workspaceId: 1,
    environment: "production",
    workspace: { id: "bench", name: "Bench", timezone },
  } as unknown as Tenant;

  const exported = Effect.scoped(
    Effect.gen(function* () {
      const started = performance.now();
      let first = 0;
      let count = 0;
      let memory = 0;
      const before = process.memoryUsage().rss;
      const { records } = yield* list.file(tenant, {});
      yield* Stream.runForEach(yield* records, (batch) =>
        Effect.sync(() => {
          if (count === 0) first = performance.now() - started;
          count += batch.length;
          memory = Math.max(memory, process.memoryUsage().rss - before);
        }),
      );
      const rate = count / ((performance.now() - started) / 1000);
      return { count, first, rate, megabytes: memory / 1e6 };
    }),
  );
  const [text, parameters] = sql`${lines(tenant, {})}`.compile();
  // COPY takes no parameters.
  const literal = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1];
    return typeof value === "string" ? `'${value}'` : JSON.stringify(value ?? null);
  });
  const copied = Effect.gen(function* () {
    const started = performance.now();
    yield* sql`${sql.literal(`COPY (${literal}) TO '/dev/null'`)}`.unprepared;
    return rows / ((performance.now() - started) / 1000);
  });

  yield* exported;
  let misses = 0;
  for (let round = 0; round < rounds; round++) {
    const file = yield* exported;
    const copy = yield* copied;
    const share = file.rate / copy;
    const isMet = share >= minShare && file.first <= maxFirstMillis && file.megabytes <= maxMegabytes;
    if (!isMet) misses++;
    console.log(
      `${file.count} deliveries: ${Math.round(file.rate)} a second, COPY ${Math.round(copy)}: ` +
        `${share.toFixed(2)} (bar: ${minShare}), first after ${file.first.toFixed(0)} ms ` +
        `(bar: ${maxFirstMillis}), ` +
        `${file.megabytes.toFixed(0)} MB more (bar: ${maxMegabytes})${isMet ? "" : "  missed"}`,
    );
  }
  if (misses === rounds) process.exitCode = 1;
});

const directory = mkdtempSync(join(tmpdir(), "waypost-bench-"));
NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(
      onSchema(
        Layer.merge(DeliveryList.layer, DeliveryListSql.layer).pipe(Layer.provide(benchDirectory(directory))),
        benchClient(directory, { max_wal_size: "4GB" }),
      ),
    ),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))),
    Effect.scoped,
  ),
);
