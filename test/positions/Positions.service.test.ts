import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { box, pointFeature, polygonFeature } from "../locations/Features.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { dam, damWorld, northOf, positionWorld } from "./PositionWorld.ts";

const far = northOf(dam, 5_000);

layer(TestWaypost.shared)("Reported positions", (it) => {
  it.effect(
    "a first position inside enters, one outside leaves, and both trigger campaigns (L9.1, device.positions)",
    () =>
      Effect.gen(function* () {
        const { location, phone, production } = yield* damWorld();
        const campaign = yield* production.campaign({ location_ids: [location] });
        yield* production.notification(campaign, { headline: "In" });
        yield* production.notification(campaign, { headline: "Out", trigger_type: "on_exit" });
        const entered = yield* phone.isAt(dam);
        assert.deepStrictEqual(
          { ...entered, deliveries: entered.deliveries.map(({ headline }) => headline) },
          { accepted: 1, stale: 0, rejected: [], moves: ["enter Dam"], deliveries: ["In"] },
        );
        assert.deepStrictEqual((yield* phone.isAt(northOf(dam, 99.9))).moves, []);
        const left = yield* phone.isAt(northOf(dam, 100.1));
        assert.deepStrictEqual(
          [left.moves, left.deliveries.map(({ headline }) => headline)],
          [["exit Dam"], ["Out"]],
        );
        assert.deepStrictEqual((yield* phone.isAt(far)).moves, []);
        assert.lengthOf(yield* phone.inbox(), 2);
      }),
  );

  it.effect("a transition has the location, the type and the time of its position (device.positions)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* damWorld();
      const answer = yield* phone.post([
        { latitude: 52.37, longitude: 4.9, recorded_at: "2026-11-21T12:59:58.700+01:00" },
      ]);
      assert.deepStrictEqual(answer.body.data.transitions, [
        { type: "enter", location_id: location, occurred_at: "2026-11-21T11:59:58+00:00" },
      ]);
    }),
  );

  it.effect(
    "a device leaves only when it is outside by more than its accuracy, of which 100 m count (L9.2)",
    () =>
      Effect.gen(function* () {
        const { phone } = yield* damWorld();
        const steps: ReadonlyArray<
          readonly [meters: number, accuracy: number | undefined, moves: Array<string>]
        > = [
          [0, 200, ["enter Dam"]],
          [149.8, 50, []],
          [110, 30, []],
          [90, undefined, []],
          [199.7, 200, []],
          [199.7, 101, []],
          [200.3, 200, ["exit Dam"]],
          [120, 50, []],
          [99, 50, ["enter Dam"]],
          [150.3, 50, ["exit Dam"]],
          [99, 0, ["enter Dam"]],
          [100.2, 0, ["exit Dam"]],
        ];
        for (const [meters, accuracy, moves] of steps) {
          assert.deepStrictEqual(
            (yield* phone.isAt(northOf(dam, meters), accuracy)).moves,
            moves,
            `${meters} m, accuracy ${accuracy}`,
          );
        }
      }),
  );

  it.effect("a position with an accuracy over 200 m is accepted and changes nothing (L9.3)", () =>
    Effect.gen(function* () {
      const { phone } = yield* damWorld();
      const at = (latitude: number, seconds: number, accuracy_meters?: number | null) =>
        Effect.map(fromNow(seconds * 1000), (recorded_at) => ({
          latitude,
          longitude: 4.9,
          recorded_at,
          ...(accuracy_meters === undefined ? {} : { accuracy_meters }),
        }));
      const coarse = yield* phone.reports([yield* at(52.37, 10, 200.1)]);
      assert.deepStrictEqual([coarse.accepted, coarse.stale, coarse.moves], [1, 0, []]);
      // It does not become the last position.
      const older = yield* phone.reports([yield* at(52.37, 5, null), yield* at(53, 6, 5000)]);
      assert.deepStrictEqual([older.accepted, older.stale, older.moves], [2, 0, ["enter Dam"]]);
    }),
  );

  it.effect("a position that is not newer than the last one is stale and changes nothing (L9.3)", () =>
    Effect.gen(function* () {
      const { phone } = yield* damWorld();
      const time = (seconds: number) => fromNow(seconds * 1000);
      const inside = { latitude: 52.37, longitude: 4.9 };
      const outside = { latitude: 53, longitude: 4.9 };
      const first = yield* phone.reports([
        { ...inside, recorded_at: yield* time(0) },
        { ...outside, recorded_at: yield* time(0) },
        { ...outside, recorded_at: yield* time(-1) },
        { ...inside, recorded_at: yield* time(1) },
      ]);
      assert.deepStrictEqual(first, {
        accepted: 2,
        stale: 2,
        rejected: [],
        moves: ["enter Dam"],
        deliveries: [],
      });
      const again = yield* phone.reports([
        { ...outside, recorded_at: yield* time(1) },
        { ...outside, recorded_at: yield* time(0.5) },
      ]);
      assert.deepStrictEqual([again.accepted, again.stale, again.moves], [0, 2, []]);
    }),
  );

  it.effect(
    "a device leaves locations before it enters others, also within one request (device.positions)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* positionWorld();
        yield* production.imports(
          pointFeature({ name: "B" }, [...northOf(dam, 1000)]),
          pointFeature({ name: "A" }),
          polygonFeature(box(4.8, 52.3, 5, 52.5)),
        );
        const phone = yield* production.tracked;
        assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["enter A", "enter Area"]);
        assert.deepStrictEqual((yield* phone.isAt(northOf(dam, 1000))).moves, ["exit A", "enter B"]);
        const path = yield* Effect.forEach([10, 11, 12, 13], (seconds, step) =>
          Effect.map(fromNow(seconds * 1000), (recorded_at) => ({
            latitude: northOf(dam, [500, 0, 500, 1000][step] ?? 0)[1],
            longitude: 4.9,
            recorded_at,
          })),
        );
        const passed = yield* phone.reports(path);
        assert.deepStrictEqual(passed.moves, ["exit B", "enter A", "exit A", "enter B"]);
        assert.strictEqual(passed.accepted, 4);
      }),
  );
});
