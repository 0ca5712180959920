import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { collection, pointFeature } from "./Features.ts";

const unbounded = { concurrency: "unbounded" } as const;

const sum = (answers: ReadonlyArray<Answer>, status: string): number =>
  answers.reduce((total, answer) => total + (answer.body.data.summary[status] as number), 0);

layer(TestWaypost.layer)("concurrent imports", (it) => {
  it.effect("concurrent imports of the same external ids create each location once (G4.5, import.4)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const ids = Array.from({ length: 50 }, (_, n) => `x-${n}`);
      const answers = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        (round) =>
          sandbox("/locations/import", {
            // The order differs, the new groups are the same.
            body: collection(
              ...ids
                .toSorted((a, b) => (a < b ? -1 : 1) * (round % 2 === 0 ? 1 : -1))
                .map((external_id, n) => pointFeature({ external_id, group: `G ${n % 5}` })),
            ),
          }),
        unbounded,
      );
      assert.deepStrictEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
      assert.deepStrictEqual([sum(answers, "created"), sum(answers, "updated")], [50, 250]);
      const { data, meta } = (yield* sandbox("/locations?limit=100")).body;
      assert.isNull(meta.next_cursor);
      assert.sameMembers(
        data.map((each: { external_id: string }) => each.external_id),
        ids,
      );
      const groups = (yield* sandbox("/location-groups")).body.data;
      assert.sameMembers(
        groups.map((each: { name: string }) => each.name),
        ["G 0", "G 1", "G 2", "G 3", "G 4"],
      );
    }),
  );

  it.effect("concurrent imports fill max_locations exactly and skip the rest (G6)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant({ plan: { max_locations: 25 } });
      const answers = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () =>
          sandbox("/locations/import", {
            body: collection(...Array.from({ length: 10 }, () => pointFeature())),
          }),
        unbounded,
      );
      assert.deepStrictEqual([sum(answers, "created"), sum(answers, "skipped")], [25, 35]);
      assert.strictEqual((yield* sandbox("/locations?limit=100")).body.data.length, 25);
    }),
  );

  it.effect("concurrent imports with one Idempotency-Key run once, with one response (J3, import.8)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const ask = { body: collection(pointFeature(), pointFeature()), headers: { "idempotency-key": "one" } };
      const all = Effect.forEach([1, 2, 3, 4], () => sandbox("/locations/import", ask), unbounded);
      // Duplicates wait on the test clock; the requests in between give the first import time to finish.
      const passing = Effect.forever(Effect.andThen(sandbox("/me"), TestClock.adjust("20 millis")));
      const answers = yield* Effect.raceFirst(all, passing);
      assert.strictEqual(
        answers.filter((each) => each.headers.get("idempotent-replayed") === "true").length,
        3,
      );
      for (const answer of answers) assert.deepStrictEqual(answer.body, answers[0]?.body);
      assert.strictEqual((yield* sandbox("/locations")).body.data.length, 2);
    }),
  );

  it.effect("an import that runs beside deletions never updates a deleted location (G4.5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const body = collection(
        ...Array.from({ length: 20 }, (_, n) => pointFeature({ external_id: `x-${n}`, group: "G" })),
      );
      const first = (yield* sandbox("/locations/import", { body })).body.data;
      const [again] = yield* Effect.all(
        [
          sandbox("/locations/import", { body }),
          Effect.forEach(
            first.results as ReadonlyArray<{ id: string }>,
            ({ id }) => sandbox(`/locations/${id}`, { method: "DELETE" }),
            unbounded,
          ),
        ],
        unbounded,
      );
      assert.strictEqual(again.status, 200);
      const { created, updated } = again.body.data.summary;
      assert.strictEqual(created + updated, 20);
      // Locations that the import created exist; those that it updated were deleted afterwards.
      const left = (yield* sandbox("/locations")).body.data;
      assert.strictEqual(left.length, created);
      assert.strictEqual((yield* sandbox("/location-groups")).body.data[0].location_count, created);
    }),
  );
});

layer(TestWaypost.layer)("large imports", (it) => {
  it.effect("an import creates 10,000 locations in 10,000 groups, and updates them all (G4.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const features = Array.from({ length: 10_000 }, (_, n) =>
        pointFeature({ name: `Store ${n}`, external_id: `s-${n}`, group: `Group ${n}` }),
      );
      const body = JSON.stringify(collection(...features));
      const first = yield* sandbox("/locations/import", { body });
      assert.deepStrictEqual([first.status, first.body.data?.summary.created], [200, 10_000]);
      const second = yield* sandbox("/locations/import", { body });
      assert.deepStrictEqual([second.status, second.body.data?.summary.updated], [200, 10_000]);
      const groups = (yield* sandbox("/location-groups?name=Group%2042")).body.data;
      assert.deepStrictEqual(
        groups.map((each: { name: string; location_count: number }) => [each.name, each.location_count]),
        [["Group 42", 1]],
      );
    }),
  );

  it.effect("group members are checked by primary keys, also before the tables have statistics", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      for (const table of ["location", "location_group"]) {
        // The foreign key check of PostgreSQL, once per row; a sequential scan took half a minute in all.
        const plan = yield* sql<{ "QUERY PLAN": string }>`
          EXPLAIN SELECT 1 FROM ONLY ${sql(table)} x
          WHERE workspace_id = 1 AND environment = 'sandbox'
            AND id = ${"01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"}
          FOR KEY SHARE OF x`;
        assert.include(plan.map((row) => row["QUERY PLAN"]).join("\n"), `${table}_pkey`);
      }
    }),
  );
});
