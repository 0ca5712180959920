import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { lockDevice, lockWait } from "../../database/OnCitus.ts";
import { oneCampaign } from "../../events/EventWorld.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { experimentOf, personIn, variants } from "./ArmsWorld.ts";

/** A campaign with a notification, a phone whose person is not held out, and ways to take it off. */
const world = (notification: object = { variants }) =>
  Effect.gen(function* () {
    const made = yield* oneCampaign({ holdout_percent: 10 }, notification);
    const { campaignId, notificationId, production } = made;
    const user_id = personIn("b", campaignId, 10, notificationId);
    const phone = yield* production.phone(randomUUID(), { user_id });
    const path = `/campaigns/${campaignId}/notifications/${notificationId}`;
    const outcome = (method: string, of: string) =>
      Effect.map(production.platform(of, { method }), ({ body, status }) =>
        status === 200 ? 200 : [status, body.error.code, Object.keys(body.error.fields)],
      );
    return {
      ...made,
      phone,
      outcome,
      detach: outcome("POST", `${path}/detach`),
      remove: outcome("DELETE", path),
      attached: Effect.map(production.platform(path), ({ status }) => status === 200),
    };
  });

const running = [409, "experiment_running", ["notification"]];

/** Runs an effect while a transaction of another session holds what `hold` locks. */
const beside = <A>(
  hold: Effect.Effect<unknown, never, SqlClient.SqlClient>,
  work: Effect.Effect<A, never, SqlClient.SqlClient>,
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [held, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
    const holder = yield* hold.pipe(
      Effect.andThen(Deferred.succeed(held, undefined)),
      Effect.andThen(Deferred.await(go)),
      sql.withTransaction,
      Effect.forkChild,
    );
    yield* Deferred.await(held);
    const result = yield* work;
    yield* Deferred.succeed(go, undefined);
    yield* Fiber.join(holder);
    return result;
  }).pipe(Effect.orDie);

layer(TestWaypost.layer)("A notification with people in its variants", (it) => {
  it.effect("it stays on its campaign, after a stop, too, until the campaign is deleted (TR4)", () =>
    Effect.gen(function* () {
      const { attached, campaignId, detach, location, outcome, phone, production, remove } = yield* world();
      yield* phone.sees("enter", location);
      assert.deepStrictEqual([yield* detach, yield* remove], [running, running]);
      const stopped = yield* production.platform(`/campaigns/${campaignId}/experiment/stop`, {
        body: { winner: null },
      });
      assert.strictEqual(stopped.status, 200);
      assert.deepStrictEqual([yield* detach, yield* remove, yield* attached], [running, running, true]);
      assert.strictEqual(yield* outcome("DELETE", `/campaigns/${campaignId}`), 200);
      assert.isFalse(yield* attached);
    }),
  );

  it.effect("without variants, or while only others are enrolled, it leaves its campaign (TR4)", () =>
    Effect.gen(function* () {
      const plain = yield* world({});
      yield* plain.phone.sees("enter", plain.location);
      assert.lengthOf((yield* experimentOf(plain.campaignId)).enrolments, 1);
      assert.strictEqual(yield* plain.detach, 200);
      const held = yield* world();
      const user_id = personIn("holdout", held.campaignId, 10, held.notificationId);
      const other = yield* held.production.phone(randomUUID(), { user_id });
      yield* other.sees("enter", held.location);
      assert.lengthOf((yield* experimentOf(held.campaignId)).enrolments, 1);
      assert.strictEqual(yield* held.remove, 200);
    }),
  );

  it.effect("an enrolment that is about to commit is waited for (TR4)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { campaignId, detach, notificationId } = yield* world();
      const enrolling = sql`
        WITH locked AS MATERIALIZED (
          SELECT * FROM campaign WHERE id = ${campaignId} FOR KEY SHARE
        )
        INSERT INTO enrolment_count (workspace_id, environment, campaign_key, notification_key, arm, at,
          enrolled)
        SELECT c.workspace_id, c.environment, c.key, n.key, 'b', '2026-11-21T12:00Z', 1
        FROM locked c JOIN notification n ON n.id = ${notificationId}`.pipe(Effect.orDie);
      const detaching = yield* beside(
        enrolling,
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(detach);
          yield* Effect.raceFirst(Fiber.await(fiber), lockWait("%FROM campaign c%FOR UPDATE%"));
          return fiber;
        }),
      );
      assert.deepStrictEqual(yield* Fiber.join(detaching), running);
    }),
  );

  it.effect("an event that read it before it left enrols nobody in its variants (TR4)", () =>
    Effect.gen(function* () {
      const { campaignId, detach, location, phone } = yield* world();
      // The first use of a token locks the device, too.
      yield* phone.inbox();
      const [seeing, left] = yield* beside(
        lockDevice(phone.id),
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(phone.sees("enter", location));
          yield* lockWait("%WITH e AS%");
          return [fiber, yield* detach] as const;
        }),
      );
      yield* Fiber.join(seeing);
      assert.strictEqual(left, 200);
      assert.deepStrictEqual((yield* experimentOf(campaignId)).enrolments, []);
    }),
  );
});
