import { Effect } from "effect";
import { cellAt, costOf, firstKey, run, runLong, sumOf } from "./CellDatabase.ts";
import { ordinals, type Size } from "./CellLoad.ts";

/** Devices of a batch, as in src/sending/sends/Send.ts. */
const batchSize = 10_000;
const since = "'2026-01-01Z'";

/** A range of keys of one cell. */
interface Batch {
  readonly cell: number;
  readonly first: number;
  readonly last: number;
}

/** Batches of a cell. */
const batchesIn = ({ devices }: Size) => Math.ceil(devices / batchSize);
/** Batches of a cell that the sends without a cap reach. */
const firstBatchesIn = (size: Size) => Math.ceil(batchesIn(size) / 2);

/** The batches of a send: the first ones of all cells, then the second ones, so that all nodes have work. */
const batchesOf = (size: Size, count: number): ReadonlyArray<Batch> =>
  Array.from({ length: count }, (_, index) =>
    ordinals(size).map((ordinal) => {
      const first = firstKey(ordinal) + index * batchSize + 1;
      const last = Math.min(first + batchSize - 1, firstKey(ordinal) + size.devices);
      return { cell: cellAt(ordinal), first, last };
    }),
  ).flat();

/** SQL: the devices of a batch. */
const devicesSql = ({ cell, first, last }: Batch) =>
  `device d WHERE d.cell = ${cell} AND d.key BETWEEN ${first} AND ${last}`;

/** Creates the deliveries of a batch that a condition allows, with deltas, pushes and figures in its cell. */
const deliver = (sourceId: number, campaign: number, batch: Batch, condition: string) =>
  run(`
    WITH created AS (
      INSERT INTO delivery (cell, source_id, device_key, person, campaign_key, status, transport, created_at)
      SELECT d.cell, ${sourceId}, d.key, d.person, ${campaign},
        CASE d.transport WHEN 'f' THEN 'q' ELSE 'd' END::"char", d.transport, '2026-06-01Z'
      FROM ${devicesSql(batch)} ${condition}
      RETURNING cell, device_key, status, transport
    ), delta AS (
      INSERT INTO delivery_delta (cell, quarter, campaign_key, device_keys)
      SELECT cell, '2026-06-01Z'::timestamptz, ${campaign}, array_agg(device_key) FROM created
      WHERE status = 'd' GROUP BY cell
    ), queued AS (
      INSERT INTO push_queue (cell, source_id, device_key, transport, due_at)
      SELECT cell, ${sourceId}, device_key, transport, '2026-06-01Z'::timestamptz FROM created
      WHERE status = 'q'
    )
    UPDATE send_figures SET targeted = targeted + (SELECT count(*) FROM created)
    WHERE cell = ${batch.cell} AND source_id = ${sourceId}`);

/** How many deliveries a send has: the figures of its cells added up. */
const targetedOf = (sourceId: number) =>
  Effect.map(
    run<{ targeted: number }>(
      `SELECT sum(targeted)::int AS targeted FROM send_figures WHERE source_id = ${sourceId}`,
    ),
    ([row]) => row?.targeted ?? 0,
  );

/** Runs all batches of a send, and says what they cost and how many deliveries they made. */
const send = Effect.fnUntraced(function* <E, R>(
  size: Size,
  sourceId: number,
  batches: ReadonlyArray<Batch>,
  runBatch: (batch: Batch) => Effect.Effect<unknown, E, R>,
) {
  for (const ordinal of ordinals(size))
    yield* run(`INSERT INTO send_figures VALUES (${cellAt(ordinal)}, ${sourceId}, 0)`);
  const costs = [];
  for (const batch of batches) costs.push((yield* costOf(runBatch(batch))).cost);
  return { cost: sumOf(costs), targeted: yield* targetedOf(sourceId), batches: batches.length };
});

/** A send to the devices of the first half of the batches of each cell. */
export const plainSend = (size: Size, sourceId: number, campaign: number) =>
  send(size, sourceId, batchesOf(size, firstBatchesIn(size)), (batch) =>
    deliver(sourceId, campaign, batch, ""),
  );

/** SQL: how many deliveries of a campaign a receiver has since the cap began, up to one. */
const received = (receiver: string, campaign: number) => `(SELECT count(*) FROM (
  SELECT FROM delivery x WHERE ${receiver} AND x.campaign_key = ${campaign} AND x.created_at >= ${since}
  ORDER BY x.created_at DESC LIMIT 1) AS counted)`;

/** A send to everybody with a cap of one message for each device: all that it counts is in the cell. */
export const deviceCappedSend = (size: Size, sourceId: number, campaign: number) =>
  send(size, sourceId, batchesOf(size, batchesIn(size)), (batch) =>
    deliver(
      sourceId,
      campaign,
      batch,
      `AND ${received(`x.cell = ${batch.cell} AND x.device_key = d.key`, campaign)} < 1`,
    ),
  );

/**
 * The people of a batch who have devices in other cells too, and got a message there: one statement in the
 * cell, and one over the cells in which these people are.
 */
const reachedElsewhere = Effect.fnUntraced(function* (batch: Batch, campaign: number) {
  const people = yield* run<{ person: number; cells: ReadonlyArray<number> }>(`
    SELECT p.person, p.other_cells AS cells FROM device_person p
    WHERE p.cell = ${batch.cell} AND p.other_cells IS NOT NULL AND p.person IN (
      SELECT d.person FROM ${devicesSql(batch)})`);
  if (people.length === 0) return [];
  const cells = [...new Set(people.flatMap((each) => each.cells))];
  return yield* run<{ person: number }>(`
    SELECT DISTINCT x.person FROM delivery x
    WHERE x.cell IN (${cells.join()}) AND x.person = ANY ('{${people.map(({ person }) => person).join()}}')
      AND x.campaign_key = ${campaign} AND x.created_at >= ${since}`);
});

/**
 * A send to everybody with a person, with a cap of one message for each: counted in the cell, and for people
 * in several cells in those.
 */
export const personCappedSend = (size: Size, sourceId: number, campaign: number) =>
  send(size, sourceId, batchesOf(size, batchesIn(size)), (batch) =>
    Effect.flatMap(reachedElsewhere(batch, campaign), (people) =>
      deliver(
        sourceId,
        campaign,
        batch,
        `AND d.person IS NOT NULL AND d.person <> ALL ('{${people.map(({ person }) => person).join()}}')
          AND ${received(`x.cell = ${batch.cell} AND x.person = d.person`, campaign)} < 1`,
      ),
    ),
  );

/** How many deliveries the capped sends must have, counted by one statement over all cells. */
export const expectedDeliveries = (size: Size) => {
  const isReached = `(key & 1048575) <= ${firstBatchesIn(size) * batchSize}`;
  return Effect.map(
    runLong<{ devices: number; people: number }>(`
      SELECT sum(devices)::int AS devices, count(person) FILTER (WHERE NOT is_reached)::int AS people
      FROM (
        SELECT person, count(*) FILTER (WHERE NOT ${isReached}) AS devices,
          bool_or(${isReached}) AS is_reached
        FROM device GROUP BY person) AS expected`),
    ([row]) => row ?? { devices: 0, people: 0 },
  );
};
