import { EndpointGroup, type ListQuery } from "./Call.ts";
import type { CallOptions } from "./Connection.ts";
import type { Answer } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A location group. */
export type LocationGroup = Answer<"locationGroups", "get">;

/** Location groups. Imports create them. */
export class LocationGroupsClient extends EndpointGroup {
  /** Lists all groups, newest first. With `name`, only the group with exactly that name. */
  list(query: ListQuery<"locationGroups"> = {}, options?: CallOptions): Pages<LocationGroup> {
    return this.pages(["locationGroups", "list"], query, options);
  }
  /** Retrieves a group. Rejects with the code `not_found` if it does not exist. */
  get(id: string, options?: CallOptions): Promise<LocationGroup> {
    return this.data(["locationGroups", "get"], { ids: { locationGroup: id }, options });
  }
}
