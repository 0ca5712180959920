import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { CampaignsSql } from "../../src/campaigns/CampaignsSql.ts";
import type { NewCampaign } from "../../src/campaigns/NewCampaignsSql.ts";
import { CampaignId, idAt } from "../../src/wire/Ids.ts";
import { campaignValues, insertCampaign } from "./StoredCampaigns.ts";
import { TestRows } from "../TestRows.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { TestStatements } from "../database/TestStatements.ts";

const newestFirst = { before: null, limit: 10 };

layer(TestStatements.layer)("NewCampaignsSql", (it) => {
  it.effect("of several inserts those with a taken name, a missing target or no room are left out", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsSql;
      const rows = yield* TestRows;
      const { sandbox } = yield* newTenants;
      const location = yield* rows.insertTarget("location", sandbox, "Shop");
      yield* insertCampaign(sandbox, { name: "Taken" });
      const campaign = (name: string, more: Partial<NewCampaign> = {}): NewCampaign => ({
        id: CampaignId(idAt(now)),
        values: { ...campaignValues, name },
        targets: { locationIds: [location], groupIds: [], segmentIds: [] },
        paused: false,
        limit: null,
        ...more,
      });
      const missing = { locationIds: [location, idAt(now)], groupIds: [], segmentIds: [] };
      const campaigns = [
        campaign("First", { limit: 2 }),
        campaign("Taken"),
        campaign("First"),
        campaign("Missing", { targets: missing }),
        campaign("Full", { limit: 1 }),
        campaign("Last"),
      ];
      const made = yield* repository.insertAll(sandbox, campaigns, now);
      const [first, last] = [campaigns[0]?.id, campaigns[5]?.id];
      assert.sameMembers([...made], [first, last]);
      const page = yield* repository.page(sandbox, newestFirst, {}, now);
      assert.deepStrictEqual(
        page.map(({ name, targeting }) => [name, ...targeting.location_ids]),
        [["Last", location], ["First", location], ["Taken"]],
      );
    }),
  );
});
