/**
 * A simulation of cells (docs/cells.md): one workspace in parts of up to a million devices, by the statements
 * of the design over its tables in miniature. Prints what each costs with 1, 3, 10 and 100 cells, as a ratio
 * to one cell or to the statement without cells, and checks that both give the same. No bar.
 *
 * BENCH_SIZES: cells and the devices of each (1x20000,3x20000,10x20000,100x2000 if unset; devices are a
 * multiple of 1,000, at most 1,000,000). BENCH_STEPS: only some of `requests`, `sends`, `poll`, `report` and
 * `sets`. Costs are elapsed, and in brackets CPU of the database session, from which ratios are.
 * BENCH_DATABASE_URL: another database than an embedded one; on Citus the tables are distributed, and ratios
 * are of elapsed times.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { cellClient, type Cost, createTables, dropTables, perRow, ratioOf } from "./cells/CellDatabase.ts";
import { load, type Size } from "./cells/CellLoad.ts";
import {
  addedReport,
  fillReached,
  fillSets,
  hashedReport,
  reportByCells,
  setsByCells,
  spreadOfCells,
  wholeReport,
  wholeSets,
} from "./cells/CellReports.ts";
import {
  fillQueue,
  findInstallations,
  poll,
  registerInCells,
  registerPlainly,
  settledTogether,
  settleInCell,
  settleInSend,
  touchTogether,
  touchByCells,
} from "./cells/CellRequests.ts";
import { deviceCappedSend, expectedDeliveries, personCappedSend, plainSend } from "./cells/CellSends.ts";

const sizes = (process.env["BENCH_SIZES"] ?? "1x20000,3x20000,10x20000,100x2000")
  .split(",")
  .map((size): Size => {
    const [cells = 1, devices = 0] = size.split("x").map(Number);
    return { cells, devices };
  });
const steps = (process.env["BENCH_STEPS"] ?? "requests,sends,poll,report,sets").split(",");
const requestRounds = 40;
const batch = 64;
const pollRounds = 20;
const settleRounds = 100;
/** More rows than these overflow the hash table of one statement many times. */
const maxHashedRows = 15_000_000;

/** Cost of each figure for each row with the first size. */
const firstCosts = new Map<string, { readonly cost: Cost; readonly count: number }>();

const line = (name: string, figure: string) => console.log(`  ${name.padEnd(34)} ${figure}`);

/** Prints a cost for each row, as a ratio to a baseline or to that with the first size. */
const report = (name: string, cost: Cost, count: number, baseline?: readonly [string, Cost, number]) => {
  const first = firstCosts.get(name) ?? { cost, count };
  firstCosts.set(name, first);
  const ratios = [
    ...(baseline === undefined
      ? []
      : [`${ratioOf(cost, count, baseline[1], baseline[2])} of ${baseline[0]}`]),
    ...(first.cost === cost ? [] : [`${ratioOf(cost, count, first.cost, first.count)} of the first size`]),
  ];
  line(name, [perRow(cost, count), ...ratios].join("; "));
};

const check = (what: string, found: unknown, expected: unknown) => {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  console.error(`  Wrong: ${what} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}.`);
  process.exitCode = 1;
};

const sends = Effect.fnUntraced(function* (size: Size) {
  const expected = yield* expectedDeliveries(size);
  const plain = yield* plainSend(size, 1, 1);
  report("send, a delivery", plain.cost, plain.targeted);
  const capped = yield* deviceCappedSend(size, 2, 1);
  check("a send with a cap by device", capped.targeted, expected.devices);
  const everybody = size.cells * size.devices;
  report("send with a cap by device, a device", capped.cost, everybody);
  const settled = settleRounds * settledTogether;
  const inSend = yield* settleInSend(size, settleRounds);
  report("settlement counted in the send", inSend, settled);
  const inCell = yield* settleInCell(size, settleRounds);
  report("settlement counted in the cell", inCell, settled, ["counted in the send", inSend, settled]);
  yield* plainSend(size, 3, 2);
  const people = yield* personCappedSend(size, 4, 2);
  check("a send with a cap by person", people.targeted, expected.people);
  report("send with a cap by person, a device", people.cost, everybody, [
    "by device",
    capped.cost,
    everybody,
  ]);
  return plain.targeted + capped.targeted + people.targeted;
});

