import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { CampaignsSql } from "../../src/campaigns/CampaignsSql.ts";
import { searchPattern } from "../../src/wire/SearchText.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";
import { insertCampaign } from "./StoredCampaigns.ts";

const hour = 3_600_000;
const firstPage = { before: null, limit: 10 };

layer(TestStatements.layer)("The list of campaigns", (it) => {
  it.effect("campaigns are selected by status, type and a part of the name, together (R1.1, R1.4)", () =>
    Effect.gen(function* () {
      const repository = yield* CampaignsSql;
      const { production, sandbox } = yield* newTenants;
      const add = (name: string, values: object = {}) => insertCampaign(sandbox, { name, ...values });
      const ended = { startsAt: now - 2 * hour, endsAt: now - hour };
      yield* insertCampaign(production, { name: "Spring sale" });
      yield* add("SPRING Straße");
      yield* add("Spring 100%", { startsAt: now - hour });
      const paused = yield* add("spring strasse", { startsAt: now - hour });
      yield* repository.setPaused(sandbox, paused, true, now);
      yield* add("Autumn", ended);
      yield* add("Winter spring", { type: "push", ...ended });
      const names = (filters: Parameters<typeof repository.page>[2], position = firstPage) =>
        Effect.map(repository.page(sandbox, position, filters, now), (rows) => rows.map(({ name }) => name));
      const search = (text: string) => ({ search: searchPattern(text) });
      assert.deepStrictEqual(yield* names({ status: "ended" }), ["Winter spring", "Autumn"]);
      assert.deepStrictEqual(yield* names({ status: "active" }), ["Spring 100%"]);
      assert.deepStrictEqual(yield* names({ status: "paused" }), ["spring strasse"]);
      assert.deepStrictEqual(yield* names({ status: "scheduled" }), ["SPRING Straße"]);
      assert.deepStrictEqual(yield* names({ type: "push" }), ["Winter spring"]);
      assert.deepStrictEqual(yield* names(search("STRASSE")), ["spring strasse", "SPRING Straße"]);
      assert.deepStrictEqual(yield* names(search("%")), ["Spring 100%"]);
      assert.deepStrictEqual(yield* names({ ...search("spring"), status: "ended" }), ["Winter spring"]);
      assert.deepStrictEqual(yield* names({ ...search("spring"), type: "geo", status: "ended" }), []);
      assert.deepStrictEqual(yield* names({ ...search("spring"), updatedSince: now + 1 }), []);
      assert.deepStrictEqual(yield* names({ ...search("spring") }, { before: paused as never, limit: 1 }), [
        "Spring 100%",
      ]);
    }),
  );
});
