/** Source rows of a period as columns. As rows, the driver would take longer than the database. */
import { halvesOf, microsOf } from "../encoding/BinaryArrays.ts";

/** The content types of deliveries. */
export const contentTypes = ["message", "survey"];

/** The triggers of deliveries. */
export const triggerTypes = ["on_enter", "on_exit", "fixed_time", "on_dwell", "on_event"];

/** The kinds of deliveries: content type and trigger. Columns hold the index in this list. */
export const outcomeKinds = contentTypes.flatMap((contentType) =>
  triggerTypes.map((triggerType) => ({ contentType, triggerType })),
);

/** The kind with an index. */
export const kindOf = (index: number) => {
  const kind = outcomeKinds[index];
  if (kind === undefined) throw new Error(`There is no kind ${index} of deliveries`);
  return kind;
};

/** Deliveries, a column each. `settled` is in microseconds since 1970, `delivered` 0 for a failure. */
export interface OutcomeColumns {
  readonly devices: Int32Array;
  readonly campaigns: Int32Array;
  readonly notifications: Int32Array;
  readonly kinds: Int32Array;
  readonly delivered: Uint8Array;
  readonly settled: Float64Array;
}

/**
 * Geofence events, a column each. `at` is in microseconds since 1970, `entered` 0 for an exit. `boundaries`
 * is 1 where an event can begin or end a visit; of other entries `visitMicros` is the length of the visit in
 * microseconds, NaN where there is none.
 */
export interface TransitionColumns {
  readonly devices: Int32Array;
  readonly locations: Int32Array;
  readonly entered: Uint8Array;
  readonly boundaries: Uint8Array;
  readonly visitMicros: Float64Array;
  readonly at: Float64Array;
}

/** Binary arrays: `bigint[]`, `bigint[]` and `timestamptz[]`. Each number is packed from two. */
export interface PackedColumns {
  readonly keys: Uint8Array;
  readonly details: Uint8Array;
  readonly instants: Uint8Array;
}

/**
 * Reads deliveries. `keys`: campaign in the upper 32 bits, device in the lower. `details`: notification in
 * the upper, twice the kind plus `delivered` in the lower.
 */
export const outcomeColumns = ({ details, instants, keys }: PackedColumns): OutcomeColumns => {
  const [campaigns, devices] = halvesOf(keys);
  const [notifications, flags] = halvesOf(details);
  // Loops: `from` and `map` take many times as long.
  const kinds = new Int32Array(flags.length);
  const delivered = new Uint8Array(flags.length);
  for (let row = 0; row < flags.length; row++) {
    const each = flags[row] ?? 0;
    kinds[row] = each >> 1;
    delivered[row] = each & 1;
  }
  return { campaigns, devices, notifications, kinds, delivered, settled: microsOf(instants) };
};

/**
 * Reads events. `keys`: location in the upper 32 bits, device in the lower. `details`: four times the
 * microseconds of the visit (-1 for none), plus twice `boundary`, plus `entered`.
 */
export const transitionColumns = ({ details, instants, keys }: PackedColumns): TransitionColumns => {
  const [locations, devices] = halvesOf(keys);
  const [highs, lows] = halvesOf(details);
  const entered = new Uint8Array(lows.length);
  const boundaries = new Uint8Array(lows.length);
  const visitMicros = new Float64Array(lows.length);
  for (let row = 0; row < lows.length; row++) {
    const [high, low] = [highs[row] ?? 0, lows[row] ?? 0];
    entered[row] = low & 1;
    boundaries[row] = (low >> 1) & 1;
    visitMicros[row] = high < 0 ? Number.NaN : high * 1_073_741_824 + (low >>> 2);
  }
  return { locations, devices, entered, boundaries, visitMicros, at: microsOf(instants) };
};

type Column = Int32Array | Uint8Array | Float64Array;

const joined = <Values extends Column>(first: Values, second: Values): Values => {
  if (second.length === 0) return first;
  const both = new (first.constructor as new (length: number) => Values)(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
};

/** The rows of two tables with the same columns, those of the second behind those of the first. */
export const concatenated = <Columns extends { readonly [name in keyof Columns]: Column }>(
  first: Columns,
  second: Columns,
): Columns =>
  Object.fromEntries(
    Object.keys(first).map((name): [string, unknown] => [
      name,
      joined(first[name as keyof Columns], second[name as keyof Columns]),
    ]),
  ) as Columns;
