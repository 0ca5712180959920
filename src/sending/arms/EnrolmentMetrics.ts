import { Effect } from "effect";
import { counter } from "../../telemetry/KnownSeries.ts";

const enrolments = counter(
  "waypost_enrolments_total",
  "People and devices that were enrolled in experiments of campaigns, by arm: holdout, or all (the others).",
  { arm: ["holdout", "all"] },
);

/** How many units a statement enrolled in campaigns; missing if it enrols nobody. */
export interface EnrolledUnits {
  readonly holdout?: number;
  readonly all?: number;
}

/** Counts enrolled units. */
export const countEnrolled = ({ all = 0, holdout = 0 }: EnrolledUnits = {}): Effect.Effect<void> =>
  all + holdout === 0
    ? Effect.void
    : Effect.andThen(enrolments({ arm: "holdout" }, holdout), enrolments({ arm: "all" }, all));
