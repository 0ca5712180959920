import { countsEntries, countsExits, type ReportFilters } from "../../ReportQuery.ts";

/** Entries and exits of a day or a range. */
export interface TransitionCounts {
  readonly entries: number;
  readonly exits: number;
}

/** Entries and exits of a range, and of each of its days in order. */
export interface DailyTransitionCounts {
  readonly total: TransitionCounts;
  readonly days: ReadonlyArray<TransitionCounts>;
}

/** No entries, no exits. */
export const noTransitions: TransitionCounts = { entries: 0, exits: 0 };

const sum = (one: TransitionCounts, other: TransitionCounts): TransitionCounts => ({
  entries: one.entries + other.entries,
  exits: one.exits + other.exits,
});

/** Adds up the entries and exits of each day of a range, those that the filters let through. */
export class DailyTransitions {
  readonly #days: Map<string, TransitionCounts>;
  readonly #filters: ReportFilters;

  constructor(dates: ReadonlyArray<string>, filters: ReportFilters) {
    this.#days = new Map(dates.map((date) => [date, noTransitions]));
    this.#filters = filters;
  }

  /** Adds to a day. */
  add(date: string, { entries, exits }: TransitionCounts): void {
    const counted = {
      entries: countsEntries(this.#filters) ? entries : 0,
      exits: countsExits(this.#filters) ? exits : 0,
    };
    this.#days.set(date, sum(this.#days.get(date) ?? noTransitions, counted));
  }

  /** The counts so far. */
  get counts(): DailyTransitionCounts {
    const days = [...this.#days.values()];
    return { total: days.reduce(sum, noTransitions), days };
  }
}
