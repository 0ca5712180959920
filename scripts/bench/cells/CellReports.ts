import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomFillSync } from "node:crypto";
import { DeviceTally } from "../../../src/reports/rollups/encoding/DeviceTally.ts";
import { cellAt, costOf, firstKey, run, runLong, sumOf } from "./CellDatabase.ts";
import { ordinals, type Size } from "./CellLoad.ts";

/** Figures of a campaign. */
interface Figures {
  readonly campaign: number;
  readonly deliveries: number;
  readonly devices: number;
}

/**
 * Fills the source rows of a report: two campaigns, of which one reached every device once, and the other a
 * tenth of each cell twice. Devices come in no order.
 */
export const fillReached = Effect.fnUntraced(function* (size: Size, isCitus: boolean) {
  for (const ordinal of ordinals(size)) {
    const first = firstKey(ordinal);
    if (!isCitus)
      yield* run(`CREATE UNLOGGED TABLE reached_${ordinal} PARTITION OF reached
        FOR VALUES IN (${cellAt(ordinal)})`);
    const few = size.devices / 10;
    // Multiplying by a prime that does not divide the number of devices reaches each of them once.
    yield* runLong(`
      INSERT INTO reached (cell, campaign_key, device_key)
      SELECT ${cellAt(ordinal)}, 1, ${first} + 1 + (n * 7919::bigint % ${size.devices})::int
      FROM generate_series(1, ${size.devices}) AS n
      UNION ALL
      SELECT ${cellAt(ordinal)}, 2, ${first} + 1 + (n * 7919::bigint % ${few})::int
      FROM generate_series(1, ${2 * few}) AS n`);
  }
  yield* runLong("ANALYZE reached");
  return size.cells * size.devices * 1.2;
});

/** SQL: the figures of rows, whose distinct devices PostgreSQL sorts. */
const sortedSql = (rows: string) => `
  SELECT campaign_key AS campaign, count(*)::int AS deliveries, count(DISTINCT device_key)::int AS devices
  FROM ${rows} GROUP BY campaign_key ORDER BY 1`;

/** SQL: the same by a hash table of devices, which is the faster way while it fits into `work_mem`. */
const hashedSql = (rows: string) => `
  SELECT campaign_key AS campaign, sum(deliveries)::int AS deliveries, count(*)::int AS devices FROM (
    SELECT campaign_key, device_key, count(*) AS deliveries FROM ${rows} GROUP BY 1, 2) AS counted
  GROUP BY campaign_key ORDER BY 1`;

/** The report by one statement over all devices. */
export const wholeReport = costOf(runLong<Figures>(sortedSql("reached")));

/** The report by one statement over all devices with a hash table. */
export const hashedReport = costOf(runLong<Figures>(hashedSql("reached")));

/** The report by one statement over all devices that counts each cell and adds up. */
export const addedReport = costOf(
  runLong<Figures>(`
    SELECT campaign_key AS campaign, sum(deliveries)::int AS deliveries, sum(devices)::int AS devices FROM (
      SELECT cell, campaign_key, sum(deliveries) AS deliveries, count(*) AS devices FROM (
        SELECT cell, campaign_key, device_key, count(*) AS deliveries FROM reached GROUP BY 1, 2, 3) AS each
      GROUP BY 1, 2) AS counted
    GROUP BY campaign_key ORDER BY 1`),
);

/** The report by a statement for each cell: each is added up by the process. */
export const reportByCells = Effect.fnUntraced(function* (size: Size) {
  const totals = new Map<number, Figures>();
  const costs = [];
  for (const ordinal of ordinals(size)) {
    const { cost, result } = yield* costOf(
      run<Figures>(hashedSql(`(SELECT * FROM reached WHERE cell = ${cellAt(ordinal)}) AS own`)),
    );
    costs.push(cost);
    for (const { campaign, deliveries, devices } of result) {
      const before = totals.get(campaign);
      totals.set(campaign, {
        campaign,
        deliveries: deliveries + (before?.deliveries ?? 0),
        devices: devices + (before?.devices ?? 0),
      });
    }
  }
  return { result: [...totals.values()].toSorted((a, b) => a.campaign - b.campaign), cost: sumOf(costs) };
});

