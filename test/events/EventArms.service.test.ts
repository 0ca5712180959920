import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { armOf, experimentOf, personIn, variants } from "../sending/arms/ArmsWorld.ts";
import { after, withoutJobs } from "./DwellWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { oneCampaign } from "./EventWorld.ts";

const holdout_percent = 30;

layer(withoutJobs)("Experiments of events", (it) => {
  it.effect("an event gives each unit its arm once, and the held out nothing (U3, U4, Z3)", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, production } = yield* oneCampaign(
        { holdout_percent },
        { variants },
      );
      for (let index = 0; index < 12; index++) {
        const body = index % 2 === 0 ? {} : { user_id: `person-${index}` };
        const phone = yield* production.phone(randomUUID(), body);
        const unit = index % 2 === 0 ? `device:${phone.id}` : `user:person-${index}`;
        const arm = armOf(campaignId, holdout_percent, notificationId, unit);
        for (const type of ["enter", "exit", "enter"] as const) {
          const { deliveries } = yield* phone.sees(type, location);
          const shown = deliveries.map(({ headline, variant }) => [headline, variant]);
          const words = [arm === "b" ? "Hello B" : "Hello", arm];
          assert.deepStrictEqual(shown, type === "exit" || arm === "holdout" ? [] : [words]);
        }
        const inbox = (yield* phone.inbox()).map(({ headline, variant }) => [headline, variant]);
        const expected = [arm === "b" ? "Hello B" : "Hello", arm];
        assert.deepStrictEqual(inbox, arm === "holdout" ? [] : [expected, expected]);
        const { enrolments } = yield* experimentOf(campaignId);
        assert.lengthOf(enrolments, index + 1);
        assert.deepInclude(enrolments, { unit, arm, isFirst: true });
      }
    }),
  );

  it.effect("five devices of a person at the same time enrol the person once (U4)", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, production } = yield* oneCampaign({}, { variants });
      const second = yield* production.notification(campaignId, { variants });
      const phones = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
        production.phone(randomUUID(), { user_id: "ann" }),
      );
      yield* Effect.forEach(phones, (phone) => phone.sees("enter", location), { concurrency: "unbounded" });
      const { counts, deliveries, enrolments } = yield* experimentOf(campaignId);
      const arms = [notificationId, second].map((id) => armOf(campaignId, 0, id, "user:ann"));
      assert.sameMembers(
        enrolments.map(({ arm }) => arm),
        arms,
      );
      assert.deepStrictEqual(
        enrolments.map(({ isFirst }) => isFirst),
        [true, false],
      );
      assert.strictEqual(counts["all"], 1);
      assert.lengthOf(deliveries, 10);
    }),
  );

  it.effect("a rendered variant takes its words by language first, as does its push (Z1)", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, production } = yield* oneCampaign(
        {},
        {
          template: "liquid",
          headline: "Hi {{ device.attributes.name }}",
          translations: { de: { headline: "Hallo", body: "Welt" } },
          variants: [
            {
              key: "b",
              weight: 98,
              headline: "B {{ device.attributes.name }}",
              translations: { nl: { headline: "B {{ device.attributes.name }} nl" } },
            },
          ],
        },
      );
      const user_id = personIn("b", campaignId, 0, notificationId);
      const messageIn = Effect.fnUntraced(function* (locale: string) {
        const phone = yield* production.phone(randomUUID(), { user_id, locale, attributes: { name: "Ada" } });
        const [message] = (yield* phone.sees("enter", location)).deliveries;
        const [kept] = yield* phone.inbox();
        assert.deepStrictEqual(
          [kept.headline, kept.body, kept.variant],
          [message.headline, message.body, "b"],
        );
        return [message.headline, message.body];
      });
      assert.deepStrictEqual(yield* messageIn("nl-NL"), ["B Ada nl", "World"]);
      assert.deepStrictEqual(yield* messageIn("de"), ["B Ada", "Welt"]);
      assert.deepStrictEqual(yield* messageIn("fr"), ["B Ada", "World"]);
    }),
  );

  it.effect("a dwell enrols at its minute, and the held out get no dwell message (U4)", () =>
    Effect.gen(function* () {
      const { campaignId, location, notificationId, production } = yield* oneCampaign(
        { holdout_percent },
        { trigger_type: "on_dwell", trigger_config: { minutes: 10 }, variants },
      );
      const arms = ["holdout", "b", "control"];
      const phones = yield* Effect.forEach(arms, (arm) =>
        production.phone(randomUUID(), {
          user_id: personIn(arm, campaignId, holdout_percent, notificationId),
        }),
      );
      for (const phone of phones) yield* phone.sees("enter", location);
      assert.isEmpty((yield* experimentOf(campaignId)).enrolments);
      yield* after(10);
      const { deliveries, enrolments } = yield* experimentOf(campaignId);
      assert.sameMembers(
        enrolments.map(({ arm }) => arm),
        arms,
      );
      assert.sameMembers(
        deliveries.map(({ variant }) => variant),
        ["b", "control"],
      );
      const headlines = yield* Effect.forEach(phones, (phone) =>
        Effect.map(phone.inbox(), (messages) => messages.map(({ headline }) => headline).join()),
      );
      assert.deepStrictEqual(headlines, ["", "Hello B", "Hello"]);
    }),
  );

  it.effect("a device that becomes a person's is a new unit (Z17)", () =>
    Effect.gen(function* () {
      const { campaignId, location, phone } = yield* oneCampaign({}, { variants });
      yield* phone.sees("enter", location);
      yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id: "ann" } });
      yield* phone.sees("enter", location);
      const { counts, enrolments } = yield* experimentOf(campaignId);
      assert.deepStrictEqual(
        enrolments.map(({ unit }) => unit),
        [`device:${phone.id}`, "user:ann"],
      );
      assert.strictEqual(counts["all"], 2);
    }),
  );

  it.effect("notifications without variants of a campaign with some enrol in the campaign alone (Z6)", () =>
    Effect.gen(function* () {
      const { production } = yield* givenWorkspace();
      const location = yield* production.location();
      const campaign = yield* production.campaign({ location_ids: [location] });
      yield* production.notification(campaign, { trigger_type: "on_exit", variants });
      yield* production.notification(campaign);
      const phone = yield* production.phone();
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      assert.isNull(message.variant);
      const entered = yield* experimentOf(campaign);
      assert.deepStrictEqual(
        entered.enrolments.map(({ arm, isFirst }) => [arm, isFirst]),
        [["all", true]],
      );
      yield* phone.sees("exit", location);
      const { counts } = yield* experimentOf(campaign);
      assert.strictEqual(counts["all"], 1);
      assert.strictEqual((counts["/b"] ?? 0) + (counts["/control"] ?? 0), 1);
    }),
  );
});
