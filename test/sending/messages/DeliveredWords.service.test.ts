import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { HeldDeliveries } from "../../../src/sending/sends/holding/HeldDeliveries.ts";
import { question } from "../../events/AnswerWorld.ts";
import { decide, dwelling } from "../../events/DwellWorld.ts";
import { oneCampaign } from "../../events/EventWorld.ts";
import { eventually } from "../../Eventually.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "../push/LocalProviders.ts";
import { pushed, pushWorld } from "../push/PushWorld.ts";
import { moveTo, sendWorld } from "../sends/SendWorld.ts";

const name = "{{ device.attributes.name }}";
/** A template with every variable, an attribute whose name is an attribute, and a Dutch translation. */
const everything = {
  template: "liquid",
  headline: `Hi ${name}`,
  body:
    "{{ location.name }}/{{ location.address }}/{{ location.external_id }}/{{ campaign.name }}/" +
    "{{ device.locale }}/{{ device.platform }}/{{ device.timezone }}/{{ 'now' | date: '%H:%M' }}",
  cta_label: `For ${name}`,
  cta_url: `https://${name}/`,
  translations: { nl: { headline: `Hoi ${name}` } },
};
const ada = {
  attributes: { name: "Ada", secret: "not read" },
  locale: "nl-NL",
  timezone: "Europe/Amsterdam",
};
const grace = { attributes: { name: "Grace" }, locale: "en", timezone: "Asia/Tokyo" };

type Phone = Effect.Success<ReturnType<Effect.Success<ReturnType<typeof sendWorld>>["production"]["phone"]>>;
const patched = (phone: Phone, body: object) => phone.ask("/devices/me", { method: "PATCH", body });
const words = ({ body, cta_label, cta_url, headline }: any) => ({ headline, body, cta_label, cta_url });
const wordsOfAda = (body: string) => ({
  headline: "Hoi Ada",
  body,
  cta_label: "For Ada",
  cta_url: "https://Ada/",
});

/** The facts that the deliveries of a workspace keep, oldest first. */
const kept = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* Effect.orDie(sql<{ readonly recipient: unknown }>`
    SELECT recipient FROM delivery WHERE workspace_id = ${workspaceId} ORDER BY created_at, device_key`);
  return rows.map(({ recipient }) => recipient);
});

/** Fills everything that words come from with something else. */
const changed = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const own = sql`workspace_id = ${workspaceId}`;
  yield* Effect.orDie(
    sql`UPDATE location SET name = 'Other', address = 'Else', external_id = 'x' WHERE ${own}`,
  );
  yield* Effect.orDie(sql`UPDATE campaign SET name = 'Winter' || key WHERE ${own}`);
  yield* Effect.orDie(sql`
    UPDATE device SET attributes = '{"name": "Grace"}', locale = 'en', timezone = 'Asia/Tokyo',
      platform = 'ios' WHERE ${own}`);
});

