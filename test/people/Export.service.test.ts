import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { Person } from "../../src/people/Person.ts";
import { oneCampaign } from "../events/EventWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { personWorld, traces, userId } from "./PersonWorld.ts";

layer(TestWaypost.shared)("Export of a person", (it) => {
  it.effect("the export holds all that the person's devices sent and got, and nobody else's (Q3.1)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { location, operator, other, person, phone, tablet } = world;
      yield* tablet.ask("/devices/me", { method: "DELETE" });
      yield* phone.ask("/devices/me", {
        method: "PATCH",
        body: { push: { transport: "fcm", token: traces.token } },
      });
      const { body, status } = yield* operator(person);
      assert.strictEqual(status, 200);
      const { answers, devices, events, messages, positions, user_id, ...rest } = body.data;
      assert.deepStrictEqual([user_id, rest], [userId, { custom_events: [], enrolments: [] }]);
      assert.deepStrictEqual(
        devices.map((each: any) => [each.id, each.address, each.unregistered_at !== null, each.attributes]),
        [
          [phone.id, { token: traces.token }, false, { name: traces.attribute }],
          [tablet.id, null, true, { name: traces.attribute }],
        ],
      );
      assert.deepInclude(devices[0], {
        installation_id: traces.installation,
        locale: traces.locale,
        app_version: traces.version,
        subscribed: true,
        user_id: userId,
      });
      assert.notInclude(JSON.stringify(body), "digest");
      assert.deepStrictEqual(
        messages
          .filter(({ clicked_at }: any) => clicked_at !== null)
          .map((each: any) => [each.device_id, each.location_id, each.headline, each.clicked_at !== null]),
        [
          [phone.id, location, `Hello ${traces.attribute}`, true],
          [tablet.id, location, `Hello ${traces.attribute}`, true],
        ],
      );
      const inbox = yield* phone.inbox();
      assert.lengthOf(messages, 4);
      assert.sameMembers(
        messages.filter(({ device_id }: any) => device_id === phone.id).map(({ id }: any) => id),
        inbox.map(({ id }) => id),
      );
      assert.deepStrictEqual(
        answers[0].answers.map(({ choices, question_text, value }: any) => [question_text, choices ?? value]),
        [
          ["Why?", traces.text],
          ["What?", ["Fish"]],
          ["How much?", 12.5],
        ],
      );
      assert.lengthOf(answers, 2);
      assert.sameMembers(
        events.map(({ device_id, type }: any) => `${device_id} ${type}`),
        [phone.id, tablet.id].flatMap((id) => ["enter", "enter", "exit"].map((type) => `${id} ${type}`)),
      );
      assert.deepStrictEqual(
        positions.map(({ device_id, inside }: any) => [device_id, inside]),
        [phone.id, tablet.id].map((id) => [id, [location]]),
      );
      assert.notInclude(JSON.stringify(body), other.id);
    }),
  );

  it.effect("the export has the messages that were made for the person, on any device (Q3.1, X31)", () =>
    Effect.gen(function* () {
      const { location, production, waypost, workspace } = yield* oneCampaign();
      const people = [randomUUID(), randomUUID()];
      const phone = yield* production.phone(randomUUID(), { user_id: people[0] });
      const first = yield* phone.sees("enter", location);
      yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id: people[1] } });
      yield* phone.sees("exit", location);
      const second = yield* phone.sees("enter", location);
      for (const [index, { deliveries }] of [first, second].entries()) {
        const { body } = yield* waypost.operator(
          `/workspaces/${workspace.id}/production/people/${people[index]}`,
        );
        assert.deepStrictEqual(
          body.data.messages.map(({ device_id, id }: any) => [id, device_id]),
          deliveries.map(({ id }) => [id, phone.id]),
        );
        assert.lengthOf(body.data.messages, 1);
      }
    }),
  );

  it.effect("the export has the arms of the person and of their devices before, as documented (Q3.1)", () =>
    Effect.gen(function* () {
      const variants = [{ key: "b", weight: 50 }];
      const { campaignId, location, notificationId, production, waypost, workspace } = yield* oneCampaign(
        { holdout_percent: 50 },
        { variants },
      );
      const phone = yield* production.phone();
      const other = yield* production.phone();
      const user_id = randomUUID();
      const visit = (device: typeof phone) => device.sees("enter", location);
      yield* visit(phone);
      yield* visit(other);
      yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id } });
      yield* phone.sees("exit", location);
      yield* visit(phone);
      const occurred_at = "2026-11-21T12:00:00Z";
      yield* phone.report([{ id: randomUUID(), type: "custom", name: "buy", occurred_at }]);
      const { body } = yield* waypost.operator(`/workspaces/${workspace.id}/production/people/${user_id}`);
      const person = Schema.decodeUnknownSync(Person, { onExcessProperty: "error" })(body.data);
      assert.deepStrictEqual(
        person.enrolments.map(({ campaign_id, device_id }) => [campaign_id, device_id]),
        [
          [campaignId, phone.id],
          [campaignId, null],
        ],
      );
      const arms = person.enrolments.map(({ arm, notification_id }) =>
        arm === "holdout" ? notification_id === null : notification_id === notificationId,
      );
      assert.deepStrictEqual(arms, [true, true]);
      assert.sameMembers(
        person.messages.map(({ variant }) => variant),
        person.enrolments.map(({ arm }) => arm).filter((arm) => arm !== "holdout"),
      );
    }),
  );

  it.effect("the export of many messages is whole JSON, and of nobody 404 (Q3.1)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const sql = yield* SqlClient.SqlClient;
      const { operator, people, person, phone, production } = world;
      const inserted = 9_000;
      yield* sql`
        INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
          occurred_at, received_at)
        SELECT workspace_id, environment, key, gen_random_uuid(), 'enter', 1, '2026-11-01Z', '2026-11-01Z'
        FROM device, generate_series(1, ${inserted}::int)
        WHERE workspace_id = ${production.workspaceId} AND id = ${phone.id}`;
      const { body } = yield* operator(person);
      assert.lengthOf(body.data.events, inserted + 6);
      for (const nobody of ["nobody", "x".repeat(300), "anna", "%00", "%20"]) {
        assert.strictEqual((yield* operator(`${people}/${nobody}`)).status, 404, nobody);
        const erased = yield* operator(`${people}/${nobody}`, { method: "DELETE" });
        assert.deepStrictEqual([erased.status, erased.body.data], [200, { devices: 0 }], nobody);
      }
      assert.strictEqual((yield* operator(person.replace("production", "sandbox"))).status, 404);
    }),
  );
});
