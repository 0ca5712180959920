import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import { TimeZoneName, utcZone } from "../../src/time/TimeZone.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { defaultPlan } from "../../src/workspaces/Plan.ts";
import { WorkspacesRepository } from "../../src/workspaces/WorkspacesRepository.ts";
import { TestRepositories } from "./TestRepositories.ts";

const now = Date.parse("2026-11-21T12:00:00.500Z");
const later = now + 60_000;

const newWorkspace = (name: string) => ({ publicId: idAt(now), name, timezone: utcZone, plan: {} });

layer(TestRepositories.layer)("WorkspacesRepository", (it) => {
  it.effect("an inserted workspace is found by its public id and by its key, with the default plan", () =>
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository;
      const draft = {
        ...newWorkspace("Acme"),
        timezone: "Europe/Paris" as TimeZoneName,
        plan: { max_campaigns: 3 },
      };
      const row = yield* repository.insert(draft, now);
      assert.deepStrictEqual(row.workspace, {
        id: draft.publicId,
        name: "Acme",
        timezone: "Europe/Paris" as TimeZoneName,
        platform_api_enabled: false,
        deletion_scheduled_at: null,
        trial_ended: false,
        user_hash_required: false,
        default_frequency_cap: null,
        quiet_hours: null,
        max_per_minute: null,
        plan: { ...defaultPlan, max_campaigns: 3 },
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
      });
      assert.deepStrictEqual(yield* repository.find(draft.publicId), row);
      assert.deepStrictEqual(yield* repository.findByKey(row.workspaceId), row);
    }),
  );

  it.effect("an unknown workspace is null for every method", () =>
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository;
      assert.isNull(yield* repository.find(idAt(now)));
      assert.isNull(yield* repository.findByKey(2_000_000_000));
      assert.isNull(yield* repository.update(idAt(now), { name: "B" }, later));
    }),
  );

  it.effect("an update writes the given fields, merges the plan by key and keeps the rest", () =>
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository;
      const { publicId } = newWorkspace("A");
      yield* repository.insert({ ...newWorkspace("A"), publicId, plan: { surveys: false } }, now);
      const cap = { count: 2, period: "week" as const };
      const timezone = Schema.decodeSync(TimeZoneName)("Asia/Tokyo");
      const patch = { timezone, plan: { max_locations: 7 }, default_frequency_cap: cap };
      const updated = yield* repository.update(publicId, patch, later);
      assert.strictEqual(updated?.workspace.name, "A");
      assert.strictEqual(updated?.workspace.timezone, "Asia/Tokyo");
      assert.deepStrictEqual(updated?.workspace.plan, { ...defaultPlan, surveys: false, max_locations: 7 });
      assert.deepStrictEqual(updated?.workspace.default_frequency_cap, cap);
      assert.strictEqual(updated?.workspace.updated_at, "2026-11-21T12:01:00+00:00");
      const cleared = yield* repository.update(publicId, { default_frequency_cap: null }, later);
      assert.isNull(cleared?.workspace.default_frequency_cap);
      assert.deepStrictEqual(yield* repository.find(publicId), cleared);
    }),
  );

  it.effect("scheduling a deletion again keeps the first instant, and cancelling it clears it", () =>
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository;
      const draft = newWorkspace("A");
      yield* repository.insert(draft, now);
      const schedule = (isScheduled: boolean, at: number) =>
        Effect.map(
          repository.update(draft.publicId, { deletion_scheduled: isScheduled }, at),
          (row) => row?.workspace.deletion_scheduled_at,
        );
      assert.strictEqual(yield* schedule(true, now), "2026-11-21T12:00:00+00:00");
      assert.strictEqual(yield* schedule(true, later), "2026-11-21T12:00:00+00:00");
      assert.isNull(yield* schedule(false, later));
    }),
  );

  it.effect("pages are newest first and continue behind the position", () =>
    Effect.gen(function* () {
      const repository = yield* WorkspacesRepository;
      const ids = ["A", "B", "C"].map(() => idAt(later));
      for (const publicId of ids) yield* repository.insert({ ...newWorkspace("A"), publicId }, later);
      const page = (before: string | null, limit: number) =>
        Effect.map(repository.page({ before, limit }), (rows) => rows.map(({ workspace }) => workspace.id));
      const newest = ids.toSorted().toReversed();
      assert.deepStrictEqual(yield* page(null, 2), newest.slice(0, 2));
      assert.deepStrictEqual(yield* page(newest[1] ?? "", 1), newest.slice(2));
    }),
  );
});
