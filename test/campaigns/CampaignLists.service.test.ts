import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";
import fc from "fast-check";

type World = Effect.Success<ReturnType<typeof campaignWorld>>;

const create = (world: World, name: string) =>
  Effect.map(world.sandbox("/campaigns", { body: push({ name }) }), ({ body, status }) => {
    assert.strictEqual(status, 201);
    return body.data.id as string;
  });

layer(TestWaypost.layer)("Campaign lists", (it) => {
  it.effect(
    "a list is newest first, 20 a page by default, with a cursor until the last page " +
      "(D1.1, D2, lists.cursor, lists.limit, lists.order)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        assert.deepStrictEqual((yield* world.sandbox("/campaigns")).body, {
          data: [],
          meta: { next_cursor: null },
        });
        const ids: Array<string> = [];
        for (let at = 0; at < 21; at++) ids.unshift(yield* create(world, `${at}`));
        const idsOf = (page: { readonly body: { readonly data: ReadonlyArray<{ readonly id: string }> } }) =>
          page.body.data.map((one) => one.id);
        const first = yield* world.sandbox("/campaigns");
        assert.deepStrictEqual(idsOf(first), ids.slice(0, 20));
        const second = yield* world.sandbox(`/campaigns?cursor=${first.body.meta.next_cursor}`);
        assert.deepStrictEqual(idsOf(second), ids.slice(20));
        assert.isNull(second.body.meta.next_cursor);
        const whole = yield* world.sandbox("/campaigns?limit=100&unknown=parameter");
        assert.deepStrictEqual(idsOf(whole), ids);
        assert.isNull(whole.body.meta.next_cursor);
      }),
  );

  it.effect(
    "a page gives each of its campaigns its own targets in the order they were sent, and the fields of a " +
      "single one (D1.1, E5)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const [a = "", b = "", c = "", gone = ""] = yield* world.locations(4);
        const groups = [yield* world.group("North"), yield* world.group("East")] as const;
        const segments = [yield* world.segment("Young"), yield* world.segment("Near")] as const;
        const goal = { type: "visit", within_hours: 48, location_ids: [b, a] };
        const send = { action: "drop", to: "08:00", from: "22:00" };
        const recurrence = { except: ["2026-12-28"], rule: "FREQ=WEEKLY;BYDAY=MO" };
        const everyone = { segmentation_ids: segments.toReversed(), segment_match: "all" };
        const drafts = [
          geo([c, gone, a, b], { location_group_ids: groups.toReversed(), cooldown_minutes: 5 }),
          push({ ...everyone, recurrence, starts_at: "2026-12-07" }),
          geo([b], { name: "One", ends_at: "2026-12-24", quiet_hours: send, holdout_percent: 10, goal }),
          { ...geo([], { name: "No", location_group_ids: [groups[0]] }), paused: true },
          push({ name: "Paid", type: "event", ends_at: "2026-12-24", segmentation_ids: [segments[0]] }),
          push({ name: "All", frequency_cap_count: 2, frequency_cap_period: "week" }),
        ];
        for (const body of drafts) {
          const created = yield* world.sandbox("/campaigns", { body });
          assert.strictEqual(created.status, 201, JSON.stringify(created.body));
        }
        yield* world.removeLocation(gone);
        const { data } = (yield* world.sandbox("/campaigns")).body;
        assert.deepStrictEqual(
          data.map((one: { readonly targeting: object }) => Object.values(one.targeting)),
          [
            [[], [], [], null],
            [[], [], [segments[0]], null],
            [[], [groups[0]], [], null],
            [[b], [], [], null],
            [[], [], segments.toReversed(), "all"],
            [[c, a, b], groups.toReversed(), [], null],
          ],
        );
        for (const one of data) {
          const single = yield* world.sandbox(`/campaigns/${one.id}`);
          assert.strictEqual(JSON.stringify(one), JSON.stringify(single.body.data));
        }
        const pushes = yield* world.sandbox("/campaigns?type=push&limit=1");
        assert.deepStrictEqual(pushes.body.data, [data[0]]);
      }),
  );

  it.effect(
    "paging while others create, update and delete shows each remaining campaign exactly once (D1.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const runs = fc.sample(
          fc.record({
            before: fc.integer({ min: 1, max: 9 }),
            limit: fc.integer({ min: 1, max: 4 }),
            changes: fc.array(fc.constantFrom("create", "pause", "none"), { maxLength: 6 }),
          }),
          { numRuns: 8, seed: 11 },
        );
        let made = 0;
        for (const { before, changes, limit } of runs) {
          for (let at = 0; at < before; at++) yield* create(world, `${made++}`);
          const start = (yield* world.sandbox("/campaigns?limit=100")).body.data.map(
            (one: { readonly id: string }) => one.id,
          );
          const seen: Array<string> = [];
          const pending = [...changes];
          for (let cursor: string | null = ""; cursor !== null;) {
            const page: { readonly body: any } = yield* world.sandbox(
              `/campaigns?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`,
            );
            seen.push(...page.body.data.map((one: { readonly id: string }) => one.id));
            cursor = page.body.meta.next_cursor;
            const change = pending.pop();
            if (change === "create") yield* create(world, `${made++}`);
            if (change === "pause")
              yield* world.sandbox(`/campaigns/${start.at(-1)}/pause`, { method: "POST" });
          }
          assert.deepStrictEqual(seen, start);
        }
      }),
  );

  it.effect(
    "paging while others concurrently create, rename and delete shows each campaign once (D1.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const start: Array<string> = [];
        for (let at = 0; at < 30; at++) start.unshift(yield* create(world, `Kept ${at}`));
        const [doomed, renamed] = [yield* create(world, "Doomed"), start[20] ?? ""];
        const seen: Array<string> = [];
        const paging = Effect.gen(function* () {
          for (let cursor: string | null = ""; cursor !== null;) {
            const page: { readonly body: any } = yield* world.sandbox(
              `/campaigns?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
            );
            seen.push(...page.body.data.map((one: { readonly id: string }) => one.id));
            cursor = page.body.meta.next_cursor;
          }
        });
        const changing = [
          ...Array.from({ length: 20 }, (_, at) => create(world, `New ${at}`)),
          world.sandbox(`/campaigns/${doomed}`, { method: "DELETE" }),
          world.sandbox(`/campaigns/${renamed}`, { method: "PATCH", body: push({ name: "Renamed" }) }),
        ];
        yield* Effect.all([paging, ...changing], { concurrency: "unbounded" });
        assert.deepStrictEqual(
          seen.filter((id) => start.includes(id)),
          start,
        );
        assert.strictEqual(new Set(seen).size, seen.length);
      }),
  );

  it.effect(
    "a cursor of another list, filter, workspace, environment or day is invalid_cursor " +
      "(D2, errors.invalid_cursor, lists.bad)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const other = yield* campaignWorld();
        yield* create(world, "1");
        yield* create(world, "2");
        const cursor = (yield* world.sandbox("/campaigns?limit=1")).body.meta.next_cursor;
        const refused = (ask: World["sandbox"], query: string) =>
          Effect.map(ask(`/campaigns?${query}`), ({ body, status }) =>
            assert.deepStrictEqual([status, body.error?.code], [422, "invalid_cursor"], query),
          );
        assert.strictEqual((yield* world.sandbox(`/campaigns?cursor=${cursor}&limit=50`)).status, 200);
        yield* refused(world.sandbox, "cursor=");
        yield* refused(world.sandbox, "cursor=abc.def");
        yield* refused(world.sandbox, `cursor=${cursor}x`);
        // Other base64 texts of the same bytes are not cursors that were issued.
        yield* refused(world.sandbox, `cursor=${cursor}=`);
        yield* refused(world.sandbox, `cursor=%20${cursor}`);
        const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        for (const end of alphabet.split("").filter((letter) => letter !== cursor.at(-1))) {
          yield* refused(world.sandbox, `cursor=${cursor.slice(0, -1)}${end}`);
        }
        yield* refused(world.sandbox, `cursor=${cursor}&updated_since=2026-01-01`);
        yield* refused(world.production, `cursor=${cursor}`);
        yield* refused(other.sandbox, `cursor=${cursor}`);
        yield* TestClock.setTime(testStart + 24 * 3_600_000 + 1);
        yield* refused(world.sandbox, `cursor=${cursor}`);
      }),
  );

  it.effect(
    "updated_since selects campaigns updated at or after it, in every accepted format " +
      "(D3, lists.updated_since)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const old = yield* create(world, "old");
        yield* TestClock.adjust("1 hour");
        const young = yield* create(world, "young");
        const since = (text: string) =>
          Effect.map(world.sandbox(`/campaigns?updated_since=${text}`), (page) =>
            page.body.data.map((one: { readonly id: string }) => one.id),
          );
        assert.deepStrictEqual(yield* since("2026-11-21"), [young, old]);
        for (const text of [
          "2026-11-21T13:00:00Z",
          "2026-11-21T13:00:00",
          "2026-11-21T14:00:00%2B01:00",
          "2026-11-21T14:00:00+01:00",
          "2026-11-21%2012:00:01Z".replace("%20", "T"),
        ]) {
          assert.deepStrictEqual(yield* since(text), [young], text);
        }
        assert.deepStrictEqual(yield* since("2026-11-21T13:00:01Z"), []);
        yield* TestClock.adjust("1 hour");
        yield* world.sandbox(`/campaigns/${old}/pause`, { method: "POST" });
        assert.deepStrictEqual(yield* since("2026-11-21T14:00:00Z"), [old]);
        assert.deepStrictEqual(yield* since("0001-01-01T00:00:00%2B14:00"), [young, old]);
        assert.deepStrictEqual(yield* since("9999-12-31T23:59:59-14:00"), []);
      }),
  );

  it.effect("a cursor keeps the filter updated_since (D2.2, D3)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      yield* create(world, "old");
      yield* TestClock.adjust("1 hour");
      const [a, b] = [yield* create(world, "a"), yield* create(world, "b")];
      const query = "/campaigns?limit=1&updated_since=2026-11-21T12:30:00Z";
      const first = yield* world.sandbox(query);
      const second = yield* world.sandbox(`${query}&cursor=${first.body.meta.next_cursor}`);
      assert.deepStrictEqual([first.body.data[0].id, second.body.data[0].id], [b, a]);
      assert.isNull(second.body.meta.next_cursor);
    }),
  );

  it.effect.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=ten", "limit"],
    ["limit=1.5", "limit"],
    ["limit=", "limit"],
    ["limit=99999999999999999999", "limit"],
    ["updated_since=yesterday", "updated_since"],
    ["updated_since=2026-02-30", "updated_since"],
    ["updated_since=", "updated_since"],
  ] as const)(
    "%s is invalid_parameter at %s (D3, D4.1, errors.invalid_parameter, lists.bad)",
    ([query, field]) =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const { body, status } = yield* world.sandbox(`/campaigns?${query}`);
        assert.deepStrictEqual([status, body.error.code], [422, "invalid_parameter"]);
        assert.hasAllKeys(body.error.fields, [field]);
        if (field !== "limit") return;
        assert.deepStrictEqual(body.error.fields.limit, [
          "The limit must be a whole number between 1 and 100.",
        ]);
      }),
  );
});
