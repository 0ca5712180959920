import { assert, describe, it, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { arrayOf } from "../../src/database/Rows.ts";
import { assumeDistributed } from "../../src/database/citus/IsDistributed.ts";
import { distributedTables } from "../../src/database/citus/DistributedTables.ts";
import { CustomEvents } from "../../src/events/custom/CustomEvents.ts";
import { Retention } from "../../src/reports/retention/Retention.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { Pacing } from "../../src/sending/pacing/Pacing.ts";
import { HeldDeliveries } from "../../src/sending/sends/holding/HeldDeliveries.ts";
import { decide } from "../events/DwellWorld.ts";
import { everyEndpoint } from "../matrices/Endpoints.ts";
import { exampleOf, send } from "../matrices/Examples.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "../matrices/MatrixFixture.ts";
import { at, drain, start } from "../sending/ManualWorkers.ts";
import { Connections, overCutConnections } from "../sending/sends/SimulationWorld.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { testStart } from "../TestWaypost.ts";
import { changedTables, problemsOf } from "./DistributedStatements.ts";
import { isOnCitus } from "./OnCitus.ts";

describe("Problems of statements on distributed tables", () => {
  const cases: ReadonlyArray<readonly [string, number]> = [
    ["SELECT 1 FROM delivery d WHERE d.workspace_id = $1 AND d.environment = $2", 0],
    ["SELECT 1 FROM workspace w WHERE w.id = 1 RETURNING now()", 0],
    ["SELECT 1 FROM delivery d JOIN k ON d.workspace_id = k.workspace_id", 1],
    ["DELETE FROM dwell w WHERE w.ctid = ANY (ARRAY(SELECT 1))", 2],
    ["UPDATE device SET approved = true WHERE workspace_id = $1 RETURNING to_char(last_seen_at, 'Y')", 1],
    ["WITH c AS (UPDATE device SET approved = true WHERE workspace_id = $1 RETURNING *) SELECT now()", 0],
  ];
  it("the tables that a statement changes are found, and rows that it locks are none (running.citus)", () => {
    const { distributed, plain } = changedTables(
      'WITH a AS (DELETE FROM push_queue q USING o), b AS (UPDATE "send" s SET held = 0), c AS (' +
        "SELECT FROM device FOR NO KEY UPDATE), d AS (SELECT FROM campaign FOR UPDATE OF campaign) " +
        "INSERT INTO delivery SELECT 1 ON CONFLICT (id) DO UPDATE SET status = 'sent'",
    );
    assert.deepStrictEqual([distributed, plain], [["push_queue", "delivery"], ["send"]]);
  });

  it("a workspace that is missing, a mutable function in RETURNING and a ctid are found", () => {
    for (const [statement, count] of cases) assert.lengthOf(problemsOf(statement), count, statement);
  });
});

// The statements of a distributed database, on one that is none.
const assumed = Layer.effectDiscard(Effect.map(SqlClient.SqlClient, assumeDistributed)).pipe(
  Layer.provideMerge(overCutConnections),
);

layer(assumed)("Statements on distributed tables", (it) => {
  it.effect(
    "every statement of requests and jobs is one that a distributed table takes (running.citus)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const { shardStatements, singleStatements, statements } = yield* Connections;
        const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
        for (const endpoint of everyEndpoint)
          yield* send(fixture, endpoint, yield* exampleOf(endpoint).request(fixture));
        const { production } = yield* sendWorld();
        yield* production.crowd(20);
        yield* production.sent(yield* production.push({}), "12:30");
        yield* production.sent(yield* production.push({ max_per_minute: 10 }), "12:30");
        const experiment = {
          holdout_percent: 50,
          quiet_hours: { from: "12:00", to: "13:00", action: "hold" },
        };
        const variants = [{ key: "b", weight: 50 }];
        yield* production.sent(yield* production.push(experiment), "12:30", { variants });
        const location = yield* production.location();
        const geo = yield* production.campaign({ location_ids: [location], holdout_percent: 10 });
        yield* production.notification(geo, { variants });
        const event = {
          id: randomUUID(),
          type: "enter",
          location_id: location,
          occurred_at: "2026-11-21T12:00:00Z",
        };
        const device = yield* production.device(randomUUID());
        yield* device.ask("/events", { body: { events: [event] } });
        yield* production.platform(`/campaigns/${geo}`, { method: "PATCH", body: { holdout_percent: 11 } });
        yield* at("2026-11-21T12:30:00Z");
        yield* start;
        yield* drain;
        yield* decide;
        yield* Effect.flatMap(HeldDeliveries, ({ releaseDue }) => releaseDue);
        yield* Effect.flatMap(Pacing, ({ releaseDue }) => releaseDue);
        yield* Effect.flatMap(CustomEvents, ({ prune }) => prune);
        yield* Effect.provide(
          Effect.flatMap(Rollups, ({ step }) => Effect.repeat(step, { while: (isMore) => isMore })),
          Rollups.layer,
        );
        yield* Effect.provide(
          Effect.flatMap(Retention, ({ compact }) =>
            Effect.andThen(compact("deliveries", testStart + 1e9), compact("events", testStart + 1e9)),
          ),
          Retention.layer,
        );
        assert.isAbove(statements.size, 200);
        const problems = [...statements].flatMap((statement) =>
          problemsOf(statement).map((problem) => `${problem}: ${statement.replaceAll(/\s+/g, " ")}`),
        );
        assert.deepStrictEqual(problems, []);
        // Only a transaction commits in two phases.
        const half = [...singleStatements].filter((statement) => {
          const { distributed, plain } = changedTables(statement);
          return distributed.length > 0 && plain.length > 0;
        });
        assert.deepStrictEqual(half, []);
        // A worker has shards, which have numbers, and no plain table.
        const all = yield* sql<{ readonly name: string }>`
          SELECT c.relname AS name FROM pg_class c
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')`;
        const onCoordinator = new RegExp(
          `\\b(?:FROM|JOIN|INTO|UPDATE|USING)\\s+"?(?:${all.map(({ name }) => name).join("|")})\\b`,
        );
        assert.isAbove(shardStatements.size, 4);
        assert.deepStrictEqual(
          [...shardStatements].filter((statement) => onCoordinator.test(statement)),
          [],
        );
      }),
  );

  it.effect("no trigger is on a distributed table but those that distributing drops (running.citus)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const triggers = yield* sql<{ readonly name: string }>`
        SELECT g.tgname AS name FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
        WHERE NOT g.tgisinternal AND t.relname = ANY (${arrayOf("text", [...distributedTables])}) ORDER BY 1`;
      assert.deepStrictEqual(
        triggers.map(({ name }) => name),
        isOnCitus()
          ? []
          : ["delivery_changed_after_settling", "geofence_event_changed", "survey_response_moved"],
      );
    }),
  );
});