layer(TestWaypost.layer)("Delivered words", (it) => {
  it.effect("a message of an event keeps its words whatever its device and notification become (T7)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const world = yield* oneCampaign({ name: "Autumn" }, everything);
      const { campaignId, location, notificationId, phone, production } = world;
      yield* patched(phone, ada);
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      const shown = wordsOfAda("Store///Autumn/nl-NL/android/Europe/Amsterdam/12:00");
      assert.deepStrictEqual(words(message), shown);
      assert.deepStrictEqual(yield* kept(production.workspaceId), [
        {
          attributes: { name: "Ada" },
          locale: "nl-NL",
          platform: "android",
          timezone: "Europe/Amsterdam",
          location: { name: "Store" },
          campaign: "Autumn",
        },
      ]);
      yield* changed(production.workspaceId);
      yield* production.platform(`/campaigns/${campaignId}/notifications/${notificationId}`, {
        method: "PATCH",
        body: { name: "Note", type: "message", headline: "New", body: "New", trigger_type: "on_enter" },
      });
      yield* TestClock.adjust("1 hour");
      assert.deepStrictEqual(yield* phone.inbox(), [message]);
      const listed = yield* production.platform(`/devices/${phone.id}/messages`);
      assert.deepStrictEqual(words(listed.body.data[0]), shown);
    }),
  );

  it.effect("a message after some minutes at a location keeps its words (T7)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone, production } = yield* oneCampaign({}, { ...everything, ...dwelling(10) });
      yield* patched(phone, ada);
      yield* phone.sees("enter", location);
      yield* TestClock.adjust("11 minutes");
      // The worker may be at it already.
      yield* eventually(Effect.map(Effect.andThen(decide, phone.inbox()), ({ length }) => length === 1));
      assert.lengthOf(yield* phone.inbox(), 1);
      yield* changed(production.workspaceId);
      assert.strictEqual((yield* phone.inbox())[0].headline, "Hoi Ada");
    }),
  );

  it.effect("such a message of a notification with translations alone keeps its language (T7)", () =>
    Effect.gen(function* () {
      const nl = { headline: "Hoi" };
      const variants = [{ key: "b", weight: 99, headline: "Hey", translations: { nl } }];
      for (const content of [{ translations: { nl } }, { variants }]) {
        yield* TestClock.setTime(testStart);
        const { location, phone, production } = yield* oneCampaign({}, { ...content, ...dwelling(10) });
        yield* patched(phone, ada);
        yield* phone.sees("enter", location);
        yield* TestClock.adjust("11 minutes");
        yield* eventually(Effect.map(Effect.andThen(decide, phone.inbox()), ({ length }) => length === 1));
        const before = yield* phone.inbox();
        yield* changed(production.workspaceId);
        assert.deepStrictEqual(yield* phone.inbox(), before);
        assert.deepStrictEqual(yield* kept(production.workspaceId), [{ locale: "nl-NL" }]);
      }
    }),
  );

  it.effect("sends keep the words of each device, as an event does (T7)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const campaign = yield* production.push({ name: "Autumn" });
      const other = { template: "liquid", headline: "{{ device.attributes[device.attributes.name] }}!" };
      yield* production.sent(campaign, "13:00", everything);
      yield* production.sent(campaign, "14:00", everything);
      yield* production.sent(campaign, "14:00", other);
      yield* production.sent(campaign, "14:00", { translations: { nl: { headline: "Hallo" } } });
      yield* production.sent(campaign, "14:00");
      const phone = yield* production.phone(randomUUID(), ada);
      const nobody = yield* production.phone();
      for (const time of ["13:00", "14:00"]) {
        yield* moveTo(`2026-11-21T${time}:00Z`);
        yield* pushed;
      }
      const facts = {
        locale: "nl-NL",
        platform: "android",
        timezone: "Europe/Amsterdam",
        campaign: "Autumn",
      };
      const all = [
        { attributes: { name: "Ada" }, ...facts },
        { platform: "android", campaign: "Autumn" },
      ];
      const stored = yield* kept(production.workspaceId);
      assert.deepStrictEqual(stored.slice(0, 2), all);
      const named = [{ attributes: ada.attributes }, { locale: "nl-NL" }];
      assert.sameDeepMembers(stored.slice(2), [...all, ...named, {}, {}, null, null]);
      yield* changed(production.workspaceId);
      yield* TestClock.adjust("1 hour");
      const inbox = yield* phone.inbox();
      const shown = (time: string) => wordsOfAda(`///Autumn/nl-NL/android/Europe/Amsterdam/${time}`);
      assert.deepInclude(inbox.map(words), shown("13:00"));
      assert.deepInclude(inbox.map(words), shown("14:00"));
      assert.includeMembers(
        inbox.map(({ headline }) => headline),
        ["Hallo", "Hello"],
      );
      assert.sameMembers(
        (yield* nobody.inbox()).map(({ headline }) => headline),
        ["!", "Hello", "Hello", "Hi", "Hi"],
      );
    }),
  );

  it.effect("a push that is sent again has the words of its first attempt (T7)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const world = yield* pushWorld(service, { notification: everything });
      const phone = yield* world.phone(randomUUID(), ada);
      yield* phone.sees("enter", world.location);
      service.answer((number) => (number === 0 ? { status: 503 } : "accept"));
      yield* pushed;
      yield* changed(world.production.workspaceId);
      yield* TestClock.adjust("1 minute");
      yield* pushed;
      const sent = service.ledger.map(({ payload }) => words(payload));
      assert.lengthOf(sent, 2);
      assert.deepStrictEqual(sent, [sent[0], sent[0]]);
      assert.strictEqual(sent[0]?.headline, "Hoi Ada");
      assert.deepStrictEqual((yield* phone.inbox()).map(words), [sent[0]]);
    }),
  );

  it.effect("a held message has the words of when it was made, in the inbox and as a push (T7)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const quiet_hours = { from: "11:00", to: "15:00", action: "hold" };
      const world = yield* pushWorld(service, {
        campaign: { name: "Geo", quiet_hours },
        notification: everything,
      });
      const { location, production } = world;
      const campaign = yield* production.campaign({ type: "push", name: "Push", quiet_hours });
      const trigger = { trigger_type: "fixed_time", trigger_config: { send_at: "13:00" } };
      yield* production.notification(campaign, { ...everything, ...trigger });
      const here = { ...ada, timezone: "UTC" };
      const phones = [yield* production.phone(randomUUID(), here), yield* world.phone(randomUUID(), here)];
      for (const phone of phones) yield* phone.sees("enter", location);
      yield* moveTo("2026-11-21T13:00:00Z");
      yield* changed(production.workspaceId);
      yield* TestClock.setTime(Date.parse("2026-11-21T15:00:00Z"));
      const { releaseDue } = yield* HeldDeliveries;
      const inboxes = Effect.forEach(phones, (phone) => phone.inbox());
      // The worker may be at it already.
      yield* eventually(
        Effect.gen(function* () {
          yield* releaseDue;
          yield* pushed;
          return (yield* inboxes).every(({ length }) => length === 2);
        }),
      );
      const shown = ["///Push/nl-NL/android/UTC/13:00", "Store///Geo/nl-NL/android/UTC/12:00"];
      for (const phone of phones) {
        const inbox = (yield* phone.inbox()).map(words);
        assert.deepStrictEqual(
          inbox.toSorted((one, two) => (one.body < two.body ? -1 : 1)),
          shown.map(wordsOfAda),
        );
      }
      assert.sameMembers(
        service.ledger.map(({ payload }) => payload.body),
        shown,
      );
    }),
  );

  it.effect("a survey shows the questions of then, and takes answers in the language of then (T7)", () =>
    Effect.gen(function* () {
      const choices = (...texts: ReadonlyArray<string>) => [{ question_text: `${name}!`, choices: texts }];
      const translations = {
        nl: { questions: choices("Kaas", "Brood", "Vis") },
        de: { questions: choices("Brood", "Kaas", "Fisch") },
      };
      const survey = {
        template: "liquid",
        type: "survey",
        questions: [question("SINGLE_CHOICE")],
        translations,
      };
      const { location, phone, production } = yield* oneCampaign({}, survey);
      yield* patched(phone, ada);
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      const [asked] = message.questions;
      assert.strictEqual(asked.question_text, "Ada!");
      yield* changed(production.workspaceId);
      yield* patched(phone, { locale: "de" });
      assert.deepStrictEqual((yield* phone.inbox())[0].questions, message.questions);
      for (const value of ["Kaas", asked.choices[0].id]) {
        const answers = [{ question_id: asked.id, value }];
        const { body } = yield* phone.ask(`/messages/${message.id}/answers`, { body: { answers } });
        assert.strictEqual(body.data.answers[0].value, asked.choices[0].id);
      }
    }),
  );

  it.effect("a delivery from before the upgrade shows what its device is now (T7)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const service = yield* localServices.fcm;
      const world = yield* pushWorld(service, { notification: everything });
      const { location, production } = world;
      const phones = [yield* production.phone(randomUUID(), ada), yield* world.phone(randomUUID(), ada)];
      for (const phone of phones) yield* phone.sees("enter", location);
      yield* sql`UPDATE delivery SET recipient = NULL WHERE workspace_id = ${production.workspaceId}`;
      for (const phone of phones) yield* patched(phone, grace);
      yield* pushed;
      for (const phone of phones) assert.strictEqual((yield* phone.inbox())[0].headline, "Hi Grace");
      assert.strictEqual(service.ledger[0]?.payload.headline, "Hi Grace");
    }),
  );

  it.effect("a message whose device has other attributes does not become empty (T7)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* oneCampaign({}, { template: "liquid", headline: name });
      yield* patched(phone, ada);
      yield* phone.sees("enter", location);
      yield* patched(phone, { attributes: { name: null } });
      assert.strictEqual((yield* phone.inbox())[0].headline, "Ada");
    }),
  );
});
