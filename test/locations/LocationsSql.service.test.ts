import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { importedLocation } from "../../src/locations/ImportedLocation.ts";
import { LocationImportsSql } from "../../src/locations/LocationImportsSql.ts";
import { LocationsSql } from "../../src/locations/LocationsSql.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { searchPattern } from "../../src/wire/SearchText.ts";
import { LocationGroupsSql } from "../../src/locations/LocationGroupsSql.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const stored = (name: string, external_id: string) => {
  const geometry = { type: "Point", coordinates: [4.9, 52.4] };
  const properties = { name, radius: 75, external_id };
  const location = importedLocation({ type: "Feature", geometry, properties });
  return {
    id: idAt(now),
    location: location as Exclude<typeof location, { readonly _tag: "RejectedFeature" }>,
  };
};

layer(TestStatements.layer)("LocationsSql", (it) => {
  it.effect("locations are selected by external id, group, ids and a part of the name (R1.2, R1.4)", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsSql;
      const locationGroups = yield* LocationGroupsSql;
      const locations = yield* LocationsSql;
      const { production, sandbox } = yield* newTenants;
      const rows = [stored("Café Noord", "s-1"), stored("CAFÉ ZUID", "s-2"), stored("Museum", "S-1")];
      yield* imports.insert(sandbox, rows, now);
      yield* imports.insert(production, [stored("Café", "s-1")], now);
      const group = idAt(now);
      yield* locationGroups.insert(sandbox, new Map([["North", group]]), now);
      const [first, , third] = rows.map(({ id }) => id);
      const members = [first, third].map((locationId = "") => ({ groupId: group, locationId }));
      yield* locationGroups.join(sandbox, members, now);
      const names = (filters: Parameters<typeof locations.page>[1], before: string | null = null) =>
        Effect.map(locations.page(sandbox, filters, { before, limit: 10 }), (found) =>
          found.map(({ name }) => name),
        );
      assert.deepStrictEqual(yield* names({ externalId: "s-1" }), ["Café Noord"]);
      assert.deepStrictEqual(yield* names({ externalId: "s" }), []);
      assert.deepStrictEqual(yield* names({ group: "North" }), ["Museum", "Café Noord"]);
      assert.deepStrictEqual(yield* names({ group: "north" }), []);
      const search = searchPattern("café");
      assert.deepStrictEqual(yield* names({ search }), ["CAFÉ ZUID", "Café Noord"]);
      assert.deepStrictEqual(yield* names({ search, group: "North" }), ["Café Noord"]);
      assert.deepStrictEqual(yield* names({ search, ids: [third ?? ""] }), []);
      assert.deepStrictEqual(yield* names({ ids: rows.map(({ id }) => id) }, third), [
        "CAFÉ ZUID",
        "Café Noord",
      ]);
      assert.deepStrictEqual(yield* names({ search, updatedSince: now + 1 }), []);
      assert.deepStrictEqual(yield* names({ ids: [] }), []);
    }),
  );

  it.effect("a deleted location leaves its groups, which count as updated", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsSql;
      const locations = yield* LocationsSql;
      const locationGroups = yield* LocationGroupsSql;
      const { production, sandbox } = yield* newTenants;
      const [shop, group] = [stored("Shop", "s-1"), idAt(now)];
      yield* imports.insert(sandbox, [shop], now);
      yield* locationGroups.insert(sandbox, new Map([["North", group]]), now);
      yield* locationGroups.join(sandbox, [{ groupId: group, locationId: shop.id }], now);
      assert.isFalse(yield* locations.delete(production, shop.id, now + 60_000));
      assert.isTrue(yield* locations.delete(sandbox, shop.id, now + 60_000));
      assert.deepInclude(yield* locationGroups.find(sandbox, group), {
        location_count: 0,
        updated_at: "2026-11-21T12:01:00+00:00",
      });
    }),
  );
});
