import { EndpointGroup, type ListQuery } from "./Call.ts";
import type { CallOptions, ChangeOptions } from "./Connection.ts";
import type { Answer, Body } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A campaign. */
export type Campaign = Answer<"campaigns", "get">;

/** The fields of a campaign to create or update. */
export type CampaignDraft = Body<"campaigns", "create">;

/** The confirmation of a deletion. */
export type Deleted = Answer<"campaigns", "delete">;

/** Campaigns: when messages are sent, and to which devices. */
export class CampaignsClient extends EndpointGroup {
  /** Lists all campaigns, newest first. */
  list(query: ListQuery<"campaigns"> = {}, options?: CallOptions): Pages<Campaign> {
    return this.pages(["campaigns", "list"], query, options);
  }
  /** Retrieves a campaign. Rejects with the code `not_found` if it does not exist. */
  get(id: string, options?: CallOptions): Promise<Campaign> {
    return this.data(["campaigns", "get"], { ids: { campaign: id }, options });
  }
  /** Creates a campaign. It becomes active at its start, as soon as it has a notification. */
  create(draft: CampaignDraft, options?: ChangeOptions): Promise<Campaign> {
    return this.data(["campaigns", "create"], { json: draft, options });
  }
  /** Replaces all fields of a campaign. Optional fields that are left out are cleared. */
  update(id: string, draft: CampaignDraft, options?: ChangeOptions): Promise<Campaign> {
    return this.data(["campaigns", "update"], { ids: { campaign: id }, json: draft, options });
  }
  /** Deletes a campaign and cancels its sends. Its deliveries still count in reports. */
  delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return this.data(["campaigns", "delete"], { ids: { campaign: id }, options });
  }
  /** Pauses a campaign. It sends nothing until it is published again. */
  pause(id: string, options?: ChangeOptions): Promise<Campaign> {
    return this.data(["campaigns", "pause"], { ids: { campaign: id }, options });
  }
  /** Pauses a campaign and leaves it out of lists. */
  archive(id: string, options?: ChangeOptions): Promise<Campaign> {
    return this.data(["campaigns", "archive"], { ids: { campaign: id }, options });
  }
  /** Puts an archived campaign back into lists. It stays paused. */
  unarchive(id: string, options?: ChangeOptions): Promise<Campaign> {
    return this.data(["campaigns", "unarchive"], { ids: { campaign: id }, options });
  }
  /** Publishes a paused campaign again. */
  publish(id: string, options?: ChangeOptions): Promise<Campaign> {
    return this.data(["campaigns", "publish"], { ids: { campaign: id }, options });
  }
}
