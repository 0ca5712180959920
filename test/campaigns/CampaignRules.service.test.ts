import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
type World = Effect.Success<ReturnType<typeof campaignWorld>>;

/** Sends a draft and gives the fields with problems. */
const refusal = (world: World, body: unknown) =>
  Effect.map(world.sandbox("/campaigns", { body }), (answer) => {
    assert.deepStrictEqual([answer.status, answer.body.error?.code], [422, "validation_failed"]);
    return answer.body.error.fields as Record<string, ReadonlyArray<string>>;
  });

layer(TestWaypost.layer)("Campaign rules", (it) => {
  it.effect(
    "all problems of a draft are reported together, in sentences that name the field " +
      "(B4.1, B6, errors.dots, errors.validation_failed)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        yield* world.sandbox("/campaigns", { body: push({ name: "Taken" }) });
        const location = yield* world.location();
        const fields = yield* refusal(world, {
          name: "Taken",
          type: "geo",
          timezone: "Europe/Amsterdam",
          starts_at: "2026-11-20",
          ends_at: "2026-11-19",
          location_ids: [location, unknownId, "no id"],
          location_group_ids: [unknownId],
          location_group_names: ["Nowhere"],
          segmentation_ids: [unknownId],
          segment_match: "some",
          frequency_cap_count: 0,
        });
        assert.deepStrictEqual(fields, {
          segment_match: ["The segment match must be any or all."],
          frequency_cap_count: ["The frequency cap count must be a whole number between 1 and 1,000."],
          starts_at: ["The start cannot be before today (2026-11-21 in Europe/Amsterdam)."],
          ends_at: ["The end must be after the start (2026-11-20 00:00 in Europe/Amsterdam)."],
          segmentation_ids: [
            "A geo campaign cannot take segments: " +
              "leave the segmentation ids out, or make it a push campaign.",
          ],
          frequency_cap_period: [
            "The frequency cap period is required with a frequency cap count: " +
              "send day, week or month, or neither of both.",
          ],
          "location_ids.1": [
            `There is no location with the id ${unknownId} in this workspace and environment.`,
          ],
          "location_ids.2": ["Entry 2 of the location ids must be a UUID."],
          "location_group_ids.0": [
            `There is no location group with the id ${unknownId} in this workspace and environment.`,
          ],
          "location_group_names.0": [
            'There is no location group named "Nowhere" in this workspace and environment.',
          ],
          name: ['The name "Taken" is taken by another campaign: choose another one.'],
        });
      }),
  );

  it.effect("an empty object lacks exactly the four required fields (campaigns.w1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      assert.deepStrictEqual(yield* refusal(world, {}), {
        name: ["The name is required."],
        type: ["The type is required."],
        timezone: ["The time zone is required."],
        starts_at: ["The start is required."],
      });
    }),
  );

  const hostile: ReadonlyArray<readonly [string, unknown]> = [
    ["name", ""],
    ["name", "   "],
    ["name", 7],
    ["name", "a".repeat(256)],
    ["name", "NUL\0"],
    ["name", "\ud800"],
    ["type", "sms"],
    ["type", ["geo"]],
    ["timezone", "+02:00"],
    ["timezone", "Mars/Olympus"],
    ["timezone", ""],
    ["starts_at", "2026-02-30"],
    ["starts_at", "2026-11-27T10:00:00Z"],
    ["starts_at", "27-11-2026"],
    ["starts_at", "2026-11-27 24:00"],
    ["starts_at", 1_795_000_000],
    ["starts_at", "0000-00-00"],
    ["frequency_cap_count", 1001],
    ["frequency_cap_count", 1.5],
    ["frequency_cap_count", "3"],
    ["frequency_cap_period", "year"],
    ["segment_match", "none"],
    ["segmentation_ids", "not a list"],
    ["segmentation_ids", { 0: unknownId }],
    ["location_ids", 5],
  ];
  it.effect.each(hostile)("the field %s refuses %j (B5.2, B5.3, E1.3, E7)", ([field, value]) =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
      const fields = yield* refusal(world, push({ ...cap, [field]: value }));
      assert.hasAllKeys(fields, [field]);
    }),
  );

  it.effect("an entry that is not a text does not hide the problems of other entries (B4, E4, E5)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const location = yield* world.location();
      const fields = yield* refusal(
        world,
        geo([location, 5, "no id", null] as never, { location_group_names: [{}, "Nowhere", ""] }),
      );
      const uuid = (at: number) => [`Entry ${at} of the location ids must be a UUID.`];
      const name = (at: number) => [
        `Entry ${at} of the location group names must be the name of a location group.`,
      ];
      assert.deepStrictEqual(fields, {
        "location_ids.1": uuid(1),
        "location_ids.2": uuid(2),
        "location_ids.3": uuid(3),
        "location_group_names.0": name(0),
        "location_group_names.1": [
          'There is no location group named "Nowhere" in this workspace and environment.',
        ],
        "location_group_names.2": name(2),
      });
    }),
  );

  it.effect(
    "a name is counted in code points, so 255 astral characters are accepted (B5.1, campaigns.f_name)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const made = yield* world.sandbox("/campaigns", { body: push({ name: "🛍".repeat(255) }) });
        assert.strictEqual(made.status, 201);
        assert.hasAllKeys(yield* refusal(world, push({ name: "🛍".repeat(256) })), ["name"]);
      }),
  );

  it.effect(
    "a geo campaign needs a location or group, and empty or null lists count as left out " +
      "(E5.4, campaigns.w5)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        for (const lists of [{}, { location_ids: [], location_group_ids: null, location_group_names: [] }]) {
          const { location_ids: _, ...bare } = geo([]);
          assert.hasAllKeys(yield* refusal(world, { ...bare, ...lists }), ["location_ids"]);
        }
        const location = yield* world.location();
        const taken = yield* world.sandbox("/campaigns", { body: geo([location], { segmentation_ids: [] }) });
        assert.strictEqual(taken.status, 201);
      }),
  );

  it.effect(
    "a push campaign refuses locations and groups, but accepts empty lists of them (E5.4, campaigns.w6)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const location = yield* world.location();
        const fields = yield* refusal(
          world,
          push({ location_ids: [location], location_group_ids: [unknownId], location_group_names: ["A"] }),
        );
        assert.hasAllKeys(fields, ["location_ids", "location_group_ids", "location_group_names"]);
        const taken = yield* world.sandbox("/campaigns", {
          body: push({ location_ids: [], location_group_ids: [], location_group_names: [] }),
        });
        assert.strictEqual(taken.status, 201);
      }),
  );

  it.effect("an unknown segment is refused at each index at which it was sent (A2.4, E5.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const segment = yield* world.segment("VIP");
      const foreign = yield* world.segment("VIP", "production");
      const fields = yield* refusal(world, push({ segmentation_ids: [foreign, segment, foreign] }));
      assert.hasAllKeys(fields, ["segmentation_ids.0", "segmentation_ids.2"]);
    }),
  );

  it.effect("a list accepts 1,000 entries as sent and not one more, also if they repeat (E5.3)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const ids = yield* world.locations(1000);
      const most = yield* world.sandbox("/campaigns", { body: geo(ids) });
      assert.strictEqual(most.status, 201);
      assert.deepStrictEqual(most.body.data.targeting.location_ids, ids);
      const fields = yield* refusal(
        world,
        geo(
          Array.from({ length: 1001 }, () => ids[0] ?? ""),
          { name: "2" },
        ),
      );
      assert.deepStrictEqual(fields, { location_ids: ["The location ids can have at most 1,000 entries."] });
      // A hostile list is refused as a whole, not entry by entry.
      const flood = yield* refusal(
        world,
        geo([], { name: "3", location_ids: Array.from({ length: 40_000 }, () => 1) }),
      );
      assert.deepStrictEqual(flood, { location_ids: ["The location ids can have at most 1,000 entries."] });
    }),
  );

  it.effect(
    "the count and period of a frequency cap require each other, and null counts as left out " +
      "(E7, campaigns.f_cap, campaigns.w9)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        assert.hasAllKeys(yield* refusal(world, push({ frequency_cap_count: 1 })), ["frequency_cap_period"]);
        assert.hasAllKeys(yield* refusal(world, push({ frequency_cap_period: "day" })), [
          "frequency_cap_count",
        ]);
        for (const [at, cap] of [
          { frequency_cap_count: null, frequency_cap_period: null },
          { frequency_cap_count: 1000, frequency_cap_period: "month" },
        ].entries()) {
          const made = yield* world.sandbox("/campaigns", { body: push({ name: `${at}`, ...cap }) });
          assert.strictEqual(made.status, 201);
          assert.strictEqual(made.body.data.frequency_cap_count, cap.frequency_cap_count);
          assert.strictEqual(made.body.data.frequency_cap_period, cap.frequency_cap_period);
        }
      }),
  );

  it.effect("names are compared exactly, and a campaign may keep its own name (E8.1, campaigns.f_name)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const made = yield* world.sandbox("/campaigns", { body: push() });
      assert.hasAllKeys(yield* refusal(world, push({ name: " Black Friday " })), ["name"]);
      assert.strictEqual(
        (yield* world.sandbox("/campaigns", { body: push({ name: "black friday" }) })).status,
        201,
      );
      const path = `/campaigns/${made.body.data.id}`;
      assert.strictEqual((yield* world.sandbox(path, { method: "PATCH", body: push() })).status, 200);
      const clash = yield* world.sandbox(path, { method: "PATCH", body: push({ name: "black friday" }) });
      assert.hasAllKeys(clash.body.error.fields, ["name"]);
    }),
  );

  it.effect(
    "of concurrent creates with one name exactly one succeeds, and the others are 422 at name " +
      "(E8.1, idempotency.7)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld();
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => world.sandbox("/campaigns", { body: push() })),
          { concurrency: "unbounded" },
        );
        const statuses = answers.map((answer) => answer.status).sort((a, b) => a - b);
        assert.deepStrictEqual(statuses, [201, 422, 422, 422, 422, 422, 422, 422]);
      }),
  );

  it.effect("a body that is not a JSON object, or of another content type, is refused (B3.5)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      for (const body of ["", "{", "[]", "null", '"text"']) {
        assert.hasAllKeys(yield* refusal(world, body), ["body"]);
      }
      const headers = { "content-type": "text/plain" };
      const wrong = yield* world.sandbox("/campaigns", { body: JSON.stringify(push()), headers });
      assert.deepStrictEqual([wrong.status, wrong.body.error.code], [415, "unsupported_media_type"]);
      const large = yield* world.sandbox("/campaigns", { body: push({ name: "x".repeat(1_100_000) }) });
      assert.deepStrictEqual([large.status, large.body.error.code], [413, "payload_too_large"]);
    }),
  );
});
