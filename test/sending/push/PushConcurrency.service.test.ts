import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { eventually } from "../../Eventually.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { pushed, pushing } from "./PushWorld.ts";
import { moveTo, sendWorld } from "../sends/SendWorld.ts";

layer(TestWaypost.layer)("Concurrent pushes", (it) => {
  it.effect("a push never waits for a connection: every started one reaches a slow provider (L3)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const count = 150;
      const { production, waypost, workspace } = yield* sendWorld();
      yield* waypost.operator(`/workspaces/${workspace.id}/production/transports/fcm`, {
        method: "PUT",
        body: service.credentials,
      });
      yield* production.crowd(count);
      const sql = yield* SqlClient.SqlClient;
      yield* Effect.orDie(sql`
        UPDATE device SET transport = 'fcm', address = (('{"token":"device-' || key::text || '"}')::jsonb)
        WHERE workspace_id = ${production.workspaceId} AND environment = 'production'`);
      yield* production.sent(yield* production.push(), "12:30");
      service.answer((number) => (number < count ? "hang" : "accept"));
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* pushing;
      yield* service.arrived(count);
      assert.lengthOf(service.ledger, count);
      yield* TestClock.adjust("10 seconds");
      yield* pushed;
      // The last of the hanging requests may end after the others are due again.
      yield* eventually(
        Effect.gen(function* () {
          yield* TestClock.adjust("2 seconds");
          yield* pushed;
          return ((yield* production.sends()) as any)[0].status === "done";
        }),
      );
      const [send] = (yield* production.sends()) as any;
      assert.deepInclude(send, { status: "done", delivered: count });
    }),
  );
});
