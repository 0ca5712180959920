import { Clock, Effect } from "effect";
import { CampaignId, idAt } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { FoundCampaign } from "./Campaign.ts";
import { campaignRecorder } from "./CampaignActivity.ts";
import { limitFor } from "./CampaignLimit.ts";
import { CampaignsSql } from "./CampaignsSql.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { shownCampaign, valuesOf } from "./StoredCampaign.ts";

/**
 * Makes the function that inserts a paused campaign with the values of another one, under a name and with
 * targets of its own. The caller has locked the tenant, and checked the name and the plan.
 */
export const campaignCopier = Effect.gen(function* () {
  const repository = yield* CampaignsSql;
  const { record } = yield* campaignRecorder;

  return Effect.fnUntraced(function* (
    tenant: Tenant,
    source: FoundCampaign,
    name: string,
    targets: ResolvedTargeting,
  ) {
    const now = yield* Clock.currentTimeMillis;
    const id = CampaignId(idAt(now));
    const values = { ...valuesOf(source), name };
    const limit = limitFor(tenant, { ...values, paused: true }, now);
    yield* repository.insert(tenant, { id, values, targets, paused: true, limit }, now);
    const state = { paused: true, archived: false, publishedAt: null };
    const row = { ...values, ...state, id, createdAt: now, updatedAt: now };
    const campaign = shownCampaign(row, targets, now);
    yield* record(tenant, "create", null, campaign, now);
    return campaign;
  });
});
