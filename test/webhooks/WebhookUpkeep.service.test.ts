import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { pruneWebhooks } from "../../src/webhooks/WebhookUpkeep.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { called, webhookWorld } from "./WebhookWorld.ts";

const day = 86_400_000;

layer(TestWaypost.layer)("Upkeep of webhooks", (it) => {
  it.effect("what was sent is kept for a day, what failed or waits for 7 days (N4.2, N4.4)", () =>
    Effect.gen(function* () {
      const { attempts, geo, make, platform, production, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const sql = yield* SqlClient.SqlClient;
      const counts = Effect.orDie(
        Effect.map(
          sql<{ readonly counts: ReadonlyArray<number> }>`
            SELECT ARRAY[(SELECT count(*) FROM webhook_event WHERE workspace_id = ${production.workspaceId}),
              (SELECT count(*) FROM webhook_call WHERE workspace_id = ${production.workspaceId}),
              (SELECT count(*) FROM webhook_attempt WHERE workspace_id = ${production.workspaceId})]::int[]
              AS counts`,
          ([row]) => row?.counts,
        ),
      );
      const { id } = yield* make({ events: ["location.entered"] });
      receiver.answer((_, number) => (number === 0 ? 200 : 500));
      yield* phone.sees("enter", location);
      yield* called;
      yield* phone.sees("enter", location);
      yield* called;
      // A third event waits: the webhook is disabled before it is sent.
      yield* phone.sees("enter", location);
      yield* platform(`/webhooks/${id}`, { method: "PATCH", body: { status: "disabled" } });
      assert.deepStrictEqual(yield* counts, [3, 1, 2]);
      yield* TestClock.setTime(testStart + day);
      yield* pruneWebhooks;
      assert.deepStrictEqual(yield* counts, [3, 1, 2]);
      yield* TestClock.setTime(testStart + day + 1);
      yield* pruneWebhooks;
      assert.deepStrictEqual(yield* counts, [1, 1, 1]);
      assert.deepInclude((yield* attempts(id))[0], { status_code: 500 });
      yield* TestClock.setTime(testStart + 7 * day + 1);
      yield* pruneWebhooks;
      assert.deepStrictEqual(yield* counts, [0, 0, 0]);
    }),
  );

  it.effect("the rows of a deleted webhook are removed (N1.7)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, production } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id } = yield* make({ events: ["location.entered"] });
      yield* phone.sees("enter", location);
      yield* platform(`/webhooks/${id}`, { method: "DELETE" });
      yield* pruneWebhooks;
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* Effect.orDie(sql`
        SELECT FROM webhook_event WHERE workspace_id = ${production.workspaceId}`);
      assert.lengthOf(rows, 0);
    }),
  );
});
