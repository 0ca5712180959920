import { type Call, listed, type ListQuery } from "./Call.ts";
import type { CallOptions } from "./Connection.ts";
import type { Answer } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A location group, as the service shows it. */
export type LocationGroup = Answer<"locationGroups", "get">;

/** Location groups, which imports make. */
export class LocationGroupsClient {
  readonly #call: Call;
  constructor(call: Call) {
    this.#call = call;
  }
  /** All groups, newest first; with `name` the one with exactly this name. */
  list(query: ListQuery<"locationGroups"> = {}, options?: CallOptions): Pages<LocationGroup> {
    return listed(query, (query) => this.#call(["locationGroups", "list"], { query, options }));
  }
  /** One group; `not_found` when there is none. */
  async get(id: string, options?: CallOptions): Promise<LocationGroup> {
    return (await this.#call(["locationGroups", "get"], { ids: { locationGroup: id }, options })).data;
  }
}
