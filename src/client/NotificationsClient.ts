import { EndpointGroup } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import type { CallOptions, ChangeOptions } from "./Connection.ts";
import type { Answer, Body } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A notification of a campaign. */
export type Notification = Answer<"notifications", "get">;

/** The fields of a notification to create or update. */
export type NotificationDraft = Body<"notifications", "create">;

/** Notifications of a campaign: the message, and what triggers it. */
export class NotificationsClient extends EndpointGroup {
  /** Lists all notifications of a campaign, oldest first. */
  list(campaign: string, options?: CallOptions): Pages<Notification> {
    return this.pages(["notifications", "list"], {}, options, { campaign });
  }
  /** Retrieves a notification. Rejects with the code `not_found` if the campaign does not have it. */
  get(campaign: string, id: string, options?: CallOptions): Promise<Notification> {
    return this.data(["notifications", "get"], { ids: { campaign, notification: id }, options });
  }
  /** Creates a notification on a campaign. */
  create(campaign: string, draft: NotificationDraft, options?: ChangeOptions): Promise<Notification> {
    return this.data(["notifications", "create"], { ids: { campaign }, json: draft, options });
  }
  /** Replaces all fields of a notification. Optional fields that are left out are cleared. */
  update(
    campaign: string,
    id: string,
    draft: NotificationDraft,
    options?: ChangeOptions,
  ): Promise<Notification> {
    const ids = { campaign, notification: id };
    return this.data(["notifications", "update"], { ids, json: draft, options });
  }
  /** Removes a notification from its campaign. Content that no other campaign uses is deleted. */
  delete(campaign: string, id: string, options?: ChangeOptions): Promise<Deleted> {
    return this.data(["notifications", "delete"], { ids: { campaign, notification: id }, options });
  }
}
