import { Effect } from "effect";
import { Forbidden } from "../wire/ApiError.ts";
import { CampaignId, parseId } from "../wire/Ids.ts";
import { counted } from "../wire/Text.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ContentsSql } from "./ContentsSql.ts";
import type { NotificationsSql } from "./NotificationsSql.ts";

/**
 * The sentence for one more notification than a campaign may have, or null (contract F8). Needs the tenant's
 * lock.
 */
export const campaignLimitProblem = Effect.fnUntraced(function* (
  repository: NotificationsSql["Service"],
  tenant: Tenant,
  campaignId: string,
) {
  const limit = tenant.workspace.plan.max_notifications_per_campaign;
  const id = parseId(CampaignId, campaignId);
  if (limit === null || id === null) return null;
  const count = yield* repository.count(tenant, id);
  return count < limit ? null : campaignSentence(limit, count);
});

/** The sentence for a copy of a campaign with more notifications than a campaign may have, or null. */
export const copyLimitProblem = ({ workspace }: Tenant, count: number): string | null => {
  const limit = workspace.plan.max_notifications_per_campaign;
  return limit === null || count <= limit ? null : campaignSentence(limit, count);
};

const campaignSentence = (limit: number, count: number): string =>
  `The plan allows ${counted(limit, "notification")} on a campaign, and this one has ${count}: ` +
  "take one off first.";

/** Refuses what the plan does not allow, all limits together (contract B4, F8). */
export const checkLimits = (problems: { readonly [limit: string]: string | null }) => {
  const exceeded = Object.entries(problems).flatMap(([limit, problem]) =>
    problem === null ? [] : [[limit, [problem]] as const],
  );
  return exceeded.length === 0 ? Effect.void : Forbidden.limits(Object.fromEntries(exceeded));
};

/** The sentence for `added` more contents than `max_notifications` allows, or null (contract F8). */
export const totalLimitProblem = Effect.fnUntraced(function* (
  repository: Pick<ContentsSql["Service"], "count">,
  tenant: Tenant,
  added: number,
) {
  const limit = tenant.workspace.plan.max_notifications;
  if (limit === null) return null;
  const count = yield* repository.count(tenant);
  if (count + added <= limit) return null;
  return (
    `The plan allows ${counted(limit, "notification")} in ${environmentName(tenant.environment)}, ` +
    `and there are ${count}: delete one first.`
  );
});
