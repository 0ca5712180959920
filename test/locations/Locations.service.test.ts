import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import { TestClock } from "effect/testing";
import { LocationResource } from "../../src/locations/LocationResource.ts";
import { PageOf } from "../../src/wire/Envelope.ts";
import { type Ask, TestWaypost } from "../TestWaypost.ts";
import { box, collection, pointFeature, polygonFeature } from "./Features.ts";

type Asker = (path: string, ask?: Ask) => Effect.Effect<{ readonly body: any }>;

const importOne = (ask: Asker, feature: object): Effect.Effect<string> =>
  Effect.map(
    ask("/locations/import", { body: collection(feature) }),
    (answer) => answer.body.data.results[0].id as string,
  );

const Degrees = Schema.Tuple([
  Schema.Finite.check(Schema.isBetween({ minimum: -180, maximum: 180 })),
  Schema.Finite.check(Schema.isBetween({ minimum: -90, maximum: 90 })),
]);
const Geometry = Schema.Union([
  Schema.Struct({ type: Schema.Literal("Point"), coordinates: Degrees }),
  Schema.Struct({ type: Schema.Literal("Polygon"), coordinates: Schema.Array(Schema.Array(Degrees)) }),
]);

const missing = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

layer(TestWaypost.layer)("/locations", (it) => {
  it.effect(
    "PATCH changes the sent fields and keeps the others; null or blank clears (B4.3, G1.1, G1.2, G1.3)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const id = yield* importOne(sandbox, pointFeature({ external_id: "x" }));
        yield* TestClock.adjust("10 seconds");
        const patch = (body: unknown) => sandbox(`/locations/${id}`, { method: "PATCH", body });
        const named = yield* patch({ name: "  Dam Square ", address: "Dam 1", id: missing, created_at: "x" });
        assert.strictEqual(named.status, 200);
        assert.deepStrictEqual(
          [named.body.data.id, named.body.data.name, named.body.data.address, named.body.data.external_id],
          [id, "Dam Square", "Dam 1", "x"],
        );
        assert.notStrictEqual(named.body.data.updated_at, named.body.data.created_at);
        assert.deepStrictEqual((yield* sandbox(`/locations/${id}`)).body, named.body);
        const cleared = (yield* patch({ address: " ", external_id: null })).body.data;
        assert.deepStrictEqual(
          [cleared.name, cleared.address, cleared.external_id],
          ["Dam Square", null, null],
        );
      }),
  );

  it.effect(
    "PATCH reports every invalid field at once, in sentences (B4.1, B5.2, B5.3, locations.update_bad)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const id = yield* importOne(sandbox, pointFeature({}));
        const patch = (body: unknown) => sandbox(`/locations/${id}`, { method: "PATCH", body });
        for (const bad of [" ", null, 5, {}, [], true, "a\0", "\ud800", "x".repeat(256)]) {
          const answer = yield* patch({
            name: bad,
            address: bad === " " || bad === null ? 5 : bad,
            external_id: 7,
          });
          assert.strictEqual(answer.status, 422, JSON.stringify(bad));
          assert.sameMembers(Object.keys(answer.body.error.fields), ["name", "address", "external_id"]);
          for (const [sentence] of Object.values<[string]>(answer.body.error.fields)) {
            assert.match(sentence, /^The .+\.$/);
          }
        }
        assert.strictEqual((yield* patch({ name: "é".repeat(255), address: "😀".repeat(255) })).status, 200);
      }),
  );

  it.effect("PATCH rejects the external id of another location and accepts its own (G1.3)", () =>
    Effect.gen(function* () {
      const { production, sandbox } = yield* (yield* TestWaypost).tenant();
      const id = yield* importOne(sandbox, pointFeature({ external_id: "mine" }));
      const holder = yield* importOne(sandbox, pointFeature({ external_id: "taken" }));
      yield* importOne(production, pointFeature({ external_id: "elsewhere" }));
      const patch = (external_id: string) =>
        sandbox(`/locations/${id}`, { method: "PATCH", body: { external_id } });
      const taken = yield* patch(" taken ");
      assert.strictEqual(taken.status, 422);
      assert.include(taken.body.error.fields.external_id[0], holder);
      assert.strictEqual((yield* patch("mine")).status, 200);
      assert.strictEqual((yield* patch("elsewhere")).status, 200);
    }),
  );

  it.effect("of concurrent PATCH requests for one external id, one succeeds (G1.3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const ids = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => importOne(sandbox, pointFeature()));
      const answers = yield* Effect.forEach(
        ids,
        (id) => sandbox(`/locations/${id}`, { method: "PATCH", body: { external_id: "x" } }),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(
        answers.map((answer) => answer.status).toSorted((a, b) => a - b),
        [200, 422, 422, 422, 422, 422],
      );
    }),
  );

  it.effect("DELETE returns the id once, then 404, and frees the external id (A4.1, locations.delete)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const id = yield* importOne(sandbox, pointFeature({ external_id: "x", group: "G" }));
      const remove = sandbox(`/locations/${id}`, { method: "DELETE" });
      const deleted = yield* remove;
      assert.deepStrictEqual([deleted.status, deleted.body], [200, { data: { id, deleted: true } }]);
      assert.strictEqual((yield* remove).status, 404);
      assert.strictEqual((yield* sandbox(`/locations/${id}`)).status, 404);
      assert.strictEqual((yield* sandbox("/location-groups")).body.data[0].location_count, 0);
      assert.notStrictEqual(yield* importOne(sandbox, pointFeature({ external_id: "x" })), id);
    }),
  );

  it.effect(
    "a location of another tenant is not found, whatever the body (A2.1, B1.5, B2.3, service.ids)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { production, sandbox } = yield* waypost.tenant();
        const stranger = yield* waypost.tenant();
        const id = yield* importOne(sandbox, pointFeature({ external_id: "x" }));
        const asks: ReadonlyArray<readonly [Asker, string]> = [
          [production, id],
          [stranger.sandbox, id],
          [sandbox, missing],
          [sandbox, "nope"],
          [sandbox, "%00"],
          [sandbox, `${id}0`],
        ];
        for (const [ask, at] of asks) {
          for (const options of [
            {},
            { method: "PATCH", body: { name: 5 } },
            { method: "PATCH", body: "[" },
            { method: "DELETE" },
          ]) {
            const answer = yield* ask(`/locations/${at}`, options);
            assert.strictEqual(answer.body.error.code, "not_found", `${JSON.stringify(options)} ${at}`);
          }
        }
        assert.deepStrictEqual((yield* production("/locations")).body.data, []);
        // In the other environment, the same external id is another location.
        const other = yield* production("/locations/import", {
          body: collection(pointFeature({ external_id: "x" })),
        });
        assert.strictEqual(other.body.data.results[0].status, "created");
        assert.strictEqual((yield* sandbox(`/locations/${id.toUpperCase()}`)).body.data.id, id);
      }),
  );

  it.effect(
    "updated_since lists what was updated then or later (D3, lists.bad, lists.updated_since, locations.list)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        const old = yield* importOne(sandbox, pointFeature({ name: "old" }));
        yield* TestClock.adjust("1 hour");
        const young = yield* importOne(sandbox, pointFeature({ name: "young" }));
        const { updated_at } = (yield* sandbox(`/locations/${young}`)).body.data;
        const ids = (since: string) =>
          Effect.map(sandbox(`/locations?updated_since=${encodeURIComponent(since)}`), (answer) =>
            answer.body.data.map((each: { id: string }) => each.id),
          );
        assert.deepStrictEqual(yield* ids(updated_at), [young]);
        assert.deepStrictEqual(yield* ids("2026-11-21"), [young, old]);
        assert.deepStrictEqual(yield* ids("2030-01-01T00:00:00+02:00"), []);
        yield* TestClock.adjust("1 hour");
        yield* sandbox(`/locations/${old}`, { method: "PATCH", body: { name: "renewed" } });
        assert.deepStrictEqual(yield* ids(updated_at), [young, old]);
        const bad = yield* sandbox("/locations?updated_since=yesterday&limit=0");
        assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
        assert.sameMembers(Object.keys(bad.body.error.fields), ["updated_since", "limit"]);
        assert.match(
          bad.body.error.fields.updated_since[0],
          /^The earliest update must be a date-time such as /,
        );
      }),
  );

  it.effect("the list and the single location match their schemas (locations.fields)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const body = collection(pointFeature({ group: "G", external_id: 1 }), polygonFeature(box(0, 0, 2, 1)));
      yield* sandbox("/locations/import", { body });
      const list = (yield* sandbox("/locations")).body;
      const { data } = yield* Schema.decodeUnknownEffect(PageOf(LocationResource))(list);
      assert.deepStrictEqual(
        data.map((each) => each.type),
        ["polygon", "circle"],
      );
      // The list is sent as the database builds it, a single location through its schema.
      for (const each of data) {
        assert.deepStrictEqual((yield* sandbox(`/locations/${each.id}`)).body.data, each);
        yield* Schema.decodeUnknownEffect(Geometry)(each.geometry);
      }
    }),
  );

  it.effect("a retried PATCH or DELETE under its key gets the first response (B1.4, J1, idempotency.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const id = yield* importOne(sandbox, pointFeature());
      const headers = { "idempotency-key": "k" };
      const patched = yield* sandbox(`/locations/${id}`, { method: "PATCH", body: { name: "A" }, headers });
      const again = yield* sandbox(`/locations/${id}`, { method: "PATCH", body: { name: "B" }, headers });
      assert.deepStrictEqual(again.body, patched.body);
      assert.strictEqual((yield* sandbox(`/locations/${id}`)).body.data.name, "A");
      const ask = { method: "DELETE", headers: { "idempotency-key": "d" } };
      const deleted = yield* sandbox(`/locations/${id}`, ask);
      const replayed = yield* sandbox(`/locations/${id}`, ask);
      assert.deepStrictEqual([replayed.status, replayed.body], [200, deleted.body]);
    }),
  );

  it.effect(
    "locations:read and locations:write do not include each other (C1.1, C2, groups.list, locations.list)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const reader = yield* waypost.tenant({ abilities: ["locations:read"] });
        const refused = yield* reader.sandbox("/locations/import", { body: collection() });
        assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "missing_ability"]);
        assert.strictEqual((yield* reader.sandbox("/location-groups")).status, 200);
        const writer = yield* waypost.tenant({ abilities: ["locations:write"] });
        assert.strictEqual((yield* writer.sandbox("/locations/import", { body: collection() })).status, 200);
        for (const path of ["/locations", "/location-groups"]) {
          assert.strictEqual((yield* writer.sandbox(path)).status, 403, path);
        }
      }),
  );
});
