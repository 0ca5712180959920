import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { pointFeature } from "../locations/Features.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { dam, damWorld, northOf, positionWorld } from "./PositionWorld.ts";

const good = { latitude: 52.37, longitude: 4.9, recorded_at: new Date(testStart).toISOString() };

layer(TestWaypost.layer)("Rejected positions", (it) => {
  it.effect(
    "an invalid position is rejected alone, with a sentence for each problem (B4, B6, device.positions)",
    () =>
      Effect.gen(function* () {
        const { phone } = yield* damWorld();
        const outcome = yield* phone.reports([
          { ...good, latitude: 90.5, longitude: "4.9" },
          { ...good, accuracy_meters: -1 },
          {},
          good,
          { ...good, recorded_at: "yesterday" },
          [52.37, 4.9],
          { ...good, latitude: null, accuracy_meters: "12" },
        ]);
        const degrees = (noun: string, limit: number) =>
          `The ${noun} must be a number of degrees from -${limit} to ${limit}.`;
        assert.deepStrictEqual(outcome.rejected, [
          { index: 0, reasons: [degrees("latitude", 90), degrees("longitude", 180)] },
          { index: 1, reasons: ["The accuracy must be a number of metres, 0 or more."] },
          {
            index: 2,
            reasons: [
              "The latitude is required.",
              "The longitude is required.",
              "The time of the position is required.",
            ],
          },
          {
            index: 4,
            reasons: [
              "The time of the position must be a date-time such as 2026-11-21T09:30:00Z, " +
                "or a date such as 2026-11-21.",
            ],
          },
          {
            index: 5,
            reasons: ["Each position must be an object with a latitude, a longitude and a recorded_at."],
          },
          {
            index: 6,
            reasons: [degrees("latitude", 90), "The accuracy must be a number of metres, 0 or more."],
          },
        ]);
        assert.deepStrictEqual([outcome.accepted, outcome.stale, outcome.moves], [1, 0, ["enter Dam"]]);
      }),
  );

  it.effect("a position may be 366 days old or 5 minutes ahead, and no more (L1, L9.6)", () =>
    Effect.gen(function* () {
      const { production } = yield* positionWorld();
      const phone = yield* production.tracked;
      const year = 366 * 86_400_000;
      const times = [-year - 1, -year, 300_000, 300_001];
      const outcome = yield* phone.reports(
        yield* Effect.forEach(times, (millis) =>
          Effect.map(fromNow(millis), (recorded_at) => ({ ...good, recorded_at })),
        ),
      );
      assert.deepStrictEqual(outcome.rejected, [
        {
          index: 0,
          reasons: ["The position's time lies over 366 days back: such old positions are not taken."],
        },
        {
          index: 3,
          reasons: ["The position's time lies over 5 minutes ahead: check the device's clock."],
        },
      ]);
      assert.strictEqual(outcome.accepted, 2);
    }),
  );

  it.effect("a request holds 1 to 100 positions in a valid body (device.positions)", () =>
    Effect.gen(function* () {
      const { production } = yield* positionWorld();
      const phone = yield* production.tracked;
      const sentence = ["The positions must hold 1 to 100 positions."];
      for (const positions of [[], Array.from({ length: 101 }, () => good), "here", { 0: good }, null]) {
        const { body, status } = yield* phone.post(positions);
        assert.strictEqual(status, 422);
        assert.deepStrictEqual(Object.keys(body.error.fields), ["positions"]);
        if (Array.isArray(positions)) assert.deepStrictEqual(body.error.fields.positions, sentence);
      }
      const hundred = yield* phone.reports(Array.from({ length: 100 }, () => good));
      assert.deepStrictEqual([hundred.accepted, hundred.stale], [1, 99]);
      const broken = yield* phone.ask("/positions", {
        body: `{"positions":[{"latitude":NaN,"longitude":1e999}]}`,
      });
      assert.strictEqual(broken.status, 422);
      const numbers = `"latitude":1e999,"longitude":-1e999,"accuracy_meters":1e999`;
      const endless = yield* phone.ask("/positions", {
        body: `{"positions":[{${numbers},"recorded_at":"${good.recorded_at}"}]}`,
      });
      assert.lengthOf(endless.body.data.rejected[0].reasons, 3);
      const large = yield* phone.ask("/positions", {
        body: JSON.stringify({ positions: ["x".repeat(1_048_576)] }),
      });
      assert.strictEqual(large.status, 413);
    }),
  );

  it.effect(
    "a position may be at a pole and on either side of the antimeridian (device.positions_places)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* positionWorld();
        yield* production.imports(
          pointFeature({ name: "Pole" }, [0, 89.9999]),
          pointFeature({ name: "Line" }, [179.9999, 0]),
        );
        const phone = yield* production.tracked;
        assert.deepStrictEqual((yield* phone.isAt([123, 90])).moves, ["enter Pole"]);
        assert.deepStrictEqual((yield* phone.isAt([-180, 0])).moves, ["exit Pole", "enter Line"]);
        assert.deepStrictEqual((yield* phone.isAt([180, 0])).moves, []);
        assert.deepStrictEqual((yield* phone.isAt([-179.9999, 0])).moves, []);
        assert.deepStrictEqual((yield* phone.isAt([-179.998, 0])).moves, ["exit Line"]);
        assert.deepStrictEqual((yield* phone.isAt([0, -90])).moves, []);
      }),
  );

  it.effect("a repeated position is stale, and its messages are in the inbox (device.positions_again)", () =>
    Effect.gen(function* () {
      const { location, phone, production } = yield* damWorld();
      const campaign = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(campaign);
      yield* production.notification(campaign, { trigger_type: "on_exit", headline: "Bye" });
      const path = yield* Effect.forEach([1, 2, 3], (second) =>
        Effect.map(fromNow(second * 1000), (recorded_at) => ({
          ...good,
          latitude: northOf(dam, second * 60)[1],
          recorded_at,
        })),
      );
      const both = yield* Effect.all([phone.reports(path), phone.reports(path)], { concurrency: 2 });
      const first = both.find(({ accepted }) => accepted === 3);
      const second = both.find(({ stale }) => stale === 3);
      assert.deepStrictEqual(first?.moves, ["enter Dam", "exit Dam"]);
      assert.deepStrictEqual([second?.moves, second?.deliveries], [[], []]);
      assert.deepStrictEqual((yield* phone.inbox()).map(({ headline }) => headline as string).toSorted(), [
        "Bye",
        "Hello",
      ]);
    }),
  );

  it.effect("positions need the token of a registered device", () =>
    Effect.gen(function* () {
      const { production, waypost } = yield* positionWorld();
      const body = { positions: [good] };
      for (const credential of [null, production.sdkKey]) {
        for (const [path, ask] of [
          ["/positions", { body }],
          ["/geofences?lat=1&lng=1", {}],
        ] as const)
          assert.strictEqual((yield* waypost.device(credential)(path, ask)).status, 401);
      }
      const phone = yield* production.tracked;
      yield* phone.ask("/devices/me", { method: "DELETE" });
      assert.strictEqual((yield* phone.ask("/positions", { body })).status, 401);
    }),
  );
});
