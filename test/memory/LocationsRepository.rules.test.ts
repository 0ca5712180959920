import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { Database } from "../../src/database/Database.ts";
import { importedLocation } from "../../src/locations/ImportedLocation.ts";
import { LocationGroupsRepository } from "../../src/locations/LocationGroupsRepository.ts";
import { LocationImportsRepository } from "../../src/locations/LocationImportsRepository.ts";
import { LocationsRepository } from "../../src/locations/LocationsRepository.ts";
import { idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const later = now + 60_000;
const nowText = "2026-11-21T12:00:00+00:00";
const laterText = "2026-11-21T12:01:00+00:00";
const firstPage = { before: null, limit: 10 };

const square = [
  [5, 52],
  [5.1, 52],
  [5.1, 52.1],
  [5, 52.1],
  [5, 52],
];

/** A feature as an import stores it. */
const stored = (geometry: object, properties: object, id = idAt(now)) => {
  const location = importedLocation({ type: "Feature", geometry, properties });
  assert.strictEqual(location._tag, "ParsedFeature");
  return { id, location: location as Exclude<typeof location, { readonly _tag: "RejectedFeature" }> };
};

const circle = (name: string, properties: object = {}, id?: string) =>
  stored({ type: "Point", coordinates: [4.9, 52.4] }, { name, radius: 75, ...properties }, id);
const polygon = (name: string, id?: string) =>
  stored({ type: "Polygon", coordinates: [square] }, { name }, id);

/** Inserts a group and gives its id. */
const newGroup = Effect.fnUntraced(function* (tenant: Tenant, name: string) {
  const imports = yield* LocationImportsRepository;
  const id = idAt(now);
  yield* imports.insertGroups(tenant, new Map([[name, id]]), now);
  return id;
});

layer(TestRepositories.layer)("The repositories of locations", (it) => {
  it.effect("an imported circle and polygon are found with their shapes (G2)", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const { sandbox } = yield* newTenants;
      const [round, square4] = [circle("Shop", { external_id: "s-1" }), polygon("Park")];
      yield* imports.insert(sandbox, [round, square4], now);
      assert.deepStrictEqual(yield* locations.find(sandbox, round.id), {
        id: round.id,
        name: "Shop",
        external_id: "s-1",
        address: null,
        type: "circle",
        geometry: { type: "Point", coordinates: [4.9, 52.4] },
        radius_meters: 75,
        groups: [],
        created_at: nowText,
        updated_at: nowText,
      });
      const park = yield* locations.find(sandbox, square4.id);
      assert.deepInclude(park, { type: "polygon", radius_meters: null });
      assert.deepStrictEqual<unknown>(park?.geometry, { type: "Polygon", coordinates: [square] });
    }),
  );

  it.effect("an update by import changes name and shape, and keeps address and groups (G5)", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const { sandbox } = yield* newTenants;
      const shop = circle("Shop");
      yield* imports.insert(sandbox, [shop], now);
      yield* locations.update(
        sandbox,
        shop.id,
        { name: undefined, address: "Damrak 1", externalId: "d-1" },
        now,
      );
      const groupId = yield* newGroup(sandbox, "North");
      yield* imports.join(sandbox, [{ groupId, locationId: shop.id }], now);
      yield* imports.update(sandbox, [polygon("Mall", shop.id)], later);
      assert.deepInclude(yield* locations.find(sandbox, shop.id), {
        name: "Mall",
        type: "polygon",
        address: "Damrak 1",
        external_id: "d-1",
        groups: ["North"],
        created_at: nowText,
        updated_at: laterText,
      });
    }),
  );

  it.effect("a change writes what is given, clears what is null and keeps the rest (G1)", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const { production, sandbox } = yield* newTenants;
      const shop = circle("Shop", { external_id: "s-1" });
      yield* imports.insert(sandbox, [shop], now);
      const change = { name: "Store", address: "Damrak 1", externalId: undefined };
      assert.deepInclude(yield* locations.update(sandbox, shop.id, change, later), {
        name: "Store",
        address: "Damrak 1",
        external_id: "s-1",
        updated_at: laterText,
      });
      const cleared = { name: undefined, address: null, externalId: null };
      assert.deepInclude(yield* locations.update(sandbox, shop.id, cleared, later), {
        name: "Store",
        address: null,
        external_id: null,
      });
      assert.isNull(yield* locations.update(production, shop.id, change, later));
      assert.isNull(yield* locations.update(sandbox, idAt(now), change, later));
    }),
  );

  it.effect("external ids are known within their environment alone", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const { production, sandbox } = yield* newTenants;
      const [one, other] = [circle("One", { external_id: "a" }), circle("Other", { external_id: "a" })];
      yield* imports.insert(sandbox, [one, circle("None")], now);
      yield* imports.insert(production, [other], now);
      assert.deepStrictEqual([...(yield* imports.known(sandbox, ["a", "b"]))], [["a", one.id]]);
      assert.deepStrictEqual([...(yield* imports.known(production, ["a"]))], [["a", other.id]]);
      assert.strictEqual(yield* locations.findByExternalId(sandbox, "a"), one.id);
      assert.isNull(yield* locations.findByExternalId(sandbox, "b"));
      assert.strictEqual(yield* imports.count(sandbox), 2);
      assert.strictEqual(yield* imports.count(production), 1);
    }),
  );

  it.effect("pages are newest first, continue behind the position and take updates since an instant", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const { production, sandbox } = yield* newTenants;
      const rows = ["A", "B", "C"].map((name) => circle(name));
      yield* imports.insert(sandbox, rows, now);
      yield* imports.insert(production, [circle("D")], now);
      const newest = rows
        .map(({ id }) => id)
        .toSorted()
        .toReversed();
      const page = (since: number | null, before: string | null, limit: number) =>
        Effect.map(locations.page(sandbox, { updatedSince: since }, { before, limit }), (found) =>
          found.map(({ id }) => id),
        );
      assert.deepStrictEqual(yield* page(null, null, 2), newest.slice(0, 2));
      assert.deepStrictEqual(yield* page(null, newest[1] ?? "", 2), newest.slice(2));
      const middle = newest[1] ?? "";
      yield* locations.update(
        sandbox,
        middle,
        { name: "E", address: undefined, externalId: undefined },
        later,
      );
      assert.deepStrictEqual(yield* page(later, null, 9), [middle]);
      assert.deepStrictEqual(yield* page(later + 1, null, 9), []);
    }),
  );

  it.effect("joining counts members once, dates the groups that gained one, and lists groups by name", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const groups = yield* LocationGroupsRepository;
      const { sandbox } = yield* newTenants;
      const [a, b] = [circle("A"), circle("B")];
      yield* imports.insert(sandbox, [a, b], now);
      const [north, south] = [yield* newGroup(sandbox, "north"), yield* newGroup(sandbox, "South")];
      const first = [
        { groupId: north, locationId: a.id },
        { groupId: south, locationId: a.id },
      ];
      yield* imports.join(sandbox, first, now);
      yield* imports.join(sandbox, [...first.slice(0, 1), { groupId: north, locationId: b.id }], later);
      yield* imports.join(sandbox, first.slice(1), later);
      assert.deepStrictEqual(yield* groups.find(sandbox, north), {
        id: north,
        name: "north",
        location_count: 2,
        created_at: nowText,
        updated_at: laterText,
      });
      assert.deepInclude(yield* groups.find(sandbox, south), { location_count: 1, updated_at: nowText });
      // Ordered by code points: capitals come first.
      assert.deepStrictEqual((yield* locations.find(sandbox, a.id))?.groups, ["South", "north"]);
    }),
  );

  it.effect("groups are found by name and id within their environment alone, newest first", () =>
    Effect.gen(function* () {
      const groups = yield* LocationGroupsRepository;
      const { production, sandbox } = yield* newTenants;
      const ids = [yield* newGroup(sandbox, "North"), yield* newGroup(sandbox, "South")];
      const other = yield* newGroup(production, "North");
      const newest = ids.toSorted().toReversed();
      const page = (name: string | null, position: typeof firstPage) =>
        Effect.map(groups.page(sandbox, name, position), (rows) => rows.map(({ id }) => id));
      assert.deepStrictEqual(yield* page(null, firstPage), newest);
      assert.deepStrictEqual(yield* page("North", firstPage), [ids[0]]);
      assert.deepStrictEqual(yield* page("north", firstPage), []);
      assert.deepStrictEqual([...(yield* groups.idsByName(sandbox, ["North", "West"]))], [["North", ids[0]]]);
      const existing = yield* groups.existing(sandbox, [ids[0] ?? "", other, idAt(now)]);
      assert.deepStrictEqual([...existing], [ids[0]]);
      assert.isNull(yield* groups.find(sandbox, other));
    }),
  );

  it.effect("a deleted location leaves its groups, which count as updated", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const locations = yield* LocationsRepository;
      const groups = yield* LocationGroupsRepository;
      const { production, sandbox } = yield* newTenants;
      const shop = circle("Shop");
      yield* imports.insert(sandbox, [shop], now);
      const groupId = yield* newGroup(sandbox, "North");
      yield* imports.join(sandbox, [{ groupId, locationId: shop.id }], now);
      assert.isFalse(yield* locations.delete(production, shop.id, later));
      assert.deepStrictEqual([...(yield* locations.existing(sandbox, [shop.id, idAt(now)]))], [shop.id]);
      assert.isTrue(yield* locations.delete(sandbox, shop.id, later));
      assert.isFalse(yield* locations.delete(sandbox, shop.id, later));
      assert.isNull(yield* locations.find(sandbox, shop.id));
      assert.strictEqual((yield* locations.existing(sandbox, [shop.id])).size, 0);
      assert.deepInclude(yield* groups.find(sandbox, groupId), { location_count: 0, updated_at: laterText });
    }),
  );

  it.effect("a failed import leaves nothing behind", () =>
    Effect.gen(function* () {
      const imports = yield* LocationImportsRepository;
      const groups = yield* LocationGroupsRepository;
      const database = yield* Database;
      const { sandbox } = yield* newTenants;
      const failing = Effect.gen(function* () {
        yield* imports.insert(sandbox, [circle("Shop")], now);
        yield* newGroup(sandbox, "North");
        return yield* Effect.fail("no" as const);
      });
      yield* Effect.flip(database.atomically(failing));
      assert.strictEqual(yield* imports.count(sandbox), 0);
      assert.deepStrictEqual(yield* groups.page(sandbox, null, firstPage), []);
    }),
  );
});
