import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { after, dwellWorld, withoutJobs } from "../events/DwellWorld.ts";
import { box, pointFeature } from "../locations/Features.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { dam, northOf, positionWorld } from "./PositionWorld.ts";

const far = northOf(dam, 5_000);
const circle = (coordinates: readonly number[], radius_meters = 100) => ({
  geometry: { type: "Point", coordinates },
  radius_meters,
});

layer(TestWaypost.layer)("A location of another shape", (it) => {
  it.effect(
    "positions count by the new shape from the next request on, and visits go on by it (LO2.4, Y26)",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(testStart);
        const { platform, production } = yield* positionWorld();
        const [location] = yield* production.imports(pointFeature());
        const campaign = yield* production.campaign({ location_ids: [location] });
        yield* production.notification(campaign);
        const phone = yield* production.tracked;
        const put = (body: object) =>
          platform.production(`/locations/${location}/shape`, { method: "PUT", body });
        const entered = yield* phone.isAt(dam);
        assert.deepStrictEqual([entered.moves, entered.deliveries.length], [["enter Dam"], 1]);
        yield* put(circle(dam, 800));
        assert.deepStrictEqual((yield* phone.isAt(northOf(dam, 700))).moves, []);
        yield* put(circle(dam, 300));
        assert.deepStrictEqual((yield* phone.isAt(northOf(dam, 700))).moves, ["exit Dam"]);
        yield* put(circle(far));
        assert.deepStrictEqual((yield* phone.isAt(dam)).moves, []);
        yield* put({ geometry: { type: "Polygon", coordinates: [box(4.8, 52.3, 5, 52.4)] } });
        const again = yield* phone.isAt(dam);
        assert.deepStrictEqual([again.moves, again.deliveries.length], [["enter Dam"], 1]);
        yield* put(circle(far));
        assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["exit Dam"]);
        // Targeting, reports and deliveries know the location as before.
        const { targeting } = (yield* platform.production(`/campaigns/${campaign}`)).body.data;
        assert.deepStrictEqual(targeting.location_ids, [location]);
        const report = (yield* platform.production("/reports/locations")).body.data;
        assert.deepStrictEqual(
          report.map(({ entries, exits, id }: any) => [id, entries, exits]),
          [[location, 2, 2]],
        );
      }),
  );

  it.effect("the groups of a location decide which campaigns it triggers, at once (LO3.2)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { platform, production } = yield* positionWorld();
      const [location] = yield* production.imports(pointFeature());
      yield* production.imports(pointFeature({ name: "Other", group: "Shops" }, [...far]));
      const campaign = yield* production.campaign({ location_ids: [], location_group_names: ["Shops"] });
      yield* production.notification(campaign);
      const put = (groups: ReadonlyArray<string>) =>
        platform.production(`/locations/${location}/groups`, { method: "PUT", body: { groups } });
      const messages = Effect.gen(function* () {
        const phone = yield* production.tracked;
        return (yield* phone.isAt(dam)).deliveries.length;
      });
      assert.strictEqual(yield* messages, 0);
      yield* put(["Shops"]);
      assert.strictEqual(yield* messages, 1);
      yield* put([]);
      assert.strictEqual(yield* messages, 0);
    }),
  );
});

layer(withoutJobs)("A visit at a location of another shape", (it) => {
  it.effect("a dwell has its message at its minute, whatever shape the location has then (Y26)", () =>
    Effect.gen(function* () {
      const world = yield* dwellWorld();
      yield* world.phone.sees("enter", world.location);
      yield* TestClock.adjust("5 minutes");
      const { status } = yield* world.production.platform(`/locations/${world.location}/shape`, {
        method: "PUT",
        body: circle(far),
      });
      assert.strictEqual(status, 200);
      yield* after(5);
      assert.strictEqual(yield* world.messages, 1);
    }),
  );
});