const requests = Effect.fnUntraced(function* (size: Size) {
  const rows = requestRounds * batch;
  const plain = (yield* registerPlainly(requestRounds)).cost;
  report("registration, without installations", plain, rows);
  for (const way of ["rows", "query"] as const) {
    const registered = (yield* registerInCells(way, requestRounds)).cost;
    report(`registration by ${way}`, registered, rows, ["without installations", plain, rows]);
  }
  const found = yield* findInstallations(size, requestRounds);
  report("installation found directly", found.direct, rows);
  report("installation found in all cells", found.everywhere, rows, ["directly", found.direct, rows]);
  const together = yield* touchTogether(size, requestRounds);
  report("batch of 64 requests together", together, requestRounds);
  const byCells = yield* touchByCells(size, requestRounds);
  report("batch of 64 requests by cell", byCells.cost, requestRounds, ["together", together, requestRounds]);
  line("statements of such a batch", byCells.statements.toFixed(1));
});

const polls = Effect.fnUntraced(function* (size: Size, isCitus: boolean) {
  yield* fillQueue(size);
  const grouped = yield* poll("group", 5);
  report("poll that reads the queue", grouped.cost, 5);
  const ways = isCitus ? (["probes"] as const) : (["steps", "probes"] as const);
  for (const way of ways) {
    const polled = yield* poll(way, pollRounds);
    check(`the poll by ${way}`, polled.found, grouped.found);
    report(`poll by ${way}`, polled.cost, pollRounds, ["reading the queue", grouped.cost, 5]);
  }
});

const reports = Effect.fnUntraced(function* (size: Size, isCitus: boolean) {
  const rows = yield* fillReached(size, isCitus);
  const whole = yield* wholeReport;
  report("report over all devices, a row", whole.cost, rows);
  const isSmall = rows <= maxHashedRows;
  for (const [name, work] of [
    ...(isSmall ? [["report over all devices, hashed", hashedReport] as const] : []),
    ["report by cell in one statement", addedReport],
    ["report by a statement for each cell", reportByCells(size)],
  ] as const) {
    const { cost, result } = yield* work;
    check(name, result, whole.result);
    report(name, cost, rows, ["over all devices", whole.cost, rows]);
  }
});

const sets = Effect.fnUntraced(function* (size: Size) {
  yield* fillSets(size);
  const whole = yield* wholeSets;
  const byCells = yield* setsByCells(size);
  check("the devices of a year", byCells.devices, whole.devices);
  line(
    "rolled-up year of devices",
    `${byCells.millis.toFixed(0)} ms by cell, ${whole.millis.toFixed(0)} ms in one set ` +
      `(ratio ${(byCells.millis / whole.millis).toFixed(2)}), ${byCells.devices} devices`,
  );
});

const simulate = Effect.fnUntraced(function* (size: Size) {
  const isCitus = yield* createTables;
  console.log(
    `\n${size.cells} ${size.cells === 1 ? "cell" : "cells"} of ${size.devices} devices` +
      (isCitus ? ", on Citus" : ""),
  );
  if (steps.some((step) => ["requests", "sends"].includes(step))) {
    const loaded = yield* load(size);
    report("device, to insert", loaded, size.cells * size.devices);
  }
  if (steps.includes("sends")) yield* sends(size);
  if (steps.includes("poll")) yield* polls(size, isCitus);
  if (steps.includes("requests")) yield* requests(size);
  if (steps.includes("report")) yield* reports(size, isCitus);
  if (steps.includes("sets")) yield* sets(size);
  yield* dropTables;
});

const bench = Effect.gen(function* () {
  for (const size of sizes) yield* simulate(size);
  for (const [shards, nodes] of [
    [32, 4],
    [128, 4],
    [128, 16],
  ] as const) {
    const [most] = yield* spreadOfCells(shards, nodes);
    console.log(
      `
100 cells on ${shards} shards of ${nodes} nodes: ${most?.shard.toFixed(1)} on the fullest shard, ` +
        `${most?.node.toFixed(1)} on the fullest node (mean: ${100 / nodes})`,
    );
  }
});

const directory = mkdtempSync(join(tmpdir(), "waypost-bench-"));

NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(cellClient(directory)),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))),
    Effect.scoped,
  ),
);
