import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { oneCampaign } from "../../events/EventWorld.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { at, batch, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { sendWorld } from "../sends/SendWorld.ts";
import { experimentOf, personIn, variants } from "./ArmsWorld.ts";

const goal = { type: "clicked", within_hours: 24 };

/** A geo campaign with an experiment, and changes of it. */
const world = Effect.gen(function* () {
  const made = yield* oneCampaign({ holdout_percent: 10, goal }, { variants });
  const { campaignId, location, notificationId, production } = made;
  // A person who is not held out is enrolled in the notification, too.
  const user_id = personIn("b", campaignId, 10, notificationId);
  const phone = yield* production.phone(randomUUID(), { user_id });
  const note = { name: "Note", type: "message", headline: "Hello", body: "World", trigger_type: "on_enter" };
  const fields = { type: "geo", timezone: "UTC", starts_at: "2026-11-21", location_ids: [location] };
  const patch = (path: string, body: object) => production.platform(path, { method: "PATCH", body });
  const fieldsOf = Effect.map((answer: { readonly status: number; readonly body: any }) =>
    answer.status === 200
      ? answer.body.data
      : [answer.status, answer.body.error.code, Object.keys(answer.body.error.fields ?? {}).toSorted()],
  );
  return {
    ...made,
    phone,
    campaign: (more: object) =>
      fieldsOf(patch(`/campaigns/${campaignId}`, { name: "Renamed", ...fields, ...more })),
    notification: (more: object) =>
      fieldsOf(patch(`/campaigns/${campaignId}/notifications/${notificationId}`, { ...note, ...more })),
    content: (more: object) => fieldsOf(patch(`/notifications/${notificationId}`, { ...note, ...more })),
  };
});

const running = (...fields: ReadonlyArray<string>) => [409, "experiment_running", fields];

