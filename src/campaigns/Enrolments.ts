import { Context, type Effect } from "effect";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A campaign, or a notification on any campaign. */
export type Experimental = { readonly campaign: CampaignId } | { readonly notification: NotificationId };

/** Who is enrolled in the experiments of campaigns, as far as changes depend on it (contract U7). */
export class Enrolments extends Context.Service<
  Enrolments,
  {
    /**
     * Whether units are enrolled in the experiment of the campaign, or of a campaign of the notification, or
     * a send runs that enrols some. Locks the campaigns, so that nobody is enrolled until the transaction
     * ends.
     */
    readonly isEnrolled: (tenant: Tenant, of: Experimental) => Effect.Effect<boolean>;
    /** Whether units are enrolled in the variants of a notification. Takes the same locks (contract TR4). */
    readonly hasArms: (tenant: Tenant, notification: NotificationId) => Effect.Effect<boolean>;
  }
>()("waypost/campaigns/Enrolments") {}
