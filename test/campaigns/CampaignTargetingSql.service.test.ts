import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { CampaignsSql } from "../../src/campaigns/CampaignsSql.ts";
import { shownCampaign } from "../../src/campaigns/StoredCampaign.ts";
import { CampaignTargetingSql } from "../../src/campaigns/CampaignTargetingSql.ts";
import { SegmentsSql } from "../../src/devices/SegmentsSql.ts";
import { type CampaignId, idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { gold } from "../given/GivenBodies.ts";
import type { SegmentRule } from "../../src/devices/SegmentRule.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { TestRows } from "../TestRows.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { insertCampaign } from "./StoredCampaigns.ts";

/** Inserts a segment with a name of its own; gives its id. */
const insertSegment = (tenant: Tenant) =>
  Effect.gen(function* () {
    const id = idAt(now);
    yield* (yield* SegmentsSql).insert(tenant, id, `Segment ${id}`, gold as SegmentRule, now);
    return id;
  });

const none = { locationIds: [], groupIds: [], segmentIds: [] };

const pushValues = { type: "push" as const, endsAt: now + 86_400_000 };

const targetingOf = (tenant: Tenant, id: CampaignId) =>
  Effect.gen(function* () {
    const campaign = yield* (yield* CampaignsSql).find(tenant, id);
    return campaign && shownCampaign(campaign, now).targeting;
  });

layer(TestStatements.layer)("CampaignTargetingSql", (it) => {
  it.effect("targets that do not exist in the environment are left out", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingSql;
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

  it.effect("a segment is needed by the campaigns that have no other and have not ended", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingSql;
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
      yield* (yield* SegmentsSql).delete(sandbox, other);
      assert.deepStrictEqual(yield* needing(now), ["Needing", "Both"]);
    }),
  );

  it.effect("at most ten campaigns that need a segment are named, the oldest", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignTargetingSql;
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
