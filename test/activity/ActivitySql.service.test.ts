import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { type ActivityFilters, filtersOf } from "../../src/activity/ActivityFilters.ts";
import { pruneActivity } from "../../src/activity/ActivityPruning.ts";
import { ActivitySql, type NewEntry } from "../../src/activity/ActivitySql.ts";
import { idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { TestClock } from "effect/testing";
import { TestStatements } from "../database/TestStatements.ts";
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
  Effect.flatMap(ActivitySql, (repository) =>
    repository.page(tenant, { before: null, limit }, { ...all, ...filters }),
  );
const ids = (entries: ReadonlyArray<{ readonly id: string }>) => entries.map(({ id }) => id);

layer(TestStatements.layer)("ActivitySql", (it) => {
  it.effect("each filter selects its entries, and filters combine (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivitySql;
      const { sandbox } = yield* newTenants;
      const byToken = entry();
      const byOperator = entry({ actor: { type: "operator", id: null, name: "operator" }, action: "create" });
      const ofTransport = entry({ resource: { type: "transport", id: "fcm", name: "fcm" } });
      for (const each of [byToken, byOperator, ofTransport]) yield* repository.put(sandbox, each);
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

  it.effect("entries over 400 days old are pruned, the oldest first and at most the limit (S5)", () =>
    Effect.gen(function* () {
      const repository = yield* ActivitySql;
      const { sandbox } = yield* newTenants;
      const day = 24 * 60 * 60 * 1000;
      const at = (millis: number) => entry({ id: idAt(millis), at: millis });
      const [oldest, old, kept] = [at(now - 402 * day), at(now - 400 * day), at(now - 400 * day + 1)];
      for (const each of [old, kept, oldest]) yield* repository.put(sandbox, each);
      assert.strictEqual(yield* repository.prune(now - 400 * day, 1), 1);
      assert.deepStrictEqual(ids(yield* list(sandbox)), [kept.id, old.id]);
      yield* TestClock.setTime(now);
      assert.strictEqual(yield* pruneActivity, 1);
      assert.deepStrictEqual(ids(yield* list(sandbox)), [kept.id]);
    }),
  );
});
