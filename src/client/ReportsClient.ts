import { EndpointGroup } from "./Call.ts";
import type { CallOptions } from "./Connection.ts";
import type { EndpointName, Envelope, Query } from "./Contract.ts";

/** A report: its figures as JSON, or its rows as CSV. */
export interface ReportCall<E extends EndpointName<"reports">> {
  /** Retrieves the report. */
  (query?: Query<"reports", E>, options?: CallOptions): Promise<Envelope<"reports", E>>;
  /** Retrieves the rows of the report (of the summary its days) as CSV with a header row. */
  csv(query?: Query<"reports", E>, options?: CallOptions): Promise<string>;
}

/** Reports. `data` holds the figures; `meta` holds the range of days and its time zone. */
export class ReportsClient extends EndpointGroup {
  /** Retrieves totals, and one item for every day of the range. */
  readonly summary = this.#report("summary");
  /** Retrieves one row for each campaign. */
  readonly campaigns = this.#report("campaigns");
  /** Retrieves one row for each location. */
  readonly locations = this.#report("locations");
  /** Retrieves one row for each notification. */
  readonly notifications = this.#report("notifications");
  /** Retrieves the opens and clicks of each notification. */
  readonly interactions = this.#report("interactions");
  /** Retrieves one row for each survey of a campaign. */
  readonly surveys = this.#report("surveys");

  #report<E extends EndpointName<"reports">>(report: E): ReportCall<E> {
    return Object.assign(
      (query: Query<"reports", E> = {} as Query<"reports", E>, options?: CallOptions) =>
        this.call(["reports", report], { query, options }),
      {
        csv: (query: Query<"reports", E> = {} as Query<"reports", E>, options?: CallOptions) =>
          this.call.csv(["reports", report], { query, options }),
      },
    );
  }
}