layer(TestWaypost.layer)("Changes of an experiment", (it) => {
  it.effect("before anybody is enrolled everything can change (U7)", () =>
    Effect.gen(function* () {
      const { campaign, notification } = yield* world;
      const changed = yield* campaign({ holdout_percent: 20 });
      assert.deepStrictEqual([changed.holdout_percent, changed.goal], [20, null]);
      const other = [{ key: "c", weight: 1 }];
      assert.strictEqual((yield* notification({ variants: other })).variants[0].key, "c");
      assert.deepStrictEqual((yield* notification({})).variants, []);
    }),
  );

  it.effect(
    "while units are enrolled, holdout and goal are fixed (U7, Z11, Z13, errors.experiment_running)",
    () =>
      Effect.gen(function* () {
        const { campaign, location, phone } = yield* world;
        yield* phone.sees("enter", location);
        const kept = yield* campaign({});
        assert.deepStrictEqual([kept.name, kept.holdout_percent, kept.goal], ["Renamed", 10, goal]);
        const same = yield* campaign({ holdout_percent: 10, goal });
        assert.deepStrictEqual([same.holdout_percent, same.goal], [10, goal]);
        assert.deepStrictEqual(yield* campaign({ holdout_percent: 11 }), running("holdout_percent"));
        assert.deepStrictEqual(yield* campaign({ goal: null }), running("goal"));
        const both = { holdout_percent: null, goal: { ...goal, within_hours: 25 } };
        assert.deepStrictEqual(yield* campaign(both), running("goal", "holdout_percent"));
      }),
  );

  it.effect("the split of variants is fixed on every path, and their texts are not (U7, Z11)", () =>
    Effect.gen(function* () {
      const { content, location, notification, phone } = yield* world;
      yield* phone.sees("enter", location);
      const [variant] = variants;
      const mended = yield* notification({ variants: [{ ...variant, headline: "Mended" }] });
      assert.strictEqual(mended.variants[0].headline, "Mended");
      assert.strictEqual((yield* notification({ headline: "New" })).variants[0].headline, "Mended");
      assert.strictEqual((yield* content({})).variants[0].headline, "Mended");
      for (const other of [
        null,
        [],
        [{ ...variant, weight: 49 }],
        [{ ...variant, key: "c" }],
        [...variants, { key: "c", weight: 1 }],
      ]) {
        assert.deepStrictEqual(yield* notification({ variants: other }), running("variants"));
        assert.deepStrictEqual(yield* content({ variants: other }), running("variants"));
      }
    }),
  );

  it.effect("variants that are kept are checked by what the notification becomes (U1, Z11)", () =>
    Effect.gen(function* () {
      const { content, location, notification, phone } = yield* world;
      yield* phone.sees("enter", location);
      const invalid = (field: string) => [422, "validation_failed", [field]];
      const [variant] = variants;
      const push = { silent: true };
      yield* notification({ variants: [{ ...variant, headline: "Hi {{ name }}", push }] });
      for (const change of [notification, content]) {
        assert.strictEqual((yield* change({ headline: "New" })).variants[0].headline, "Hi {{ name }}");
        assert.deepStrictEqual(yield* change({ template: "liquid" }), invalid("variants.0.headline"));
        const questions = [{ question_text: "Well?", type: "BOOLEAN" }];
        assert.deepStrictEqual(
          yield* change({ type: "survey", questions }),
          invalid("variants.0.push.silent"),
        );
      }
    }),
  );

  it.effect("a notification gets no variants once its campaign has enrolled somebody (U7)", () =>
    Effect.gen(function* () {
      const { campaignId, location, phone, production } = yield* oneCampaign({ holdout_percent: 10 });
      const list = yield* production.platform(`/campaigns/${campaignId}/notifications`);
      yield* phone.sees("enter", location);
      const { id, name, type, headline, body, trigger_type } = list.body.data[0];
      const answer = yield* production.platform(`/campaigns/${campaignId}/notifications/${id}`, {
        method: "PATCH",
        body: { name, type, headline, body, trigger_type, variants },
      });
      assert.deepStrictEqual([answer.status, answer.body.error?.code], [409, "experiment_running"]);
    }),
  );

  it.effect("after a stop everybody gets the winner's words, and nobody is enrolled (Z12)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { campaignId, location, notificationId, phone, production } = yield* world;
      yield* phone.sees("enter", location);
      const before = yield* experimentOf(campaignId);
      const stop = (winner: string | null, keepHoldout: boolean) =>
        sql`UPDATE campaign SET experiment_stopped_at = '2026-11-21T12:00Z', keep_holdout = ${keepHoldout},
          holdout_percent = 50, winner_key = ${winner},
          winner_notification_id = CASE WHEN ${winner !== null}::boolean THEN ${notificationId}::uuid END
          WHERE id = ${campaignId}`;
      const crowd = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () => production.phone());
      const headlines = Effect.map(
        Effect.forEach(crowd, (each) => each.sees("enter", location)),
        (all) =>
          all.flatMap(({ deliveries }) => deliveries.map(({ headline, variant }) => [headline, variant])),
      );
      yield* stop("b", false);
      assert.deepStrictEqual(
        yield* headlines,
        crowd.map(() => ["Hello B", null]),
      );
      const [first] = yield* Effect.forEach(crowd, (each) => each.inbox());
      assert.strictEqual(first?.[0].headline, "Hello B");
      yield* stop(null, false);
      assert.deepStrictEqual(
        yield* headlines,
        crowd.map(() => ["Hello", null]),
      );
      yield* stop("control", true);
      const kept = yield* headlines;
      assert.isTrue(kept.length < 8 && kept.every(([headline]) => headline === "Hello"));
      const after = yield* experimentOf(campaignId);
      assert.deepStrictEqual([after.enrolments, after.counts], [before.enrolments, before.counts]);
    }),
  );
});

layer(manualWorkers)("Changes of the experiment of a send", (it) => {
  it.effect(
    "from its start a send has a fixed split, and a stop holds from its next batch on (U7, Z12)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const { production } = yield* sendWorld();
        yield* production.crowd(30);
        const campaign = yield* production.push({ holdout_percent: 50 });
        const notification = yield* production.sent(campaign, "12:30", { variants });
        yield* at("2026-11-21T12:30:00Z");
        yield* start;
        const body = { name: "Note", type: "message", headline: "Hello", body: "World", variants: [] };
        const refused = yield* production.platform(`/notifications/${notification}`, {
          method: "PATCH",
          body,
        });
        assert.strictEqual(refused.body.error?.code ?? refused.status, "experiment_running");
        yield* batch;
        yield* sql`UPDATE campaign SET experiment_stopped_at = '2026-11-21T12:30Z', keep_holdout = false,
        winner_notification_id = ${notification}, winner_key = 'b' WHERE id = ${campaign}`;
        yield* drain;
        const { deliveries, enrolments } = yield* experimentOf(campaign);
        assert.lengthOf(enrolments, 10);
        assert.lengthOf(
          deliveries.filter(({ variant }) => variant === null),
          20,
        );
        const winners = yield* sql<{ readonly count: number }>`
        SELECT count(*)::int AS count FROM delivery WHERE winner = 'b' AND variant IS NULL`;
        assert.strictEqual(winners[0]?.count, 20);
      }),
  );
});
