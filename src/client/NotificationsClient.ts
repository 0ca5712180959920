import { type Call, listed } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import type { CallOptions, ChangeOptions } from "./Connection.ts";
import type { Answer, Body } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A notification on a campaign, as the service shows it. */
export type Notification = Answer<"notifications", "get">;

/** What a notification is written as, on create and on update. */
export type NotificationDraft = Body<"notifications", "create">;

/** Notifications of a campaign: what it says, and what sets that off. */
export class NotificationsClient {
  readonly #call: Call;
  constructor(call: Call) {
    this.#call = call;
  }
  /** All notifications of a campaign, oldest first. */
  list(campaign: string, options?: CallOptions): Pages<Notification> {
    return listed({}, () => this.#call(["notifications", "list"], { ids: { campaign }, options }));
  }
  /** One notification; `not_found` when the campaign has none with this id. */
  async get(campaign: string, id: string, options?: CallOptions): Promise<Notification> {
    const ids = { campaign, notification: id };
    return (await this.#call(["notifications", "get"], { ids, options })).data;
  }
  /** A new notification on a campaign. */
  async create(campaign: string, draft: NotificationDraft, options?: ChangeOptions): Promise<Notification> {
    return (await this.#call(["notifications", "create"], { ids: { campaign }, json: draft, options })).data;
  }
  /** Resubmits the whole notification: optional fields left out are cleared. */
  async update(
    campaign: string,
    id: string,
    draft: NotificationDraft,
    options?: ChangeOptions,
  ): Promise<Notification> {
    const ids = { campaign, notification: id };
    return (await this.#call(["notifications", "update"], { ids, json: draft, options })).data;
  }
  /** Takes the notification off the campaign; its content goes too once it is on no other. */
  async delete(campaign: string, id: string, options?: ChangeOptions): Promise<Deleted> {
    const ids = { campaign, notification: id };
    return (await this.#call(["notifications", "delete"], { ids, options })).data;
  }
}
