import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { CampaignsRepository } from "../../src/campaigns/CampaignsRepository.ts";
import { CampaignTargetingRepository } from "../../src/campaigns/CampaignTargetingRepository.ts";
import { SegmentsRepository } from "../../src/devices/SegmentsRepository.ts";
import { type CampaignId, idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { insertSegment } from "../devices/StoredSegments.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { TestRows } from "../TestRows.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { insertCampaign } from "../campaigns/StoredCampaigns.ts";

const none = { locationIds: [], groupIds: [], segmentIds: [] };

const pushValues = { type: "push" as const, endsAt: now + 86_400_000 };

const targetingOf = (tenant: Tenant, id: CampaignId) =>
  Effect.gen(function* () {
    const campaign = yield* (yield* CampaignsRepository).find(tenant, id, now);
    return campaign?.targeting;
  });

layer(TestRepositories.layer)("CampaignTargetingRepository", (it) => {
  it.effect("targets are kept in the order in which they were sent, and replaced as a whole", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingRepository;
      const rows = yield* TestRows;
      const { sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox);
      const [a, b] = [
        yield* rows.insertTarget("location", sandbox, "A"),
        yield* rows.insertTarget("location", sandbox, "B"),
      ];
      const group = yield* rows.insertTarget("location_group", sandbox, "Group");
      yield* repository.replace(sandbox, id, { ...none, locationIds: [b, a], groupIds: [group] });
      const first = yield* targetingOf(sandbox, id);
      assert.deepStrictEqual([first?.location_ids, first?.location_group_ids], [[b, a], [group]]);
      yield* repository.replace(sandbox, id, { ...none, locationIds: [a] });
      const second = yield* targetingOf(sandbox, id);
      assert.deepStrictEqual([second?.location_ids, second?.location_group_ids], [[a], []]);
    }),
  );

  it.effect("targets that do not exist in the environment are left out", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingRepository;
      const rows = yield* TestRows;
      const { production, sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox);
      const own = yield* rows.insertTarget("location", sandbox, "Own");
      const foreign = yield* rows.insertTarget("location", production, "Foreign");
      const foreignGroup = yield* rows.insertTarget("location_group", production, "Foreign");
      yield* repository.replace(sandbox, id, {
        locationIds: [foreign, idAt(now), own],
        groupIds: [foreignGroup],
        segmentIds: [yield* insertSegment(production)],
      });
      assert.deepStrictEqual(yield* targetingOf(sandbox, id), {
        location_ids: [own],
        location_group_ids: [],
        segmentation_ids: [],
        segment_match: null,
      });
    }),
  );

  it.effect("the match of segments is shown while the campaign has any", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertCampaign(sandbox, { ...pushValues, segmentMatch: "all" });
      const segment = yield* insertSegment(sandbox);
      yield* repository.replace(sandbox, id, { ...none, segmentIds: [segment] });
      assert.deepInclude(yield* targetingOf(sandbox, id), {
        segmentation_ids: [segment],
        segment_match: "all",
      });
      yield* (yield* SegmentsRepository).delete(sandbox, segment);
      assert.deepInclude(yield* targetingOf(sandbox, id), { segmentation_ids: [], segment_match: null });
    }),
  );

  it.effect("existing segments are those of the environment", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingRepository;
      const { production, sandbox } = yield* newTenants;
      const [own, foreign] = [yield* insertSegment(sandbox), yield* insertSegment(production)];
      const found = yield* repository.existingSegments(sandbox, [own, foreign, idAt(now)]);
      assert.deepStrictEqual([...found], [own]);
    }),
  );

  it.effect("a segment is needed by the campaigns that have no other and have not ended", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingRepository;
      const { sandbox } = yield* newTenants;
      const [segment, other] = [yield* insertSegment(sandbox), yield* insertSegment(sandbox)];
      const target = (name: string, segmentIds: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const id = yield* insertCampaign(sandbox, { ...pushValues, name });
          yield* repository.replace(sandbox, id, { ...none, segmentIds });
        });
      yield* target("Needing", [segment]);
      yield* target("Both", [segment, other]);
      yield* target("Other", [other]);
      const needing = (at: number) => repository.needingSegment(sandbox, segment, at);
      assert.deepStrictEqual(yield* needing(pushValues.endsAt), ["Needing"]);
      assert.isEmpty(yield* needing(pushValues.endsAt + 1));
      yield* (yield* SegmentsRepository).delete(sandbox, other);
      assert.deepStrictEqual(yield* needing(now), ["Needing", "Both"]);
    }),
  );

  it.effect("at most ten campaigns that need a segment are named, the oldest", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingRepository;
      const { sandbox } = yield* newTenants;
      const segment = yield* insertSegment(sandbox);
      const names = Array.from({ length: 11 }, (_, index) => `Campaign ${index}`);
      for (const [index, name] of names.entries()) {
        const id = yield* insertCampaign(sandbox, { ...pushValues, name }, now + index);
        yield* repository.replace(sandbox, id, { ...none, segmentIds: [segment] });
      }
      assert.deepStrictEqual(yield* repository.needingSegment(sandbox, segment, now), names.slice(0, 10));
    }),
  );
});
