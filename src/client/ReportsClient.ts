import type { Call } from "./Call.ts";
import type { CallOptions } from "./Connection.ts";
import type { Query } from "./Contract.ts";

/** Reports: `data` holds the figures, `meta` the range that they are of and its time zone. */
export class ReportsClient {
  readonly #call: Call;
  constructor(call: Call) {
    this.#call = call;
  }
  /** Totals, and one item for every day of the range. */
  summary(query: Query<"reports", "summary"> = {}, options?: CallOptions) {
    return this.#call(["reports", "summary"], { query, options });
  }
  /** One row for each campaign. */
  campaigns(query: Query<"reports", "campaigns"> = {}, options?: CallOptions) {
    return this.#call(["reports", "campaigns"], { query, options });
  }
  /** One row for each location. */
  locations(query: Query<"reports", "locations"> = {}, options?: CallOptions) {
    return this.#call(["reports", "locations"], { query, options });
  }
  /** One row for each notification. */
  notifications(query: Query<"reports", "notifications"> = {}, options?: CallOptions) {
    return this.#call(["reports", "notifications"], { query, options });
  }
  /** One row for each survey on a campaign. */
  surveys(query: Query<"reports", "surveys"> = {}, options?: CallOptions) {
    return this.#call(["reports", "surveys"], { query, options });
  }
}
