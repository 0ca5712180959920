import { Effect } from "effect";
import { Forbidden } from "../wire/ApiError.ts";
import { counted } from "../wire/Text.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import type { CampaignsSql } from "./CampaignsSql.ts";
import type { StoredCampaign } from "./StoredCampaign.ts";

type LimitedCampaign = Parameters<typeof campaignStatus>[0];

/**
 * Whether `max_campaigns` counts a campaign: one that has not ended and, in Sandbox, is not paused (contract
 * E9).
 */
const isLimited = ({ environment }: Tenant, campaign: LimitedCampaign, now: number): boolean =>
  campaignStatus(campaign, now) !== "ended" && !(environment === "sandbox" && campaign.paused);

/** The most campaigns that can count with a new one; null if the plan has no limit or does not count it. */
export const limitFor = (tenant: Tenant, next: LimitedCampaign, now: number): number | null =>
  isLimited(tenant, next, now) ? tenant.workspace.plan.max_campaigns : null;

/**
 * How many campaigns count without this one; 0 if the plan has no limit. It is exact under the tenant's lock.
 */
export const countOthers = (
  repository: CampaignsSql["Service"],
  tenant: Tenant,
  stored: StoredCampaign | null,
  now: number,
): Effect.Effect<number> =>
  tenant.workspace.plan.max_campaigns === null
    ? Effect.succeed(0)
    : repository.countLimited(tenant, stored?.id ?? null, now);

/** Refuses a change that makes a campaign count, if the others leave no room in the plan. */
export const checkLimit = (
  tenant: Tenant,
  stored: StoredCampaign | null,
  next: LimitedCampaign,
  others: number,
  now: number,
): Effect.Effect<void, Forbidden> => {
  const limit = tenant.workspace.plan.max_campaigns;
  const countedBefore = stored !== null && isLimited(tenant, stored, now);
  if (limit === null || countedBefore || !isLimited(tenant, next, now) || others < limit) return Effect.void;
  const inSandbox = tenant.environment === "sandbox";
  return Forbidden.limit(
    "max_campaigns",
    `The plan allows ${counted(limit, "campaign")} in ${environmentName(tenant.environment)} ` +
      `that have not ended${inSandbox ? " and are not paused" : ""}, and there are ${others}: ` +
      `delete${inSandbox ? ", pause" : ""} or end one first.`,
  );
};

/** Refuses to create or publish a campaign after the trial of the workspace (contract E9). */
export const checkTrial = ({ workspace }: Tenant): Effect.Effect<void, Forbidden> =>
  workspace.trial_ended
    ? Forbidden.of(
        "trial_ended",
        "The trial of this workspace has ended: campaigns cannot be created or published until it is on a " +
          "plan.",
      )
    : Effect.void;
