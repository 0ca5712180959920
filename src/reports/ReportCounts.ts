/** What reports count: read by `rollups/RollupReader.ts`, put into rows by the `…ReportSql.ts` files. */

/** Counts of a day, or of a whole range. `reached` counts distinct devices. */
export interface ActivityCounts {
  readonly delivered: number;
  readonly reached: number;
  readonly entries: number;
  readonly exits: number;
}

/** Counts of a range and of each of its days, in order. */
export interface SummaryCounts {
  readonly total: ActivityCounts;
  readonly days: ReadonlyArray<ActivityCounts>;
}

/** Deliveries of one campaign or notification, by its key. `reached` counts distinct devices. */
export interface OutcomeCounts {
  readonly key: number;
  readonly delivered: number;
  readonly failed: number;
  readonly reached: number;
}

/**
 * Events at one location, by its key. `entered` counts distinct devices. A visit is an entry together with
 * the same device's next exit there (contract K5); `visitMicros` is the length of all visits in microseconds.
 */
export interface LocationCounts {
  readonly key: number;
  readonly entries: number;
  readonly exits: number;
  readonly entered: number;
  readonly visits: number;
  readonly visitMicros: bigint;
}
