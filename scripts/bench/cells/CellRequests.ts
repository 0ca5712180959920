import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { createHash } from "node:crypto";
import { cellAt, cellOf, cellSql, type Cost, costOf, firstKey, run, runLong, sumOf } from "./CellDatabase.ts";
import { installationSql, ordinals, type Size } from "./CellLoad.ts";

/** Requests that share a statement (src/database/Batched.ts). */
const batch = 64;

const transaction = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work));

/** The counter of the environment, moved on by a batch: its row is locked until the transaction ends. */
const nextKeys = Effect.map(
  run<{ last: number }>(
    `UPDATE tenant SET last_device_key = last_device_key + ${batch} RETURNING last_device_key AS last`,
  ),
  ([row]) => (row?.last ?? 0) - batch + 1,
);

/** Inserts the devices with the next keys; a batch that crosses the end of a cell is two statements. */
const insertDevices = Effect.fnUntraced(function* (first: number) {
  const keys = Array.from({ length: batch }, (_, index) => first + index);
  for (const cell of new Set(keys.map(cellOf))) {
    const own = keys.filter((key) => cellOf(key) === cell);
    yield* run(`
      INSERT INTO device (cell, key, installation, transport, seen_at)
      SELECT ${cell}, key, ${installationSql("key")}, 'i', '2026-06-01Z'
      FROM generate_series(${own[0]}, ${own.at(-1)}) AS key`);
  }
});

/** Registers batches of new devices: the counter and the device, as without cells. */
export const registerPlainly = (rounds: number) =>
  costOf(
    Effect.forEach(Array.from({ length: rounds }), () =>
      transaction(Effect.flatMap(nextKeys, (first) => insertDevices(first))),
    ),
  );

/** The ways to insert the installations of a batch. */
const installations = {
  // Citus sends each row to its shard.
  rows: (keys: ReadonlyArray<number>) =>
    `VALUES ${keys
      .map((key) => `('${createHash("md5").update(`i${key}`).digest("hex")}'::uuid, ${key})`)
      .join()}`,
  // Citus collects the rows at the coordinator first.
  query: (keys: ReadonlyArray<number>) =>
    `SELECT ${installationSql("key")}, key FROM generate_series(${keys[0]}, ${keys.at(-1)}) AS key`,
} as const;

/** Registers batches of new devices: the counter, the installation for the whole environment, the device. */
export const registerInCells = (way: keyof typeof installations, rounds: number) =>
  costOf(
    Effect.forEach(Array.from({ length: rounds }), () =>
      transaction(
        Effect.gen(function* () {
          const first = yield* nextKeys;
          const keys = Array.from({ length: batch }, (_, index) => first + index);
          yield* run(
            `INSERT INTO device_installation (id, key) ${installations[way](keys)} ON CONFLICT DO NOTHING`,
          );
          yield* insertDevices(first);
        }),
      ),
    ),
  );

/** The keys of devices that send requests at the same time, from all cells. */
const randomKeys = (size: Size) =>
  Array.from(
    { length: batch },
    () => firstKey(Math.floor(Math.random() * size.cells)) + 1 + Math.floor(Math.random() * size.devices),
  );

/** Notes a batch of devices as seen, by a statement for each cell: the keys of their tokens name it. */
export const touchByCells = Effect.fnUntraced(function* (size: Size, rounds: number) {
  const costs = [];
  let statements = 0;
  for (let round = 0; round < rounds; round++) {
    const groups = Map.groupBy(randomKeys(size), cellOf);
    statements += groups.size;
    const { cost } = yield* costOf(
      transaction(
        Effect.forEach(groups, ([cell, keys]) =>
          run(`UPDATE device SET seen_at = '2026-06-02Z'
            WHERE cell = ${cell} AND key = ANY ('{${keys.join()}}')`),
        ),
      ),
    );
    costs.push(cost);
  }
  return { cost: sumOf(costs), statements: statements / rounds };
});

/** The same by one statement for all cells, as one PostgreSQL can. */
export const touchTogether = Effect.fnUntraced(function* (size: Size, rounds: number) {
  const costs = [];
  for (let round = 0; round < rounds; round++) {
    const keys = randomKeys(size);
    const { cost } = yield* costOf(
      transaction(
        run(`UPDATE device d SET seen_at = '2026-06-02Z' FROM unnest('{${keys.join()}}'::int[]) AS k (key)
          WHERE d.cell = ${cellSql("k.key")} AND d.key = k.key`),
      ),
    );
    costs.push(cost);
  }
  return sumOf(costs);
});

/** Finds installations by the table of installations, and by asking the index of every cell. */
export const findInstallations = Effect.fnUntraced(function* (size: Size, rounds: number) {
  const cells = ordinals(size).map(cellAt).join();
  const [direct, everywhere]: [Array<Cost>, Array<Cost>] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const keys = `unnest('{${randomKeys(size).join()}}'::int[]) AS key`;
    const ids = `ARRAY(SELECT ${installationSql("key")} FROM ${keys})`;
    const own = yield* costOf(run(`SELECT key FROM device_installation WHERE id = ANY (${ids})`));
    const all = yield* costOf(
      run(`SELECT key FROM device WHERE cell IN (${cells}) AND installation = ANY (${ids})`),
    );
    direct.push(own.cost);
    everywhere.push(all.cost);
  }
  return { direct: sumOf(direct), everywhere: sumOf(everywhere) };
});

