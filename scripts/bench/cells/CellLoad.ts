import { Effect } from "effect";
import { cellAt, cellSql, costOf, firstKey, run, runLong, sumOf } from "./CellDatabase.ts";

/** How many cells there are, and how many devices each has. */
export interface Size {
  readonly cells: number;
  readonly devices: number;
}

/** The ordinals of the cells, from 0. */
export const ordinals = ({ cells }: Size): ReadonlyArray<number> =>
  Array.from({ length: cells }, (_, ordinal) => ordinal);

/** SQL: the installation of a device key. */
export const installationSql = (key: string): string => `md5('i' || ${key})::uuid`;

/** SQL: the keys of all devices with the ordinals of their cells. */
const keysSql = ({ cells, devices }: Size) => `generate_series(0, ${cells - 1}) AS ordinal,
  generate_series((ordinal << 20) + 1, (ordinal << 20) + ${devices}) AS key`;

/**
 * SQL: the person of the device `key` of the cell `ordinal`. Three of five devices have one. One device of
 * twenty belongs to the person of a device of the previous cell, so that some people are in two cells.
 */
const personSql = ({ cells }: Size) => `CASE WHEN (key & 1048575) % 5 < 3 THEN
  CASE WHEN ${cells} > 1 AND (key & 1048575) % 20 = 0
    THEN ((ordinal + ${cells - 1}) % ${cells} << 20) + (key & 1048575) + 1 ELSE key END END`;

/**
 * Fills all cells with devices, one statement for each. A push provider reaches a tenth, their inbox the
 * others.
 */
export const load = Effect.fnUntraced(function* (size: Size) {
  const costs = [];
  for (const ordinal of ordinals(size)) {
    const first = firstKey(ordinal);
    const { cost } = yield* costOf(
      runLong(`
        INSERT INTO device (cell, key, installation, person, transport, seen_at)
        SELECT ${cellAt(ordinal)}, key, ${installationSql("key")}, ${personSql(size)},
          CASE WHEN key % 10 = 0 THEN 'f' ELSE 'i' END::"char", '2026-01-01Z'
        FROM (SELECT ${ordinal} AS ordinal) AS own,
          generate_series(${first + 1}, ${first + size.devices}) AS key`),
    );
    costs.push(cost);
    yield* run(`INSERT INTO cell_state VALUES (${cellAt(ordinal)})`);
  }
  yield* runLong(
    `INSERT INTO device_installation (id, key) SELECT ${installationSql("key")}, key FROM ${keysSql(size)}`,
  );
  // Every cell knows of its own people in which other cells they have devices.
  yield* runLong(`
    INSERT INTO device_person (cell, person, other_cells)
    SELECT cell, person, NULLIF(array_remove(cells, cell), '{}') FROM (
      SELECT person, array_agg(DISTINCT ${cellSql("key")}) AS cells
      FROM (SELECT key, ${personSql(size)} AS person FROM ${keysSql(size)}) AS owned
      WHERE person IS NOT NULL GROUP BY person
    ) AS spread, unnest(cells) AS cell`);
  yield* run(`UPDATE tenant SET last_device_key = ${firstKey(size.cells - 1) + size.devices}`);
  yield* runLong("CREATE UNIQUE INDEX device_of_installation ON device (installation, cell)");
  for (const table of ["device", "device_person", "device_installation", "cell_state"])
    yield* runLong(`ANALYZE ${table}`);
  return sumOf(costs);
});
