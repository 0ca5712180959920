import { Effect, Layer } from "effect";
import { isDeepStrictEqual } from "node:util";
import { MemoryStore, memoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { Audience, SegmentRule } from "../../src/devices/SegmentRule.ts";
import { type SegmentRow, SegmentsRepository } from "../../src/devices/SegmentsRepository.ts";

interface StoredSegment extends TenantKey {
  readonly id: string;
  readonly name: string;
  readonly rule: SegmentRule;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoredCampaign extends TenantKey {
  readonly segmentMatch: Audience["match"] | null;
}

const segments = memoryTable<StoredSegment>("segment");
const campaigns = memoryTable<StoredCampaign>("campaign");
const targetings = memoryTable<{ readonly segmentIds: ReadonlyArray<string> }>("campaign_targeting");

const toRow = ({ createdAt, id, name, rule, updatedAt }: StoredSegment): SegmentRow => ({
  id,
  name,
  rule,
  created_at: utcText(createdAt),
  updated_at: utcText(updatedAt),
});

/** Segments in memory. Devices have no memory repository, so every rule holds 0 devices. */
export const segmentsMemory = Layer.effect(
  SegmentsRepository,
  Effect.map(MemoryStore, (store) =>
    SegmentsRepository.of({
      page: (tenant, position) =>
        store.read((tables) => pageOf(tenantRows(tables, segments, tenant), position).map(toRow)),

      find: (tenant, id) =>
        store.read((tables) => {
          const row = tenantRow(tables, segments, tenant, id);
          return row && toRow(row);
        }),

      isNameTaken: (tenant, name, except) =>
        store.read((tables) =>
          tenantRows(tables, segments, tenant).some((row) => row.name === name && row.id !== except),
        ),

      insert: ({ environment, workspaceId }, id, name, rule, now) =>
        store.write((tables) => {
          const row = { id, name, rule, createdAt: now, updatedAt: now };
          tables.put(segments, id, { workspaceId, environment, ...row });
        }),

      update: (tenant, id, name, rule, now) =>
        store.write((tables) => {
          const row = tenantRow(tables, segments, tenant, id);
          if (row === null || (row.name === name && isDeepStrictEqual(row.rule, rule))) return;
          tables.put(segments, id, { ...row, name, rule, updatedAt: now });
        }),

      delete: (tenant, id) =>
        store.write((tables) => {
          if (tenantRow(tables, segments, tenant, id) !== null) tables.delete(segments, id);
        }),

      lastDeviceKey: () => Effect.succeed(0),

      count: (_tenant, rules) => Effect.succeed(rules.map(() => 0)),

      rules: (tenant, ids) =>
        store.read(
          (tables) =>
            new Map(
              ids.flatMap((id) => {
                const row = tenantRow(tables, segments, tenant, id);
                return row === null ? [] : [[id, row.rule] as const];
              }),
            ),
        ),

      audiences: (targeted) =>
        store.read((tables) =>
          targeted.map((each) => {
            const campaign = tenantRow(tables, campaigns, each, each.campaignId);
            const ids =
              campaign === null ? [] : (tables.rows(targetings).get(each.campaignId)?.segmentIds ?? []);
            const rules = ids.flatMap((id) => tables.rows(segments).get(id)?.rule ?? []);
            return { match: rules.length > 0 ? (campaign?.segmentMatch ?? "any") : "any", rules };
          }),
        ),
    }),
  ),
);