/** Months of sets of devices, as a report of a year reads them. */
const months = 12;
/** The kind of a set that is a bitmap, and the bytes before it (encoding/DeviceSet.ts). */
const [bitmapKind, headBytes] = [1, 5];

const setOf = (bitmap: Uint8Array) => {
  const set = new Uint8Array(headBytes + bitmap.length);
  set[0] = bitmapKind;
  new DataView(set.buffer).setUint32(1, bitmap.length, true);
  set.set(bitmap, headBytes);
  return set;
};

/** Stores a year of monthly sets, each with half of the devices: of each cell, and of all in one. */
export const fillSets = Effect.fnUntraced(function* (size: Size) {
  const sql = yield* SqlClient.SqlClient;
  yield* run("TRUNCATE reached_set, whole_set");
  for (let month = 1; month <= months; month++) {
    const cellBytes = size.devices >>> 3;
    const whole = new Uint8Array(size.cells * cellBytes);
    for (const ordinal of ordinals(size)) {
      const bitmap = randomFillSync(new Uint8Array(cellBytes));
      whole.set(bitmap, ordinal * cellBytes);
      yield* sql`INSERT INTO reached_set (cell, month, devices)
        VALUES (${cellAt(ordinal)}, ${month}, ${setOf(bitmap)})`;
    }
    yield* sql`INSERT INTO whole_set (month, devices) VALUES (${month}, ${setOf(whole)})`;
  }
});

const unionOf = (rows: ReadonlyArray<{ readonly devices: Uint8Array }>, tally: DeviceTally) => {
  tally.clear();
  for (const { devices } of rows) tally.addSets(devices);
  return tally.count;
};

/** Milliseconds to read a year of sets, and how many devices they have together. */
const measured = Effect.fnUntraced(function* <E, R>(count: Effect.Effect<number, E, R>) {
  const began = performance.now();
  const devices = yield* count;
  return { devices, millis: performance.now() - began };
});

/** The devices of a year, from sets of all devices. */
export const wholeSets = measured(
  Effect.map(run<{ devices: Uint8Array }>("SELECT devices FROM whole_set ORDER BY month"), (rows) =>
    unionOf(rows, new DeviceTally()),
  ),
);

/** The devices of a year, from the sets of each cell, added up. */
export const setsByCells = (size: Size) =>
  measured(
    Effect.gen(function* () {
      const tally = new DeviceTally();
      let devices = 0;
      for (const ordinal of ordinals(size))
        devices += unionOf(
          yield* run<{ devices: Uint8Array }>(
            `SELECT devices FROM reached_set WHERE cell = ${cellAt(ordinal)} ORDER BY month`,
          ),
          tally,
        );
      return devices;
    }),
  );

/**
 * How 100 cells of one workspace lie on shards and nodes by Citus' hash of the distribution column: the
 * cells of the fullest one, on average over 200 workspaces.
 */
export const spreadOfCells = (shards: number, nodes: number) =>
  run<{ shard: number; node: number }>(`
    WITH cell AS (
      SELECT workspace, floor((hashint4((ordinal << 20) | workspace)::bigint + 2147483648)
        / (4294967296 / ${shards}))::int AS shard
      FROM generate_series(1, 200) AS workspace, generate_series(0, 99) AS ordinal
    ), by_shard AS (
      SELECT workspace, shard, count(*) AS cells FROM cell GROUP BY 1, 2
    ), by_node AS (
      SELECT workspace, shard % ${nodes} AS node, sum(cells) AS cells FROM by_shard GROUP BY 1, 2
    )
    SELECT (SELECT avg(cells) FROM (SELECT max(cells) AS cells FROM by_shard GROUP BY workspace) AS s)::float8
        AS shard,
      (SELECT avg(cells) FROM (SELECT max(cells) AS cells FROM by_node GROUP BY workspace) AS n)::float8
        AS node`);
