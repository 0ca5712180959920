/** Rows that an import accepts, and that a person may not have meant. */
import { formatNumber } from "../../parts/DisplayFormats.ts";
import { metersBetween, type Point } from "../../parts/map/Shapes.ts";
import type { FeatureOutcome } from "./ImportRun.ts";

const farMeters = 1_000_000;
const nearMeters = 200_000;

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** The sentence about a position far from most others. */
const positionWarning = (at: Point, middle: Point): string | undefined => {
  const meters = metersBetween(at, middle);
  if (meters < farMeters) return undefined;
  const swapped: Point = [at[1], at[0]];
  const isSwapped = Math.abs(at[0]) <= 90 && metersBetween(swapped, middle) < nearMeters;
  return isSwapped
    ? "Latitude and longitude seem to be swapped."
    : `It is ${formatNumber(Math.round(meters / 1000))} km from most other locations.`;
};

/** The number of the row that had a key first; undefined for the first one. */
const repeated = (seen: Map<string, number>, key: string, number: number): number | undefined => {
  const first = seen.get(key);
  if (first === undefined) seen.set(key, number);
  return first;
};

/** The accepted rows with sentences about them: duplicates, swapped coordinates, and locations far off. */
export const importWarnings = (
  outcomes: ReadonlyArray<FeatureOutcome>,
  called: "row" | "feature",
): ReadonlyArray<FeatureOutcome> => {
  const accepted = outcomes.flatMap((each) => (each.at === null ? [] : [{ ...each, at: each.at }]));
  const middle: Point = [median(accepted.map(({ at }) => at[0])), median(accepted.map(({ at }) => at[1]))];
  const [ids, positions] = [new Map<string, number>(), new Map<string, number>()];
  return accepted.flatMap((each) => {
    const { at, externalId, name, number } = each;
    const sameId = externalId === null ? undefined : repeated(ids, externalId, number);
    const repeats = repeated(
      positions,
      `${name?.toLowerCase()} ${at[0].toFixed(4)} ${at[1].toFixed(4)}`,
      number,
    );
    const reasons = [
      sameId !== undefined &&
        `It has the external id “${externalId}” of ${called} ${sameId}, and replaces that one.`,
      sameId === undefined &&
        repeats !== undefined &&
        `It has the name and the position of ${called} ${repeats}.`,
      positionWarning(at, middle),
    ].filter((reason) => typeof reason === "string");
    return reasons.length === 0 ? [] : [{ ...each, reasons }];
  });
};
