import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { type ActivityFilters, filtersOf } from "../../src/activity/ActivityFilters.ts";
import { pruneActivity } from "../../src/activity/ActivityPruning.ts";
import { ActivityRepository, type NewEntry } from "../../src/activity/ActivityRepository.ts";
import { Database } from "../../src/database/Database.ts";
import { idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestClock } from "effect/testing";
import { TestRepositories } from "./TestRepositories.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

const tokenId = idAt(now);
const campaignId = idAt(now);

const entry = (more: Partial<NewEntry> = {}): NewEntry => ({
  id: idAt(now),
  at: now,
  actor: { type: "token", id: tokenId, name: "Shop" },
  action: "update",
  resource: { type: "campaign", id: campaignId, name: "Sale" },
  changes: { name: { old: "Sal", new: "Sale" } },
  ...more,
});

const all = filtersOf({});
const list = (tenant: Tenant, filters: Partial<ActivityFilters> = {}, limit = 100) =>
  Effect.flatMap(ActivityRepository, (repository) =>
    repository.page(tenant, { before: null, limit }, { ...all, ...filters }),
  );
const ids = (entries: ReadonlyArray<{ readonly id: string }>) => entries.map(({ id }) => id);

layer(TestRepositories.layer)("ActivityRepository", (it) => {
  it.effect("entries are listed newest first as they were stored, for their environment only (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivityRepository;
      const { production, sandbox } = yield* newTenants;
      const first = entry();
      const second = entry({
        actor: { type: "operator", id: null, name: "operator" },
        action: "import",
        resource: { type: "location", id: null, name: null },
        changes: { created: { old: null, new: 2 } },
      });
      yield* repository.put(sandbox, [first]);
      yield* repository.put(sandbox, [second]);
      const shown = (stored: NewEntry) => ({ ...stored, at: "2026-11-21T12:00:00+00:00" });
      assert.deepStrictEqual(yield* list(sandbox), [shown(second), shown(first)]);
      assert.deepStrictEqual(yield* list(production), []);
      assert.deepStrictEqual(yield* list((yield* newTenants).sandbox), []);
      yield* repository.put(production, [first]);
      assert.deepStrictEqual(ids(yield* list(production)), [first.id]);
      const behind = repository.page(sandbox, { before: second.id, limit: 10 }, all);
      assert.deepStrictEqual(ids(yield* behind), [first.id]);
    }),
  );

  it.effect("an entry that is put again gets the new changes, and keeps the rest (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivityRepository;
      const { sandbox } = yield* newTenants;
      const first = entry();
      const changes = { created: { old: null, new: 4_000 } };
      yield* repository.put(sandbox, [first]);
      yield* repository.put(sandbox, [{ ...first, at: first.at + 60_000, changes }]);
      assert.deepStrictEqual(yield* list(sandbox), [{ ...first, at: "2026-11-21T12:00:00+00:00", changes }]);
    }),
  );

  it.effect("each filter selects its entries, and filters combine (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivityRepository;
      const { sandbox } = yield* newTenants;
      const byToken = entry();
      const byOperator = entry({ actor: { type: "operator", id: null, name: "operator" }, action: "create" });
      const ofTransport = entry({ resource: { type: "transport", id: "fcm", name: "fcm" } });
      for (const each of [byToken, byOperator, ofTransport]) yield* repository.put(sandbox, [each]);
      const selected = (parameters: Parameters<typeof filtersOf>[0]) =>
        Effect.map(list(sandbox, filtersOf(parameters)), ids);
      assert.deepStrictEqual(yield* selected({ actor: tokenId.toUpperCase() }), [ofTransport.id, byToken.id]);
      assert.deepStrictEqual(yield* selected({ actor: "operator" }), [byOperator.id]);
      assert.deepStrictEqual(yield* selected({ actor: "token" }), [ofTransport.id, byToken.id]);
      assert.deepStrictEqual(yield* selected({ actor: "session" }), []);
      assert.deepStrictEqual(yield* selected({ resource: "campaign" }), [byOperator.id, byToken.id]);
      assert.deepStrictEqual(yield* selected({ resource: campaignId }), [byOperator.id, byToken.id]);
      assert.deepStrictEqual(yield* selected({ resource: "fcm" }), [ofTransport.id]);
      assert.deepStrictEqual(yield* selected({ action: "create" }), [byOperator.id]);
      assert.deepStrictEqual(yield* selected({ action: "update", actor: tokenId, resource: campaignId }), [
        byToken.id,
      ]);
      assert.deepStrictEqual(yield* selected({ action: "create", actor: tokenId }), []);
    }),
  );

  it.effect("an entry of a failed transaction is not stored (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivityRepository;
      const database = yield* Database;
      const { sandbox } = yield* newTenants;
      const failing = database.atomically(
        Effect.andThen(repository.put(sandbox, [entry()]), Effect.fail("no" as const)),
      );
      assert.strictEqual(yield* Effect.flip(failing), "no");
      assert.deepStrictEqual(yield* list(sandbox), []);
    }),
  );

  it.effect("entries over 400 days old are pruned, the oldest first and at most the limit (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivityRepository;
      const { sandbox } = yield* newTenants;
      const day = 24 * 60 * 60 * 1000;
      const at = (millis: number) => entry({ id: idAt(millis), at: millis });
      const [oldest, old, kept] = [at(now - 402 * day), at(now - 400 * day), at(now - 400 * day + 1)];
      for (const each of [old, kept, oldest]) yield* repository.put(sandbox, [each]);
      assert.strictEqual(yield* repository.prune(now - 400 * day, 1), 1);
      assert.deepStrictEqual(ids(yield* list(sandbox)), [kept.id, old.id]);
      yield* TestClock.setTime(now);
      assert.strictEqual(yield* pruneActivity, 1);
      assert.deepStrictEqual(ids(yield* list(sandbox)), [kept.id]);
    }),
  );
});
