import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { OccurrencePlanner } from "../../../src/campaigns/recurrence/OccurrencePlanner.ts";
import { lockWait } from "../../database/OnCitus.ts";
import { at, manualWorkers } from "../ManualWorkers.ts";
import { recurringWorld } from "./RecurringWorld.ts";

layer(manualWorkers)("The planning of dates beside other changes", (it) => {
  it.effect("a date that is planned while its notification is taken off is cancelled, too (L3.3)", () =>
    Effect.gen(function* () {
      const { campaignId, notificationId, remove, sends } = yield* recurringWorld("FREQ=DAILY");
      const sql = yield* SqlClient.SqlClient;
      const { planDue } = yield* OccurrencePlanner;
      yield* at("2026-11-22T00:00:00Z");
      // An uncommitted row of the date that comes holds up the planner, which has read the notifications.
      const held = yield* Deferred.make<void>();
      const go = yield* Deferred.make<void>();
      const holder = yield* Effect.gen(function* () {
        yield* sql`
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
            notification_key, occurrence, due_at, status)
          SELECT workspace_id, environment, gen_random_uuid(), campaign_id, campaign_key, notification_id,
            notification_key, '2026-12-27', due_at, 'scheduled'
          FROM send WHERE campaign_id = ${campaignId} LIMIT 1`;
        yield* Deferred.succeed(held, undefined);
        yield* Deferred.await(go);
        return yield* Effect.interrupt;
      }).pipe(sql.withTransaction, Effect.exit, Effect.forkChild);
      yield* Deferred.await(held);
      const planning = yield* Effect.forkChild(planDue);
      yield* lockWait("%INSERT INTO send%");
      const removing = yield* Effect.forkChild(remove(`${campaignId}/notifications/${notificationId}`));
      yield* Effect.raceFirst(Fiber.await(removing), lockWait("%SELECT FROM campaign c%"));
      yield* Deferred.succeed(go, undefined);
      yield* Fiber.join(holder);
      yield* Fiber.join(planning);
      assert.strictEqual((yield* Fiber.join(removing)).status, 200);
      assert.deepStrictEqual(
        (yield* sends).filter((send) => !send.endsWith("cancelled")),
        [],
      );
    }),
  );
});
