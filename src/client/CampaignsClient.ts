import { type Call, listed, type ListQuery } from "./Call.ts";
import type { CallOptions, ChangeOptions } from "./Connection.ts";
import type { Answer, Body } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A campaign, as the service shows it. */
export type Campaign = Answer<"campaigns", "get">;

/** What a campaign is written as, on create and on update. */
export type CampaignDraft = Body<"campaigns", "create">;

/** The answer of a delete. */
export type Deleted = Answer<"campaigns", "delete">;

/** Campaigns: when messages go, and to whom. */
export class CampaignsClient {
  readonly #call: Call;
  constructor(call: Call) {
    this.#call = call;
  }
  /** All campaigns, newest first. */
  list(query: ListQuery<"campaigns"> = {}, options?: CallOptions): Pages<Campaign> {
    return listed(query, (query) => this.#call(["campaigns", "list"], { query, options }));
  }
  /** One campaign; `not_found` when there is none. */
  async get(id: string, options?: CallOptions): Promise<Campaign> {
    return (await this.#call(["campaigns", "get"], { ids: { campaign: id }, options })).data;
  }
  /** A new campaign; it goes live at its start as soon as it has a notification. */
  async create(draft: CampaignDraft, options?: ChangeOptions): Promise<Campaign> {
    return (await this.#call(["campaigns", "create"], { json: draft, options })).data;
  }
  /** Resubmits the whole campaign: optional fields left out are cleared. */
  async update(id: string, draft: CampaignDraft, options?: ChangeOptions): Promise<Campaign> {
    return (await this.#call(["campaigns", "update"], { ids: { campaign: id }, json: draft, options })).data;
  }
  /** Deletes the campaign and cancels its sends; what was delivered stays in the reports. */
  async delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return (await this.#call(["campaigns", "delete"], { ids: { campaign: id }, options })).data;
  }
  /** Nothing is sent until it is published again. */
  async pause(id: string, options?: ChangeOptions): Promise<Campaign> {
    return (await this.#call(["campaigns", "pause"], { ids: { campaign: id }, options })).data;
  }
  /** A paused campaign goes on. */
  async publish(id: string, options?: ChangeOptions): Promise<Campaign> {
    return (await this.#call(["campaigns", "publish"], { ids: { campaign: id }, options })).data;
  }
}
