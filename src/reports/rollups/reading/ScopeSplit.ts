import type { ReportScope } from "../../ReportConditionsSql.ts";
import { noMonth, partsOf, type RollupPart } from "../RollupKeys.ts";

/**
 * The parts of a report's scope, by where they are counted: in the rollups with their pending deltas, and in
 * source rows for the time before. A part that is undefined counts nothing.
 */
export interface ScopeSplit {
  readonly scope: ReportScope;
  readonly rolledUp: ReportScope | undefined;
  readonly raw: ReportScope | undefined;
  /** The instant from which on source rows are rolled up: epoch milliseconds, Infinity where none are. */
  readonly rolledUpFrom: number;
  /** The rows of rollups that hold the range. */
  readonly parts: ReadonlyArray<RollupPart>;
}

/** The coverage of an environment's rollups. Months before `monthsBefore` have rows. */
export interface RollupCoverage {
  readonly rolledUpFrom: number;
  readonly monthsBefore: string;
}

/** The coverage of rollups that do not exist, or that are in another time zone. */
export const noCoverage: RollupCoverage = { rolledUpFrom: Infinity, monthsBefore: noMonth };

/** Splits a scope at the instant from which on source rows are rolled up. */
export const splitScope = (
  scope: ReportScope,
  { monthsBefore, rolledUpFrom }: RollupCoverage,
): ScopeSplit => {
  const { dates, fromMs, toMs } = scope.range;
  const during = (period: Partial<ReportScope["range"]>): ReportScope => ({
    ...scope,
    range: { ...scope.range, ...period },
  });
  const isRolledUp = rolledUpFrom <= fromMs;
  const isRaw = !isRolledUp && rolledUpFrom >= toMs;
  return {
    scope,
    rolledUp: isRaw ? undefined : during({ fromMs: Math.max(fromMs, rolledUpFrom) }),
    raw: isRolledUp ? undefined : during({ toMs: Math.min(toMs, rolledUpFrom) }),
    rolledUpFrom,
    parts: partsOf(dates, monthsBefore),
  };
};
