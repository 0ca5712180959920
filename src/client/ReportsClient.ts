import { EndpointGroup } from "./Call.ts";
import type { CallOptions } from "./Connection.ts";
import type { Query } from "./Contract.ts";

/** Reports. `data` holds the figures; `meta` holds the range of days and its time zone. */
export class ReportsClient extends EndpointGroup {
  /** Retrieves totals, and one item for every day of the range. */
  summary(query: Query<"reports", "summary"> = {}, options?: CallOptions) {
    return this.call(["reports", "summary"], { query, options });
  }
  /** Retrieves one row for each campaign. */
  campaigns(query: Query<"reports", "campaigns"> = {}, options?: CallOptions) {
    return this.call(["reports", "campaigns"], { query, options });
  }
  /** Retrieves one row for each location. */
  locations(query: Query<"reports", "locations"> = {}, options?: CallOptions) {
    return this.call(["reports", "locations"], { query, options });
  }
  /** Retrieves one row for each notification. */
  notifications(query: Query<"reports", "notifications"> = {}, options?: CallOptions) {
    return this.call(["reports", "notifications"], { query, options });
  }
  /** Retrieves one row for each survey of a campaign. */
  surveys(query: Query<"reports", "surveys"> = {}, options?: CallOptions) {
    return this.call(["reports", "surveys"], { query, options });
  }
}
