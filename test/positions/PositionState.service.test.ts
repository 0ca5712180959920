import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { Positions } from "../../src/positions/Positions.ts";
import { EventRecorder } from "../../src/events/EventRecorder.ts";
import { LocationIndexes } from "../../src/locations/LocationIndexes.ts";
import { Deliveries } from "../../src/sending/deliveries/Deliveries.ts";
import { DeviceId, DeviceKey } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { box, pointFeature, polygonFeature } from "../locations/Features.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { dam, damWorld, northOf, positionWorld } from "./PositionWorld.ts";

const far = northOf(dam, 5_000);
const inside = { latitude: dam[1], longitude: dam[0] };
const outside = { latitude: far[1], longitude: far[0] };

/** Four more processes on the database, with the services for positions only. */
const fourProcesses = Effect.suspend(() => {
  const own = Positions.layer.pipe(
    Layer.provide(EventRecorder.layer),
    Layer.provide([Deliveries.layer, LocationIndexes.layer]),
  );
  return Effect.forEach(Array.from({ length: 4 }), () =>
    Effect.map(Layer.build(Layer.fresh(own)), (context) => Effect.provide(Positions, context)),
  );
});

layer(TestWaypost.layer)("Device location states", (it) => {
  it.effect("/events and /positions share one state: neither repeats a transition of the other (L9.4)", () =>
    Effect.gen(function* () {
      const { location, phone, production } = yield* damWorld();
      const campaign = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(campaign);
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, []);
      // A second reported enter counts.
      const again = yield* phone.sees("enter", location, { occurred_at: yield* fromNow(1000) });
      assert.deepStrictEqual([again.accepted, again.deliveries.length], [1, 1]);
      assert.deepStrictEqual((yield* phone.isAt(far)).moves, ["exit Dam"]);
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["enter Dam"]);
      const left = yield* phone.sees("exit", location, { occurred_at: yield* fromNow(3500) });
      assert.strictEqual(left.accepted, 1);
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["enter Dam"]);
    }),
  );

  it.effect("the state follows the latest transition, in any order of reports (L9.4)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* damWorld();
      // Exit at 20 s; enters at 10 s and 15 s are reported later and change nothing.
      yield* phone.sees("exit", location, { occurred_at: yield* fromNow(20_000) });
      yield* phone.report([
        { id: randomUUID(), type: "enter", location_id: location, occurred_at: yield* fromNow(15_000) },
        { id: randomUUID(), type: "enter", location_id: location, occurred_at: yield* fromNow(10_000) },
      ]);
      const at = (seconds: number, where: object) =>
        Effect.flatMap(fromNow(seconds * 1000), (recorded_at) => phone.reports([{ ...where, recorded_at }]));
      // A position from before the exit does not enter again.
      assert.deepStrictEqual((yield* at(19, inside)).moves, []);
      assert.deepStrictEqual((yield* at(21, inside)).moves, ["enter Dam"]);
      // Within one request the latest event decides; of several at one instant the last.
      const events = [
        { type: "exit", seconds: 30 },
        { type: "enter", seconds: 25 },
        { type: "exit", seconds: 30 },
        { type: "enter", seconds: 30 },
      ];
      yield* phone.report(
        yield* Effect.forEach(events, ({ seconds, type }) =>
          Effect.map(fromNow(seconds * 1000), (occurred_at) => ({
            id: randomUUID(),
            type,
            location_id: location,
            occurred_at,
          })),
        ),
      );
      assert.deepStrictEqual((yield* at(31, outside)).moves, ["exit Dam"]);
    }),
  );

  it.effect(
    "detected transitions count in reports like reported ones, and old ones fire nothing (L1, L9.6)",
    () =>
      Effect.gen(function* () {
        const { location, phone, platform, production } = yield* damWorld();
        const campaign = yield* production.campaign({ location_ids: [location], starts_at: "2026-11-21" });
        yield* production.notification(campaign);
        const old = yield* phone.reports([
          { ...inside, recorded_at: yield* fromNow(-15 * 60_000 - 1) },
          { ...outside, recorded_at: yield* fromNow(-15 * 60_000) },
        ]);
        assert.deepStrictEqual([old.moves, old.deliveries], [["enter Dam", "exit Dam"], []]);
        const fresh = yield* phone.reports([{ ...inside, recorded_at: yield* fromNow(-14 * 60_000) }]);
        assert.lengthOf(fresh.deliveries, 1);
        const { body } = yield* platform.production("/reports/locations");
        assert.deepStrictEqual([body.data[0].entries, body.data[0].exits], [2, 1], JSON.stringify(body.data));
      }),
  );

  it.effect("positions use imported locations at once, and a deleted location has no exit (L9.5)", () =>
    Effect.gen(function* () {
      const { platform, production } = yield* positionWorld();
      const phone = yield* production.tracked;
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, []);
      const [location] = yield* production.imports(pointFeature({ external_id: "1" }));
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["enter Dam"]);
      // When the location moves away, the next position leaves it; when it moves back, enters it.
      yield* production.imports(pointFeature({ external_id: "1" }, [...far]));
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["exit Dam"]);
      yield* production.imports({
        ...polygonFeature(box(4, 52, 5, 53)),
        properties: { name: "Dam", external_id: "1" },
      });
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["enter Dam"]);
      yield* platform.production(`/locations/${location}`, { method: "PATCH", body: { name: "Square" } });
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, []);
      yield* platform.production(`/locations/${location}`, { method: "DELETE" });
      assert.deepStrictEqual((yield* phone.isAt(far)).moves, []);
      const sql = yield* SqlClient.SqlClient;
      const [left] = yield* sql<{ rows: number }>`
        SELECT count(*)::int AS rows FROM device_location p JOIN device d ON d.key = p.device_key
          AND d.workspace_id = p.workspace_id AND d.environment = p.environment
        WHERE d.id = ${phone.id}`;
      assert.strictEqual(left?.rows, 0);
    }),
  );

  it.effect("the state belongs to one device of one environment", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* positionWorld();
      yield* production.imports(pointFeature());
      const [phone, other, tester] = [
        yield* production.tracked,
        yield* production.tracked,
        yield* sandbox.tracked,
      ];
      assert.deepStrictEqual((yield* tester.isAt(dam)).moves, []);
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, ["enter Dam"]);
      assert.deepStrictEqual((yield* other.isAt(far)).moves, []);
      assert.deepStrictEqual((yield* other.isAt(dam)).moves, ["enter Dam"]);
      assert.deepStrictEqual((yield* phone.isAt(dam)).moves, []);
    }),
  );

  it.effect(
    "a detected transition in Sandbox fires for approved test devices only, and counts for all (L9.6)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* positionWorld();
        const [location] = yield* sandbox.imports(pointFeature());
        const campaign = yield* sandbox.campaign({ location_ids: [location] });
        yield* sandbox.notification(campaign);
        const [tester, stranger] = [yield* sandbox.tracked, yield* sandbox.tracked];
        const sql = yield* SqlClient.SqlClient;
        yield* sql`UPDATE device SET approved = false WHERE id = ${stranger.id}`;
        assert.lengthOf((yield* tester.isAt(dam)).deliveries, 1);
        const seen = yield* stranger.isAt(dam);
        assert.deepStrictEqual([seen.moves, seen.deliveries], [["enter Dam"], []]);
      }),
  );

  it.effect("concurrent processes record each transition once, with the current locations (L5, L9.5)", () =>
    Effect.gen(function* () {
      const { location, phone, platform, production, workspace } = yield* damWorld();
      const campaign = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(campaign);
      const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
      const sql = yield* SqlClient.SqlClient;
      const [device] = yield* sql<{ key: number }>`SELECT key FROM device WHERE id = ${phone.id}`;
      /** The authenticated device, with the current version of the locations. */
      const arriving = Effect.map(
        sql<{ version: number }>`
            SELECT locations_version::float8 AS version FROM tenant
            WHERE workspace_id = ${workspaceId} AND environment = ${production.environment}`,
        ([tenant]) => ({
          workspaceId,
          workspace,
          environment: production.environment,
          deviceId: DeviceId(phone.id),
          deviceKey: DeviceKey(device?.key ?? 0),
          tokenDigest: new Uint8Array(32),
          locationsVersion: tenant?.version ?? 0,
          webhookEvents: [],
        }),
      );
      const caller = yield* arriving;
      const processes = yield* fourProcesses;
      let moves = 0;
      for (let round = 0; round < 12; round++) {
        const recorded_at = yield* fromNow((round + 1) * 1000);
        const where = round % 2 === 0 ? inside : outside;
        const outcomes = yield* Effect.forEach(
          processes,
          (process) =>
            Effect.flatMap(process, (positions) =>
              positions.report(caller, ParsedBody.of({ positions: [{ ...where, recorded_at }] })),
            ),
          { concurrency: "unbounded" },
        );
        assert.strictEqual(outcomes.flatMap(({ transitions }) => transitions).length, 1, `round ${round}`);
        assert.strictEqual(
          outcomes.reduce((sum, { accepted }) => sum + accepted, 0),
          1,
        );
        moves += outcomes.flatMap(({ deliveries }) => deliveries).length;
      }
      assert.strictEqual(moves, 6);
      // Each process finds the location that another has just imported, and its new shape (LO2).
      for (const [at, process] of processes.entries()) {
        const [added] = yield* production.imports(pointFeature({ name: `New ${at}` }));
        const movesAt = Effect.fnUntraced(function* (seconds: number) {
          const recorded_at = yield* fromNow(seconds * 1000);
          const late = yield* arriving;
          const outcome = yield* Effect.flatMap(process, (positions) =>
            positions.report(late, ParsedBody.of({ positions: [{ ...inside, recorded_at }] })),
          );
          return outcome.transitions
            .filter(({ location_id }) => location_id === added)
            .map(({ type }) => type);
        });
        assert.deepStrictEqual(yield* movesAt(20 + 2 * at), ["enter"], `process ${at}`);
        const body = { geometry: { type: "Point", coordinates: far }, radius_meters: 100 };
        yield* platform.production(`/locations/${added}/shape`, { method: "PUT", body });
        assert.deepStrictEqual(yield* movesAt(21 + 2 * at), ["exit"], `process ${at}`);
      }
    }),
  );

  it.effect("the state equals that of the positions in order, whichever process handles them", () =>
    Effect.gen(function* () {
      const { phone, production, workspace } = yield* damWorld();
      const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
      const sql = yield* SqlClient.SqlClient;
      const [device] = yield* sql<{ key: number }>`SELECT key FROM device WHERE id = ${phone.id}`;
      const caller = {
        workspaceId,
        workspace,
        environment: production.environment,
        deviceId: DeviceId(phone.id),
        deviceKey: DeviceKey(device?.key ?? 0),
        tokenDigest: new Uint8Array(32),
        locationsVersion: 1,
        webhookEvents: [],
      };
      const processes = yield* fourProcesses;
      let seconds = 0;
      for (let round = 0; round < 25; round++) {
        // Each process gets the next positions, in another order each round; two of four are inside.
        yield* Effect.forEach(
          processes,
          (process, at) =>
            Effect.flatMap(fromNow(++seconds * 1000), (recorded_at) =>
              Effect.flatMap(process, (positions) =>
                positions.report(
                  caller,
                  ParsedBody.of({
                    positions: [{ ...((round >> at) % 2 === 0 ? inside : outside), recorded_at }],
                  }),
                ),
              ),
            ),
          { concurrency: "unbounded" },
        );
        const events = yield* sql<{ type: string }>`
          SELECT type FROM geofence_event
          WHERE workspace_id = ${workspaceId} AND device_key = ${caller.deviceKey}
          ORDER BY occurred_at`;
        events.forEach(({ type }, at) =>
          assert.strictEqual(type, at % 2 === 0 ? "enter" : "exit", `round ${round}`),
        );
        // The last position of a round is never stale, so it decides.
        assert.strictEqual(events.at(-1)?.type === "enter", (round >> 3) % 2 === 0, `round ${round}`);
      }
    }),
  );
});
