import { Effect, Layer } from "effect";
import { MemoryStore, type MemoryTransaction, memoryTable } from "./MemoryStore.ts";
import type { CampaignId } from "../../src/wire/Ids.ts";
import { byId, tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { ResolvedTargeting } from "../../src/campaigns/CampaignTargeting.ts";
import { CampaignTargetingRepository } from "../../src/campaigns/CampaignTargetingRepository.ts";

interface TargetingCampaign extends TenantKey {
  readonly id: CampaignId;
  readonly name: string;
  readonly endsAt: number | null;
}

const campaigns = memoryTable<TargetingCampaign>("campaign");
const locations = memoryTable<TenantKey>("location");
const groups = memoryTable<TenantKey>("location_group");
const segments = memoryTable<TenantKey>("segment");
/** One row for each campaign, by its id. It may name targets that have been deleted. */
const targetings = memoryTable<ResolvedTargeting>("campaign_targeting");

const nothing: ResolvedTargeting = { locationIds: [], groupIds: [], segmentIds: [] };

const filtered = (
  { groupIds, locationIds, segmentIds }: ResolvedTargeting,
  exists: (table: typeof locations, id: string) => boolean,
): ResolvedTargeting => ({
  locationIds: locationIds.filter((id) => exists(locations, id)),
  groupIds: groupIds.filter((id) => exists(groups, id)),
  segmentIds: segmentIds.filter((id) => exists(segments, id)),
});

/** The targeting of a campaign, without the targets that have been deleted. */
export const existingTargeting = (tables: MemoryTransaction, campaignId: CampaignId): ResolvedTargeting =>
  filtered(tables.rows(targetings).get(campaignId) ?? nothing, (table, id) => tables.rows(table).has(id));

/** Replaces the targeting of a campaign by those targets that exist. */
export const putTargeting = (
  tables: MemoryTransaction,
  tenant: TenantKey,
  campaignId: CampaignId,
  targeting: ResolvedTargeting,
): void => {
  const own = filtered(targeting, (table, id) => tenantRow(tables, table, tenant, id) !== null);
  tables.put(targetings, campaignId, own);
};

/** Whether all targets exist in the environment. */
export const haveTargets = (
  tables: MemoryTransaction,
  tenant: TenantKey,
  targeting: ResolvedTargeting,
): boolean =>
  Object.values(filtered(targeting, (table, id) => tenantRow(tables, table, tenant, id) === null)).every(
    (missing) => missing.length === 0,
  );

/** The targeting of campaigns in memory. */
export const campaignTargetingMemory = Layer.effect(
  CampaignTargetingRepository,
  Effect.map(MemoryStore, (store) =>
    CampaignTargetingRepository.of({
      replace: (tenant, campaignId, targeting) =>
        store.write((tables) => putTargeting(tables, tenant, campaignId, targeting)),

      existingSegments: (tenant, ids) =>
        store.read((tables) => new Set(ids.filter((id) => tenantRow(tables, segments, tenant, id) !== null))),

      needingSegment: (tenant, segmentId, now) =>
        store.read((tables) =>
          tenantRows(tables, campaigns, tenant)
            .filter(({ endsAt }) => endsAt === null || endsAt >= now)
            .filter(({ id }) => existingTargeting(tables, id).segmentIds.join() === segmentId)
            .toSorted(byId)
            .slice(0, 10)
            .map(({ name }) => name),
        ),
    }),
  ),
);
