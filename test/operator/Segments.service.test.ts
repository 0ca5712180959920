import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { gold, rule } from "../given/GivenBodies.ts";
import { refusal, segmentWorld } from "./SegmentWorld.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const codeOf = ({ body, status }: Answer) => [status, body.error?.code];

layer(TestWaypost.layer)("Segments", (it) => {
  it.effect(
    "segments are created, listed, shown, changed and deleted, with their registered devices " +
      "(L6.1, operator.segments)",
    () =>
      Effect.gen(function* () {
        const { operator, path, sandbox } = yield* segmentWorld;
        yield* sandbox.register("one", { platform: "ios", attributes: { plan: "gold" } });
        const leaving = yield* sandbox.device("two", { attributes: { plan: "gold" } });
        yield* sandbox.register("three", { platform: "ios", attributes: { plan: "silver" } });
        yield* sandbox.register("four", { platform: "ios" });
        const made = yield* operator(path("sandbox"), {
          body: { name: "  Gold members ", rule: gold, id: nobody },
        });
        assert.strictEqual(made.status, 201);
        const { id } = made.body.data;
        assert.deepStrictEqual(made.body.data, {
          id,
          name: "Gold members",
          rule: gold,
          device_count: 2,
          created_at: "2026-11-21T12:00:00+00:00",
          updated_at: "2026-11-21T12:00:00+00:00",
        });
        yield* leaving.ask("/devices/me", { method: "DELETE" });
        const one = { ...made.body.data, device_count: 1 };
        assert.deepStrictEqual((yield* operator(`${path("sandbox")}/${id}`)).body, { data: one });
        const listed = yield* operator(path("sandbox"));
        assert.deepStrictEqual(listed.body, { data: [one], meta: { next_cursor: null } });

        yield* TestClock.adjust("1 minute");
        const patch = (body: unknown) => operator(`${path("sandbox")}/${id}`, { method: "PATCH", body });
        const same = yield* patch({ name: "Gold members", rule: gold });
        assert.deepStrictEqual([same.status, same.body], [200, { data: one }]);
        const renamed = yield* patch({ name: "Gold" });
        assert.deepStrictEqual(renamed.body.data, {
          ...one,
          name: "Gold",
          updated_at: "2026-11-21T12:01:00+00:00",
        });
        const missing = { match: "any", conditions: [{ attribute: "plan", op: "ne", value: "gold" }] };
        const other = yield* patch({ rule: missing });
        assert.deepInclude(other.body.data, { name: "Gold", rule: missing, device_count: 2 });

        const gone = yield* operator(`${path("sandbox")}/${id}`, { method: "DELETE" });
        assert.deepStrictEqual([gone.status, gone.body], [200, { data: { id, deleted: true } }]);
        assert.deepStrictEqual(codeOf(yield* operator(`${path("sandbox")}/${id}`)), [404, "not_found"]);
      }),
  );

  it.effect("a name is unique among the segments of an environment, also under concurrency", () =>
    Effect.gen(function* () {
      const { operator, path, segment } = yield* segmentWorld;
      const body = { name: "VIP", rule: gold };
      const responses = yield* Effect.all(
        Array.from({ length: 8 }, () => operator(path("sandbox"), { body })),
        { concurrency: "unbounded" },
      );
      assert.lengthOf(
        responses.filter(({ status }) => status === 201),
        1,
      );
      for (const response of responses.filter(({ status }) => status !== 201)) {
        assert.deepStrictEqual(refusal(response), {
          name: ['The name "VIP" is taken by another segment: choose another one.'],
        });
      }
      assert.strictEqual((yield* operator(path("production"), { body })).status, 201);
      const id = yield* segment();
      const renamed = yield* operator(`${path("sandbox")}/${id}`, { method: "PATCH", body: { name: "VIP" } });
      assert.hasAllKeys(refusal(renamed), ["name"]);
    }),
  );

  it.effect("a page has the requested number of segments, newest first, each with its own count (D1)", () =>
    Effect.gen(function* () {
      const { operator, path, sandbox, segment } = yield* segmentWorld;
      yield* sandbox.register("one", { platform: "ios", attributes: { plan: "gold" } });
      const ids: Array<string> = [];
      for (let at = 0; at < 5; at++)
        ids.unshift(
          yield* segment(
            at === 2
              ? { rule: rule({ attribute: "plan", op: "exists", value: false }) }
              : at === 3
                ? { rule: rule(...Array.from({ length: 50 }, () => gold.conditions[0] ?? {})) }
                : {},
          ),
        );
      const seen: Array<readonly [string, number]> = [];
      let cursor = "";
      for (let pages = 0; pages < 2; pages++) {
        const page = yield* operator(`${path("sandbox")}?limit=3${cursor}`);
        seen.push(
          ...page.body.data.map((each: { id: string; device_count: number }) => [each.id, each.device_count]),
        );
        cursor = `&cursor=${page.body.meta.next_cursor}`;
      }
      assert.strictEqual(cursor, "&cursor=null");
      assert.deepStrictEqual(
        seen,
        ids.map((id, at) => [id, at === 2 ? 0 : 1] as const),
      );
    }),
  );

  it.effect("push campaigns target segments, and keep the others when one is deleted (E5, L6.1)", () =>
    Effect.gen(function* () {
      const { campaign, operator, path, platform, segment } = yield* segmentWorld;
      const [vip, fans] = [yield* segment(), yield* segment()];
      const made = yield* campaign([vip, fans], { segment_match: "all" });
      assert.strictEqual(made.status, 201);
      assert.deepStrictEqual(made.body.data.targeting.segmentation_ids, [vip, fans]);
      const remove = (id: string) => operator(`${path("sandbox")}/${id}`, { method: "DELETE" });
      assert.strictEqual((yield* remove(vip)).status, 200);
      const left = yield* platform.sandbox(`/campaigns/${made.body.data.id}`);
      assert.deepStrictEqual(left.body.data.targeting.segmentation_ids, [fans]);
      assert.hasAllKeys(refusal(yield* campaign([vip])), ["segmentation_ids.0"]);

      // Without its last segment the campaign would reach everyone.
      yield* platform.sandbox(`/campaigns/${made.body.data.id}/pause`, { method: "POST" });
      assert.deepStrictEqual(refusal(yield* remove(fans)), {
        segment: [
          "Without this segment these campaigns would reach everyone: " +
            `${JSON.stringify(made.body.data.name)}. ` +
            "Give them another segment, or delete them, first.",
        ],
      });
      yield* TestClock.adjust("8 days");
      assert.strictEqual((yield* remove(fans)).status, 200);
      const ended = yield* platform.sandbox(`/campaigns/${made.body.data.id}`);
      assert.deepInclude(ended.body.data.targeting, { segmentation_ids: [], segment_match: null });
    }),
  );

  it.effect("concurrent deletes of the last two segments of a campaign leave one", () =>
    Effect.gen(function* () {
      const { campaign, operator, path, platform, segment } = yield* segmentWorld;
      for (let round = 0; round < 5; round++) {
        const both = [yield* segment(), yield* segment()];
        const { id } = (yield* campaign(both)).body.data;
        const answers = yield* Effect.all(
          both.map((each) => operator(`${path("sandbox")}/${each}`, { method: "DELETE" })),
          { concurrency: "unbounded" },
        );
        assert.sameMembers(
          answers.map(({ status }) => status),
          [200, 422],
        );
        const { targeting } = (yield* platform.sandbox(`/campaigns/${id}`)).body.data;
        assert.lengthOf(targeting.segmentation_ids, 1);
      }
    }),
  );

  it.effect("a segment belongs to one environment, and is 404 before problems of a body (A2, B1)", () =>
    Effect.gen(function* () {
      const mine = yield* segmentWorld;
      const theirs = yield* segmentWorld;
      const id = yield* mine.segment({ name: "Mine" });
      const inside = { method: "PATCH", body: "not json" };
      for (const path of [
        `${mine.path("production")}/${id}`,
        `${theirs.path("sandbox")}/${id}`,
        `${mine.path("sandbox")}/${nobody}`,
        `${mine.path("sandbox")}/mine`,
        `${mine.path("staging")}/${id}`,
      ]) {
        for (const ask of [{}, inside, { method: "DELETE" }]) {
          assert.deepStrictEqual(
            [path, ...codeOf(yield* mine.operator(path, ask))],
            [path, 404, "not_found"],
          );
        }
      }
      assert.deepStrictEqual((yield* mine.operator(mine.path("production"))).body.data, []);
      assert.hasAllKeys(refusal(yield* theirs.campaign([id])), ["segmentation_ids.0"]);
      yield* theirs.sandbox.register("one", { platform: "ios", attributes: { plan: "gold" } });
      yield* mine.production.register("two", { platform: "ios", attributes: { plan: "gold" } });
      const shown = yield* mine.operator(`${mine.path("sandbox")}/${id}`);
      assert.deepInclude(shown.body.data, { name: "Mine", device_count: 0 });
      const elsewhere = yield* mine.operator(mine.path("staging"), { body: "not json" });
      assert.deepStrictEqual(codeOf(elsewhere), [404, "not_found"]);
    }),
  );
});
