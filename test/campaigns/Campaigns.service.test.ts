import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

layer(TestWaypost.layer)("Campaigns", (it) => {
  it.effect(
    "POST creates a geo campaign and gives 201 with every field, dates in UTC " +
      "(A3, E1, campaigns.create, campaigns.f_id, campaigns.f_times, campaigns.get)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const [first = "", second = ""] = yield* world.locations(2);
        const group = yield* world.group("Flagships");
        const made = yield* world.sandbox("/campaigns", {
          body: geo([second, first], {
            name: "  Opening week ",
            starts_at: "2026-11-22 09:30",
            ends_at: "2026-11-30",
            location_group_ids: [group],
            frequency_cap_count: 3,
            frequency_cap_period: "week",
          }),
        });
        assert.strictEqual(made.status, 201);
        assert.deepStrictEqual(made.body, {
          data: {
            id: made.body.data.id,
            name: "Opening week",
            type: "geo",
            status: "scheduled",
            starts_at: "2026-11-22T08:30:00+00:00",
            ends_at: "2026-11-30T22:59:59+00:00",
            timezone: "Europe/Amsterdam",
            recurrence: null,
            paused: false,
            published_at: made.body.data.created_at,
            archived: false,
            frequency_cap_count: 3,
            frequency_cap_period: "week",
            cap_by: "device",
            quiet_hours: null,
            cooldown_minutes: null,
            max_per_minute: null,
            holdout_percent: 0,
            goal: null,
            targeting: {
              location_ids: [second, first],
              location_group_ids: [group],
              segmentation_ids: [],
              segment_match: null,
            },
            created_at: "2026-11-21T12:00:00+00:00",
            updated_at: "2026-11-21T12:00:00+00:00",
          },
        });
        const shown = yield* world.sandbox(`/campaigns/${made.body.data.id}`);
        assert.strictEqual(shown.status, 200);
        assert.deepStrictEqual(shown.body, made.body);
      }),
  );

  it.effect(
    "a push campaign ends with its day in its zone, and its ends_at is ignored " +
      "(E2.1, E5.1, campaigns.f_type, campaigns.w8)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const [vip, fan] = [yield* world.segment("VIP"), yield* world.segment("Fans")];
        const made = yield* world.sandbox("/campaigns", {
          body: push({
            timezone: "America/New_York",
            starts_at: "2026-11-27 10:00",
            ends_at: "no date at all",
            segmentation_ids: [fan, vip, fan],
            segment_match: "all",
          }),
        });
        assert.strictEqual(made.status, 201);
        assert.strictEqual(made.body.data.starts_at, "2026-11-27T15:00:00+00:00");
        assert.strictEqual(made.body.data.ends_at, "2026-11-28T04:59:59+00:00");
        assert.deepStrictEqual(made.body.data.targeting, {
          location_ids: [],
          location_group_ids: [],
          segmentation_ids: [fan, vip],
          segment_match: "all",
        });
      }),
  );

  it.effect(
    "segment_match is null without segments, if it is not set, and for a geo campaign (E6, campaigns.w6)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        const segment = yield* world.segment("VIP");
        const matchOf = (body: object) =>
          Effect.map(world.sandbox("/campaigns", { body }), (made) => {
            assert.strictEqual(made.status, 201, JSON.stringify(made.body));
            return made.body.data.targeting.segment_match;
          });
        assert.isNull(yield* matchOf(push({ name: "1", segment_match: "all" })));
        assert.isNull(yield* matchOf(push({ name: "2", segmentation_ids: [segment] })));
        assert.strictEqual(
          yield* matchOf(push({ name: "3", segmentation_ids: [segment], segment_match: "any" })),
          "any",
        );
        assert.isNull(yield* matchOf(geo([location], { name: "4", segment_match: "all" })));
      }),
  );

  it.effect(
    "group names add their groups after those given by id, each once " +
      "(E4, E5.1, campaigns.names, service.ids)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const a = yield* world.group("A");
        const b = yield* world.group("B");
        const made = yield* world.sandbox("/campaigns", {
          body: geo([], {
            location_group_ids: [b.toUpperCase(), b],
            location_group_names: ["B", "A", " A "],
          }),
        });
        assert.strictEqual(made.status, 201);
        assert.deepStrictEqual(made.body.data.targeting.location_group_ids, [b, a]);
      }),
  );

  it.effect(
    "PATCH replaces the whole campaign: missing fields are cleared, read-only fields ignored " +
      "(B4.3, campaigns.f_dates, campaigns.update, campaigns.w10)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const [first = "", second = ""] = yield* world.locations(2);
        const group = yield* world.group("Flagships");
        const made = yield* world.sandbox("/campaigns", {
          body: geo([first], {
            starts_at: "2026-12-01",
            ends_at: "2026-12-31",
            location_group_ids: [group],
            frequency_cap_count: 1,
            frequency_cap_period: "day",
          }),
        });
        yield* TestClock.adjust("5 seconds");
        const path = `/campaigns/${made.body.data.id}`;
        const updated = yield* world.sandbox(path, {
          method: "PATCH",
          body: geo([second], {
            name: "Second week",
            starts_at: "2026-12-08",
            id: unknownId,
            status: "ended",
            archived: true,
            created_at: "2020-01-01T00:00:00+00:00",
          }),
        });
        assert.strictEqual(updated.status, 200);
        assert.deepStrictEqual(updated.body.data, {
          ...made.body.data,
          name: "Second week",
          starts_at: "2026-12-07T23:00:00+00:00",
          ends_at: null,
          frequency_cap_count: null,
          frequency_cap_period: null,
          targeting: {
            location_ids: [second],
            location_group_ids: [],
            segmentation_ids: [],
            segment_match: null,
          },
          updated_at: "2026-11-21T12:00:05+00:00",
        });
        assert.deepStrictEqual((yield* world.sandbox(path)).body, updated.body);
      }),
  );

  it.effect("the type of a campaign can change while it has no notification (E3.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const location = yield* world.location();
      const made = yield* world.sandbox("/campaigns", { body: geo([location], { starts_at: "2026-11-27" }) });
      const updated = yield* world.sandbox(`/campaigns/${made.body.data.id}`, {
        method: "PATCH",
        body: push(),
      });
      assert.strictEqual(updated.status, 200);
      assert.strictEqual(updated.body.data.type, "push");
      assert.strictEqual(updated.body.data.ends_at, "2026-11-27T22:59:59+00:00");
      assert.deepStrictEqual(updated.body.data.targeting.location_ids, []);
    }),
  );

  it.effect(
    "DELETE gives the id; then the campaign is not found and its name is free " +
      "(A4.1, E8.2, campaigns.delete, errors.not_found)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const made = yield* world.sandbox("/campaigns", { body: push() });
        const path = `/campaigns/${made.body.data.id}`;
        const gone = yield* world.sandbox(path, { method: "DELETE" });
        assert.deepStrictEqual(
          [gone.status, gone.body],
          [200, { data: { id: made.body.data.id, deleted: true } }],
        );
        assert.strictEqual((yield* world.sandbox(path)).status, 404);
        assert.strictEqual((yield* world.sandbox(path, { method: "DELETE" })).status, 404);
        assert.strictEqual((yield* world.sandbox("/campaigns", { body: push() })).status, 201);
      }),
  );

  it.effect("an unknown id is 404 before any problem of the request (B1.5, B2.3, campaigns.unknown)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      for (const id of [unknownId, "42", "%00", "not-a-uuid"]) {
        const ask = (method: string, action = "", body?: unknown) =>
          Effect.map(world.sandbox(`/campaigns/${id}${action}`, { method, body }), ({ body, status }) =>
            assert.deepStrictEqual([status, body.error.code], [404, "not_found"], `${method} ${id}${action}`),
          );
        yield* ask("GET");
        yield* ask("PATCH", "", push());
        yield* ask("PATCH", "", { name: "" });
        yield* ask("PATCH", "", "{not json");
        yield* ask("DELETE");
        yield* ask("POST", "/pause");
        yield* ask("POST", "/publish");
      }
    }),
  );

  it.effect(
    "another workspace and the other environment see, change and target nothing " +
      "(A2, E5.2, E8.1, campaigns.w7, errors.not_found)",
    () =>
      Effect.gen(function* () {
        const mine = yield* campaignWorld();
        const other = yield* campaignWorld();
        const location = yield* mine.location();
        const made = yield* mine.sandbox("/campaigns", { body: geo([location]) });
        const path = `/campaigns/${made.body.data.id}`;
        for (const stranger of [other.sandbox, mine.production]) {
          assert.strictEqual((yield* stranger(path)).status, 404);
          assert.strictEqual((yield* stranger(path, { method: "PATCH", body: push() })).status, 404);
          assert.strictEqual((yield* stranger(path, { method: "DELETE" })).status, 404);
          assert.strictEqual((yield* stranger(`${path}/pause`, { method: "POST" })).status, 404);
          assert.deepStrictEqual((yield* stranger("/campaigns")).body.data, []);
          const aimed = yield* stranger("/campaigns", { body: geo([location]) });
          assert.strictEqual(aimed.status, 422);
          assert.hasAllKeys(aimed.body.error.fields, ["location_ids.0"]);
          // The name is free there.
          const created = yield* stranger("/campaigns", { body: push({ name: "Opening week" }) });
          assert.strictEqual(created.status, 201);
        }
        assert.deepStrictEqual((yield* mine.sandbox(path)).body, made.body);
      }),
  );

  it.effect(
    "reading needs campaigns:read and changing campaigns:write; neither implies the other " +
      "(C1, C2, campaigns.delete, campaigns.pause, campaigns.publish, campaigns.update)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspace = yield* waypost.workspace();
        const reader = yield* waypost.token(workspace, "sandbox", ["campaigns:read"]);
        const writer = yield* waypost.token(workspace, "sandbox", ["campaigns:write"]);
        const read = waypost.platform("sandbox", reader.token);
        const write = waypost.platform("sandbox", writer.token);
        const made = yield* write("/campaigns", { body: push() });
        assert.strictEqual(made.status, 201);
        const path = `/campaigns/${made.body.data.id}`;
        assert.strictEqual((yield* read("/campaigns")).status, 200);
        assert.strictEqual((yield* read(path)).status, 200);
        for (const [ask, method, where] of [
          [write, "GET", "/campaigns"],
          [write, "GET", path],
          [read, "POST", "/campaigns"],
          [read, "PATCH", path],
          [read, "DELETE", path],
          [read, "POST", `${path}/pause`],
          [read, "POST", `${path}/publish`],
        ] as const) {
          const refused = yield* ask(where, { method, ...(method === "GET" ? {} : { body: {} }) });
          assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "missing_ability"]);
        }
      }),
  );
});
