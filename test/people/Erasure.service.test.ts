import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { completeErasures } from "../../src/people/Erasures.ts";
import { captured, logged } from "../CapturedLog.ts";
import { rollUp } from "../reports/rollups/StoredRollups.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { called, webhookWorld } from "../webhooks/WebhookWorld.ts";
import { namesOf, personWorld, traces, userId } from "./PersonWorld.ts";

layer(TestWaypost.layer.pipe(Layer.provideMerge(captured)))("Erasure", (it) => {
  it.effect("after an erasure no row names the person, and every report is as before (Q3.2, Q3.3)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const world = yield* personWorld;
      const { make, operator, phone, platform, receiver, tablet, workspace } = world;
      // Calls that fail, events that wait, and responses and activity that name the devices.
      receiver.answer(() => 500);
      yield* make();
      yield* make({ batch: true });
      yield* world.failedPush;
      yield* Effect.forEach([phone, tablet, world.other], (device) =>
        platform(`/devices/${device.id}`, {
          method: "PATCH",
          body: { approved: false },
          headers: { "idempotency-key": randomUUID() },
        }),
      );
      for (const device of [phone, tablet, world.other]) {
        yield* device.ask("/devices/me", { method: "PATCH", body: { subscribed: false } });
        yield* device.sees("enter", world.location);
      }
      yield* called;
      for (const device of [phone, tablet]) {
        yield* device.ask("/devices/me", { method: "PATCH", body: { subscribed: true } });
      }
      yield* platform(`/devices/${phone.id}`, { method: "PATCH", body: { approved: true } });
      const names = namesOf([phone, tablet]);
      assert.includeMembers(
        (yield* world.tablesWith(names)).map((each) => each.split(":")[0]),
        [
          "device",
          "delivery",
          "survey_response",
          "webhook_call",
          "activity",
          "idempotent_response",
          "segment",
        ],
      );
      const before = yield* world.reports;
      const counted = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook_call`;

      logged.length = 0;
      assert.deepStrictEqual(yield* world.erase, [200, { devices: 2 }]);
      const remaining = (yield* world.tablesWith(names)).filter((each) => !each.startsWith("erasure:"));
      assert.deepStrictEqual(remaining, []);
      assert.deepStrictEqual(yield* world.reports, before);
      yield* rollUp;
      assert.deepStrictEqual(yield* world.reports, before);
      yield* TestClock.adjust("35 seconds");
      yield* completeErasures;
      assert.deepStrictEqual(yield* world.tablesWith(names), []);
      yield* rollUp;
      assert.deepStrictEqual(yield* world.tablesWith(names), []);
      assert.deepStrictEqual(yield* world.reports, before);

      // Rows of others are still there.
      assert.isNotEmpty(yield* world.tablesWith(["zother text"]));
      const left = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook_call`;
      assert.isBelow(left[0]?.count ?? 0, counted[0]?.count ?? 0);
      assert.isAbove(left[0]?.count ?? 0, 0);
      const summary = yield* platform("/reports/summary?start=2026-11-21&end=2026-11-21");
      assert.strictEqual(summary.body.data.totals.registered_devices, 1);
      // The log says that somebody was erased, and not who.
      const lines = logged.filter((line) => line.includes("has erased a person"));
      assert.lengthOf(lines, 1);
      const named = logged.filter((line) => [...names, "zzuser"].some((each) => line.includes(each)));
      assert.deepStrictEqual(named, []);
      const { body } = yield* operator(`/workspaces/${workspace.id}/production/activity?resource=person`);
      assert.deepInclude(body.data[0], {
        action: "delete",
        resource: { type: "person", id: null, name: null },
      });
      assert.deepStrictEqual(body.data[0].changes.devices, { old: 2, new: null });
    }),
  );

  it.effect("messages on a device that is somebody else's now lose the words of the person (Q3.2, X31)", () =>
    Effect.gen(function* () {
      const world = yield* webhookWorld;
      const { production, waypost, workspace } = world;
      const location = yield* production.location();
      const campaign = yield* production.campaign({ location_ids: [location] });
      const headline = "Hello {{ device.attributes.name }}!";
      yield* production.notification(campaign, { template: "liquid", headline });
      const user_id = randomUUID();
      const phone = yield* production.phone(randomUUID(), { user_id, attributes: { name: "Anna" } });
      yield* phone.sees("enter", location);
      const next = { user_id: randomUUID(), attributes: { name: "Ben" } };
      yield* phone.ask("/devices/me", { method: "PATCH", body: next });
      yield* phone.sees("exit", location);
      yield* phone.sees("enter", location);
      const heads = Effect.map(phone.inbox(), (all) => all.map((message) => message.headline));
      assert.deepStrictEqual(yield* heads, ["Hello Ben!", "Hello Anna!"]);
      yield* waypost.operator(`/workspaces/${workspace.id}/production/people/${user_id}`, {
        method: "DELETE",
      });
      assert.deepStrictEqual(yield* heads, ["Hello Ben!", "Hello !"]);
    }),
  );

  it.effect("answers to test sends and visits that wait are erased (Q3.2)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { campaign, location, notification, operator, person, phone, platform, production } = world;
      const sql = yield* SqlClient.SqlClient;
      yield* production.notification(campaign, { trigger_type: "on_dwell", trigger_config: { minutes: 10 } });
      for (const device of [phone, world.other]) yield* device.sees("enter", location);
      const test = yield* platform(`/campaigns/${campaign}/notifications/${notification}/test`, {
        body: { device_ids: [phone.id] },
      });
      const [delivery] = test.body.data.deliveries;
      const [message] = yield* phone.inbox();
      const answers = [{ question_id: message.questions[0].id, value: "zzanswer to a test" }];
      yield* phone.ask(`/messages/${delivery.id}/answers`, { body: { answers } });
      const visits = Effect.map(sql`SELECT FROM dwell`, ({ length }) => length);
      const tests = world.tablesWith(["zzanswer to a test"]);
      assert.deepStrictEqual([yield* visits, yield* tests], [2, ["test_response: zzanswer to a test"]]);
      assert.include(JSON.stringify((yield* operator(person)).body), "zzanswer to a test");
      yield* world.erase;
      assert.deepStrictEqual([yield* visits, yield* tests], [1, []]);
    }),
  );

  it.effect("open texts become null and stay answered; choices and numbers stay (Q3.3)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { campaign, notification, platform } = world;
      const answers = Effect.map(
        platform(`/campaigns/${campaign}/notifications/${notification}/answers`),
        ({ body }) => body.data.map((each: any) => each.answers.map(({ value }: any) => value)),
      );
      assert.lengthOf(yield* answers, 3);
      yield* world.erase;
      const values: Array<ReadonlyArray<unknown>> = yield* answers;
      assert.sameDeepMembers(values, [
        [null, "Fish", 12.5],
        [null, "Fish", 12.5],
        ["zother text", "Fish", 12.5],
      ]);
    }),
  );

  it.effect("erasing again changes nothing, and nobody is erased with success (Q3.5)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { operator, other, people, person, phone } = world;
      yield* world.erase;
      assert.deepStrictEqual(yield* world.erase, [200, { devices: 0 }]);
      const nobody = yield* operator(`${people}/nobody`, { method: "DELETE" });
      assert.deepStrictEqual([nobody.status, nobody.body.data], [200, { devices: 0 }]);
      assert.strictEqual((yield* operator(person)).status, 404);
      assert.strictEqual((yield* phone.ask("/messages")).status, 401);
      assert.strictEqual((yield* other.ask("/messages")).status, 200);
      // The installation that comes back is another device.
      const again = yield* world.production.register(traces.installation);
      assert.strictEqual(again.status, 201);
      assert.notStrictEqual(again.body.data.id, phone.id);
    }),
  );

  it.effect("one device is erased alone, also one that has unregistered (Q3.6)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { operator, people, person, phone, tablet } = world;
      yield* phone.ask("/devices/me", { method: "DELETE" });
      const path = people.replace("people", "devices");
      const erased = (id: string) =>
        Effect.map(operator(`${path}/${id}`, { method: "DELETE" }), ({ body, status }) => [
          status,
          body.data,
        ]);
      assert.deepStrictEqual(yield* erased(phone.id), [200, { devices: 1 }]);
      assert.deepStrictEqual(yield* erased(phone.id), [200, { devices: 0 }]);
      assert.deepStrictEqual(yield* erased(randomUUID()), [200, { devices: 0 }]);
      const { installation, text, token } = traces;
      assert.deepStrictEqual(
        (yield* world.tablesWith([installation, text, token, phone.id])).filter(
          (each) => !each.startsWith("erasure"),
        ),
        [],
      );
      const left = yield* operator(person);
      assert.deepStrictEqual(
        left.body.data.devices.map(({ id }: any) => id),
        [tablet.id],
      );
    }),
  );

  it.effect("what a transaction writes that runs beside the erasure is erased later (Q3.2)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const world = yield* personWorld;
      const stored = yield* sql<{ answers: unknown }>`SELECT * FROM survey_response`;
      yield* world.erase;
      // As an answer does that was being stored.
      yield* sql`UPDATE survey_response r SET answers = jsonb_set(r.answers, '{0,value}', '"zzanswer late"')
        FROM device d WHERE d.workspace_id = r.workspace_id AND d.environment = r.environment
          AND d.key = r.device_key AND d.erased_at IS NOT NULL`;
      // As a send does that has read the attributes before.
      yield* sql`UPDATE delivery r SET recipient = '{"attributes": {"name": "zzanswer late"}}'
        FROM device d WHERE d.workspace_id = r.workspace_id AND d.environment = r.environment
          AND d.key = r.device_key AND d.erased_at IS NOT NULL`;
      assert.isNotEmpty(stored);
      assert.lengthOf(yield* world.tablesWith(["zzanswer late"]), 2);
      yield* TestClock.adjust("29 seconds");
      yield* completeErasures;
      assert.isNotEmpty(yield* world.tablesWith(["zzanswer late"]));
      yield* TestClock.adjust("1 second");
      yield* completeErasures;
      assert.deepStrictEqual(yield* world.tablesWith(["zzanswer late"]), []);
      assert.deepStrictEqual(yield* sql`SELECT * FROM erasure`, []);
    }),
  );

  it.effect(
    "a person who comes back before an erasure is completed keeps what they do then (Q3.2, Z17)",
    () =>
      Effect.gen(function* () {
        const world = yield* personWorld;
        const { operator, person, platform, production } = world;
        const event = (fields: object) => ({
          body: { events: [{ id: randomUUID(), name: "back", ...fields }] },
        });
        yield* world.erase;
        const device = yield* production.phone("new-phone", { user_id: userId });
        yield* platform("/events", event({ user_id: userId }));
        yield* TestClock.adjust("31 seconds");
        yield* completeErasures;
        // Another device of theirs is of the same person.
        yield* production.phone("new-tablet", { user_id: userId });
        yield* platform("/events", event({ device_id: device.id }));
        const found = yield* platform(`/events?user_id=${encodeURIComponent(userId)}`);
        assert.lengthOf(found.body.data, 2);
        const { body } = yield* operator(person);
        assert.deepStrictEqual([body.data.devices.length, body.data.custom_events.length], [2, 2]);
        assert.lengthOf(
          yield* (yield* SqlClient.SqlClient)`SELECT DISTINCT user_key FROM device
        WHERE workspace_id = ${production.workspaceId} AND user_id = ${userId}`,
          1,
        );
      }),
  );
});