/** Adds a push for each device to the queue, beside those of the sends. */
export const fillQueue = Effect.fnUntraced(function* (size: Size) {
  for (const ordinal of ordinals(size)) {
    const [cell, first] = [cellAt(ordinal), firstKey(ordinal)];
    yield* run(`INSERT INTO cell_state VALUES (${cell}) ON CONFLICT DO NOTHING`);
    yield* runLong(`
      INSERT INTO push_queue (cell, source_id, device_key, transport, due_at)
      SELECT ${cell}, 9, key, 'f', '2026-06-01Z'
      FROM generate_series(${first + 1}, ${first + size.devices}) AS key`);
  }
  yield* runLong("ANALYZE push_queue");
});

/** The polls of the push queue for partitions with due pushes; each gives the same ones. */
const polls = {
  // A loose index scan: what one PostgreSQL does today.
  steps: `
    WITH RECURSIVE partition AS (
      (SELECT cell, transport, due_at FROM push_queue ORDER BY cell, transport, due_at LIMIT 1)
      UNION ALL
      SELECT n.* FROM partition l CROSS JOIN LATERAL (
        SELECT q.cell, q.transport, q.due_at FROM push_queue q
        WHERE (q.cell, q.transport) > (l.cell, l.transport)
        ORDER BY q.cell, q.transport, q.due_at LIMIT 1) AS n
    )
    SELECT cell, transport::text FROM partition WHERE due_at <= '2026-06-02Z' ORDER BY cell`,
  // The work of a shard today.
  group: `
    SELECT cell, transport::text FROM (
      SELECT cell, transport, min(due_at) AS due_at FROM push_queue GROUP BY 1, 2) AS partition
    WHERE due_at <= '2026-06-02Z' ORDER BY cell`,
  // One index probe for each cell and transport that there is.
  probes: `
    SELECT cell, transport FROM (
      SELECT s.cell, t.transport, (SELECT min(q.due_at) FROM push_queue q
        WHERE q.cell = s.cell AND q.transport = t.transport::"char") AS due_at
      FROM cell_state s CROSS JOIN (VALUES ('f'), ('a'), ('w'), ('i')) AS t (transport)) AS partition
    WHERE due_at <= '2026-06-02Z' ORDER BY cell`,
} as const;

/** Polls the push queue in a way so many times; gives the partitions that it found. */
export const poll = Effect.fnUntraced(function* (way: keyof typeof polls, rounds: number) {
  const { cost, result } = yield* costOf(
    Effect.forEach(Array.from({ length: rounds }), () =>
      run<{ cell: number; transport: string }>(polls[way]),
    ),
  );
  return { cost, found: JSON.stringify(result.at(-1)) };
});

/** Pushes that are settled together. */
export const settledTogether = 50;

/** SQL: settles the pushes of the first devices of a cell, whose deliveries a send without a cap has made. */
const settledSql = (ordinal: number, round: number) => `
  UPDATE delivery SET status = 'd' WHERE cell = ${cellAt(ordinal)} AND source_id = 1
    AND device_key > ${firstKey(ordinal) + round * settledTogether}
    AND device_key <= ${firstKey(ordinal) + (round + 1) * settledTogether}`;

const settleRounds = (size: Size, rounds: number) =>
  Array.from({ length: rounds }, (_, round) => [round % size.cells, Math.floor(round / size.cells)] as const);

/** Settles pushes and counts them in the row of the send, which is a plain row of the coordinator. */
export const settleInSend = Effect.fnUntraced(function* (size: Size, rounds: number) {
  yield* run("INSERT INTO send VALUES (1, 0) ON CONFLICT DO NOTHING");
  return (yield* costOf(
    Effect.forEach(settleRounds(size, rounds), ([ordinal, round]) =>
      transaction(
        Effect.gen(function* () {
          yield* run("SELECT FROM send WHERE source_id = 1 FOR NO KEY UPDATE");
          yield* run(settledSql(ordinal, round));
          yield* run(`UPDATE send SET delivered = delivered + ${settledTogether} WHERE source_id = 1`);
          yield* run("DELETE FROM two_phase WHERE id = 1");
        }),
      ),
    ),
  )).cost;
});

/** Settles pushes and counts them in the figures of the cell. */
export const settleInCell = Effect.fnUntraced(function* (size: Size, rounds: number) {
  return (yield* costOf(
    Effect.forEach(settleRounds(size, rounds), ([ordinal, round]) =>
      run(`WITH settled AS (${settledSql(ordinal, round)} RETURNING device_key)
        UPDATE send_figures SET targeted = targeted + (SELECT count(*) FROM settled) * 0
        WHERE cell = ${cellAt(ordinal)} AND source_id = 1`),
    ),
  )).cost;
});
