import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { CampaignTargetingRepository } from "../../src/campaigns/CampaignTargetingRepository.ts";
import type { SegmentRule } from "../../src/devices/SegmentRule.ts";
import { SegmentsRepository } from "../../src/devices/SegmentsRepository.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { insertCampaign } from "../campaigns/StoredCampaigns.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { goldRule, insertSegment } from "../devices/StoredSegments.ts";

const minute = 60_000;

const visitsRule: SegmentRule = {
  match: "any",
  conditions: [
    { attribute: "visits", op: "gt", value: 3 },
    { attribute: "plan", op: "in", value: ["gold", "silver"] },
  ],
};

const push = { type: "push" as const, endsAt: now + 600 * minute };

/** The audience of one campaign, asked together with a campaign that does not exist. */
const audience = ({ environment, workspaceId }: Tenant, campaignId: string) =>
  Effect.gen(function* () {
    const unknown = { workspaceId, environment, campaignId: idAt(now) };
    const campaign = { workspaceId, environment, campaignId };
    const found = yield* (yield* SegmentsRepository).audiences([unknown, campaign]);
    assert.deepStrictEqual(found[0], { match: "any", rules: [] });
    return found[1];
  });

layer(TestRepositories.layer)("SegmentsRepository", (it) => {
  it.effect("an inserted segment is found with its rule", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertSegment(sandbox, "Gold", visitsRule);
      assert.deepStrictEqual(yield* repository.find(sandbox, id), {
        id,
        name: "Gold",
        rule: visitsRule,
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
      });
      assert.isNull(yield* repository.find(sandbox, idAt(now)));
    }),
  );

  it.effect("pages are newest first and continue behind the position", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { sandbox } = yield* newTenants;
      const ids = [];
      for (const name of ["A", "B", "C"]) ids.unshift(yield* insertSegment(sandbox, name));
      const page = (before: string | null, limit: number) =>
        Effect.map(repository.page(sandbox, { before, limit }), (rows) => rows.map(({ id }) => id));
      assert.deepStrictEqual(yield* page(null, 2), ids.slice(0, 2));
      assert.deepStrictEqual(yield* page(ids[1] ?? "", 2), ids.slice(2));
    }),
  );

  it.effect("a segment belongs to one environment", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { production, sandbox } = yield* newTenants;
      const stranger = (yield* newTenants).sandbox;
      const id = yield* insertSegment(sandbox, "Gold");
      for (const tenant of [production, stranger]) {
        assert.isNull(yield* repository.find(tenant, id));
        assert.isEmpty(yield* repository.page(tenant, { before: null, limit: 9 }));
        assert.isFalse(yield* repository.isNameTaken(tenant, "Gold", null));
        yield* repository.update(tenant, id, "Stolen", goldRule, now);
        yield* repository.delete(tenant, id);
      }
      assert.strictEqual((yield* repository.find(sandbox, id))?.name, "Gold");
    }),
  );

  it.effect("a name is taken by another segment, not by the excepted one", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertSegment(sandbox, "Gold");
      assert.isTrue(yield* repository.isNameTaken(sandbox, "Gold", null));
      assert.isFalse(yield* repository.isNameTaken(sandbox, "Gold", id));
      assert.isFalse(yield* repository.isNameTaken(sandbox, "gold", null));
    }),
  );

  it.effect("an update writes name and rule, and an equal one keeps the date of the update", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { sandbox } = yield* newTenants;
      const id = yield* insertSegment(sandbox, "A");
      const update = (name: string, rule: SegmentRule, at: number) =>
        Effect.gen(function* () {
          yield* repository.update(sandbox, id, name, rule, at);
          const found = yield* repository.find(sandbox, id);
          return [found?.name, found?.rule, found?.updated_at.slice(14, 16)];
        });
      assert.deepStrictEqual(yield* update("A", goldRule, now + minute), ["A", goldRule, "00"]);
      assert.deepStrictEqual(yield* update("B", goldRule, now + 2 * minute), ["B", goldRule, "02"]);
      assert.deepStrictEqual(yield* update("B", visitsRule, now + 3 * minute), ["B", visitsRule, "03"]);
    }),
  );

  it.effect("each rule has a count, which is 0 in an environment without devices", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { sandbox } = yield* newTenants;
      assert.deepStrictEqual(yield* repository.count(sandbox, [goldRule, visitsRule], 0), [0, 0]);
    }),
  );

  it.effect("the rules of segments are found by id, without those of other environments (S4.2)", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const { production, sandbox } = yield* newTenants;
      const gold = yield* insertSegment(sandbox);
      const visits = yield* insertSegment(sandbox, "Visits", visitsRule);
      const foreign = yield* insertSegment(production);
      const found = yield* repository.rules(sandbox, [visits, foreign, idAt(now), gold]);
      assert.deepStrictEqual([...found.keys()].sort(), [gold, visits].sort());
      assert.deepStrictEqual([found.get(gold), found.get(visits)], [goldRule, visitsRule]);
      assert.strictEqual((yield* repository.rules(sandbox, [])).size, 0);
    }),
  );

  it.effect("the audience of a campaign is the rules of its segments in order, with their match", () =>
    Effect.gen(function* () {
      const repository = yield* SegmentsRepository;
      const targets = yield* CampaignTargetingRepository;
      const { production, sandbox } = yield* newTenants;
      const campaign = yield* insertCampaign(sandbox, { ...push, segmentMatch: "all" });
      assert.deepStrictEqual(yield* audience(sandbox, campaign), { match: "any", rules: [] });
      const gold = yield* insertSegment(sandbox);
      const visits = yield* insertSegment(sandbox, "Visits", visitsRule);
      yield* targets.replace(sandbox, campaign, {
        locationIds: [],
        groupIds: [],
        segmentIds: [visits, gold],
      });
      assert.deepStrictEqual(yield* audience(sandbox, campaign), {
        match: "all",
        rules: [visitsRule, goldRule],
      });
      assert.deepStrictEqual((yield* audience(production, campaign))?.rules, []);
      yield* repository.delete(sandbox, visits);
      assert.deepStrictEqual((yield* audience(sandbox, campaign))?.rules, [goldRule]);
    }),
  );

  it.effect("the audience of a campaign without a match is that of any of its segments", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* newTenants;
      const campaign = yield* insertCampaign(sandbox, push);
      const segmentIds = [yield* insertSegment(sandbox)];
      const targeting = { locationIds: [], groupIds: [], segmentIds };
      yield* (yield* CampaignTargetingRepository).replace(sandbox, campaign, targeting);
      assert.strictEqual((yield* audience(sandbox, campaign))?.match, "any");
    }),
  );
});
