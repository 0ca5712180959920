import { Context, type Effect } from "effect";
import type { CampaignId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { AttachedNotification } from "./AttachedNotification.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import type { CampaignDates } from "./CampaignDates.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";

/**
 * The columns of a campaign that a draft writes, instants in epoch milliseconds. Targeting is stored apart.
 */
export interface CampaignValues extends CampaignDates {
  readonly name: string;
  readonly type: Campaign["type"];
  readonly frequencyCapCount: number | null;
  readonly frequencyCapPeriod: Campaign["frequency_cap_period"];
  readonly capBy: Campaign["cap_by"];
  readonly quietHours: Campaign["quiet_hours"];
  readonly cooldownMinutes: number | null;
  readonly maxPerMinute: number | null;
  readonly segmentMatch: Campaign["targeting"]["segment_match"];
  readonly holdoutPercent: number;
  readonly goal: Campaign["goal"];
}

/** A campaign to insert. */
export interface NewCampaign {
  readonly id: CampaignId;
  readonly values: CampaignValues;
  readonly targets: ResolvedTargeting;
  readonly paused: boolean;
  /** The most campaigns that can count with this one; null for any number. */
  readonly limit: number | null;
}

/** Which campaigns a list has; what is left out or null selects all. */
export interface CampaignFilters {
  /** In epoch milliseconds. */
  readonly updatedSince?: number | null;
  readonly status?: Campaign["status"] | null;
  readonly type?: Campaign["type"] | null;
  /** A pattern of `searchPattern` for the name. */
  readonly search?: string | null;
  /** Only drafts, or only campaigns that were not paused once. */
  readonly isDraft?: boolean | null;
  /** Only archived campaigns, or only the others (the default). */
  readonly isArchived?: boolean;
}

/** Stores campaigns. `now` is the instant of the change or of the computed status, in epoch milliseconds. */
export class CampaignsRepository extends Context.Service<
  CampaignsRepository,
  {
    /** Newest first. */
    readonly page: (
      tenant: Tenant,
      position: PagePosition,
      filters: CampaignFilters,
      now: number,
    ) => Effect.Effect<ReadonlyArray<Campaign>>;
    readonly find: (tenant: Tenant, id: CampaignId, now: number) => Effect.Effect<FoundCampaign | null>;
    /** Whether a campaign other than `except` has exactly this name. */
    readonly isNameTaken: (tenant: Tenant, name: string, except: CampaignId | null) => Effect.Effect<boolean>;
    /**
     * How many campaigns `max_campaigns` counts, without `except`: those that have not ended and, in Sandbox,
     * are not paused (contract E9).
     */
    readonly countLimited: (tenant: Tenant, except: CampaignId | null, now: number) => Effect.Effect<number>;
    /**
     * Inserts a campaign with its targets, in a transaction that has locked the tenant. If its name is taken
     * meanwhile, a target deleted or the limit reached, the transaction conflicts: it runs again and finds
     * the problem.
     */
    readonly insert: (tenant: Tenant, campaign: NewCampaign, now: number) => Effect.Effect<void>;
    /**
     * As `insert`, for several campaigns. It leaves out those of which `insert` would conflict, and gives the
     * ids of the others. Their limits count those of the environment that were stored before.
     */
    readonly insertAll: (
      tenant: Tenant,
      campaigns: ReadonlyArray<NewCampaign>,
      now: number,
    ) => Effect.Effect<ReadonlySet<CampaignId>>;
    readonly update: (
      tenant: Tenant,
      id: CampaignId,
      values: CampaignValues,
      now: number,
    ) => Effect.Effect<void>;
    /** True if that changed the campaign; otherwise `updated_at` is kept. Publishing also unarchives. */
    readonly setPaused: (
      tenant: Tenant,
      id: CampaignId,
      isPaused: boolean,
      now: number,
    ) => Effect.Effect<boolean>;
    /** Needs a paused campaign. `updated_at` is kept if that changes nothing. */
    readonly setArchived: (
      tenant: Tenant,
      id: CampaignId,
      isArchived: boolean,
      now: number,
    ) => Effect.Effect<void>;
    /** The notifications on a campaign, in the order in which they were attached. */
    readonly attached: (tenant: Tenant, id: CampaignId) => Effect.Effect<ReadonlyArray<AttachedNotification>>;
    /** Deletes the notifications that are on this campaign only. Their deliveries keep their content. */
    readonly deleteOwnNotifications: (tenant: Tenant, id: CampaignId) => Effect.Effect<void>;
    /** Deletes a campaign and its targeting, and detaches its notifications. Its deliveries keep its id. */
    readonly delete: (tenant: Tenant, id: CampaignId) => Effect.Effect<void>;
  }
>()("waypost/campaigns/CampaignsRepository") {}
