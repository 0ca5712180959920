/** What rollups say beside what they are made of, as pure functions: figures by key, and where they differ. */
import { DeviceTally } from "./encoding/DeviceSet.ts";
import type {
  OutcomeKey,
  RollupOutcomes,
  ReportedOutcomes,
  ReportedVisits,
  ReportedTransitions,
} from "./RollupAuditSql.ts";
import { integersOf } from "./encoding/BinaryArrays.ts";
import { type PackedVisits, unpackVisits } from "./encoding/LocationBlock.ts";

/** Numbers by name, and devices: as sets, and as arrays that `array_send` wrote. Nothing is copied. */
export interface Figures {
  readonly numbers: Map<string, bigint>;
  readonly sets: Array<Uint8Array>;
  readonly arrays: Array<Uint8Array>;
}

/** Figures by the text of their key. */
export type FiguresByKey = Map<string, Figures>;

/** A figure that differs; `rolledUp` is what the rollups and the feed say, `counted` what base rows say. */
export interface DifferentFigure {
  readonly key: string;
  readonly figure: string;
  readonly rolledUp: number;
  readonly counted: number;
}

/** The figures of a key, made where there are none. */
export const figuresOf = (all: FiguresByKey, key: string): Figures => {
  let found = all.get(key);
  if (found === undefined) all.set(key, (found = { numbers: new Map(), sets: [], arrays: [] }));
  return found;
};

/** Adds to a number. */
export const add = ({ numbers }: Figures, name: string, count: number | bigint): void =>
  void numbers.set(name, (numbers.get(name) ?? 0n) + BigInt(count));

/** The text of a key of deliveries. */
export const outcomeKey = (key: OutcomeKey): string =>
  JSON.stringify([key.campaign_key, key.notification_key, key.content_type, key.trigger_type]);

/** The rows that a delivery counts in: its own, and those over all campaigns. */
const outcomeKeys = ({
  campaign_key,
  content_type,
  notification_key,
  trigger_type,
}: OutcomeKey): ReadonlyArray<string> =>
  [
    { campaign_key, notification_key, content_type, trigger_type },
    { campaign_key: 0, notification_key: 0, content_type, trigger_type },
    { campaign_key: 0, notification_key: 0, content_type, trigger_type: "" },
    { campaign_key: 0, notification_key: 0, content_type: "", trigger_type },
    { campaign_key: 0, notification_key: 0, content_type: "", trigger_type: "" },
  ].map(outcomeKey);

/** Counts deliveries of base rows or of the feed into each row that they belong to. */
export const reportOutcomes = (all: FiguresByKey, told: ReadonlyArray<ReportedOutcomes>): void => {
  for (const row of told) {
    for (const key of outcomeKeys(row)) {
      const figures = figuresOf(all, key);
      add(figures, row.status === "delivered" ? "delivered" : "failed", row.count);
      if (row.devices !== null) figures.arrays.push(row.devices);
    }
  }
};

/** Takes in rows of the rollups. One that tells another number of devices than it holds differs from itself. */
export const rollupOutcomes = (
  all: FiguresByKey,
  rows: ReadonlyArray<RollupOutcomes>,
): ReadonlyArray<DifferentFigure> => {
  const tally = new DeviceTally();
  return rows.flatMap((row) => {
    const key = outcomeKey(row);
    const figures = figuresOf(all, key);
    add(figures, "delivered", row.delivered);
    add(figures, "failed", row.failed);
    figures.sets.push(row.devices);
    tally.clear();
    tally.addSets(row.devices);
    return tally.count === row.reached
      ? []
      : [{ key, figure: "devices reached (as noted)", rolledUp: row.reached, counted: tally.count }];
  });
};

/** Counts events of base rows or of the feed into the row of their location and that of all. */
export const reportTransitions = (
  all: FiguresByKey,
  visits: ReadonlyArray<ReportedTransitions>,
  stays: ReadonlyArray<ReportedVisits>,
): void => {
  for (const { devices, entries, exits, location_key } of visits) {
    for (const key of [String(location_key), "0"]) {
      const figures = figuresOf(all, key);
      add(figures, "entries", entries);
      add(figures, "exits", exits);
      if (devices !== null && key !== "0") figures.arrays.push(devices);
    }
  }
  for (const row of stays) {
    const figures = figuresOf(all, String(row.location_key));
    add(figures, "stays", row.stays);
    add(figures, "microseconds stayed", row.stayed);
  }
};

/** Takes in rows of the rollups. */
export const rollupTransitions = (all: FiguresByKey, rows: ReadonlyArray<PackedVisits>): void => {
  for (const row of rows.flatMap(unpackVisits)) {
    const figures = figuresOf(all, String(row.locationKey));
    add(figures, "entries", row.entries);
    add(figures, "exits", row.exits);
    add(figures, "stays", row.stays);
    add(figures, "microseconds stayed", row.stayed);
    figures.sets.push(row.devices);
  }
};

const fill = (tally: DeviceTally, { arrays, sets }: Figures): number => {
  for (const set of sets) tally.addSets(set);
  for (const array of arrays) for (const key of integersOf(array)) tally.add(key);
  return tally.count;
};

/** Where two sides differ: in a number, in how many devices there are, or in which. A row that is missing counts nothing. */
export const compared = (rolledUp: FiguresByKey, counted: FiguresByKey): ReadonlyArray<DifferentFigure> => {
  const tally = new DeviceTally();
  const none: Figures = { numbers: new Map(), sets: [], arrays: [] };
  return [...new Set([...rolledUp.keys(), ...counted.keys()])].flatMap((key) => {
    const left = rolledUp.get(key) ?? none;
    const right = counted.get(key) ?? none;
    const found: Array<DifferentFigure> = [];
    for (const figure of new Set([...left.numbers.keys(), ...right.numbers.keys()])) {
      const [one, other] = [left.numbers.get(figure) ?? 0n, right.numbers.get(figure) ?? 0n];
      if (one !== other) found.push({ key, figure, rolledUp: Number(one), counted: Number(other) });
    }
    tally.clear();
    const theirs = fill(tally, right);
    const together = fill(tally, left);
    tally.clear();
    const ours = fill(tally, left);
    if (ours !== theirs) found.push({ key, figure: "devices", rolledUp: ours, counted: theirs });
    else if (together !== theirs)
      found.push({ key, figure: "devices that are others", rolledUp: together - theirs, counted: 0 });
    return found;
  });
};
