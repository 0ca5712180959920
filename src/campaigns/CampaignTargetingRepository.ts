import { Context, type Effect } from "effect";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";

/** Stores whom campaigns target. */
export class CampaignTargetingRepository extends Context.Service<
  CampaignTargetingRepository,
  {
    /** Replaces the targeting of a campaign. Targets that no longer exist are left out. */
    readonly replace: (
      tenant: Tenant,
      campaignId: CampaignId,
      targeting: ResolvedTargeting,
    ) => Effect.Effect<void>;
    /** Returns the ids that are segments of this environment. */
    readonly existingSegments: (
      tenant: Tenant,
      ids: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlySet<string>>;
    /**
     * Names of campaigns that have not ended at `now` (epoch milliseconds) and have this as their only
     * segment, the oldest ten.
     */
    readonly needingSegment: (
      tenant: Tenant,
      segmentId: string,
      now: number,
    ) => Effect.Effect<ReadonlyArray<string>>;
  }
>()("waypost/campaigns/CampaignTargetingRepository") {}
