import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { oneCampaign } from "../../events/EventWorld.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "../push/LocalProviders.ts";
import { pushed, pushWorld } from "../push/PushWorld.ts";
import { moveTo, sendWorld } from "../sends/SendWorld.ts";

const named = {
  template: "liquid",
  headline: "Hi {{ device.attributes.name }}",
  body: "{{ location.name }}{{ location.address }}/{{ campaign.name }}/{{ device.locale }}",
  translations: { nl: { headline: "Hoi {{ device.attributes.name }}" } },
};
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
/** A headline that is empty for a device without a name, and a body that can be too long. */
const failing = {
  template: "liquid",
  headline: "{{ device.attributes.name }}",
  body: `{{ device.attributes.text }}${"{{ device.attributes.text }}".repeat(10)}`,
};
const tooLong = { name: "Ada", text: "a".repeat(1_000) };

layer(TestWaypost.layer)("RenderedMessages", (it) => {
  it.effect("an event answers with the texts for its device, and so does the inbox (O1.1, O1.8, O2.1)", () =>
    Effect.gen(function* () {
      const { location, phone, production } = yield* oneCampaign({ name: "Autumn" }, named);
      const dutch = { attributes: { name: "Ada" }, locale: "nl_NL" };
      yield* phone.ask("/devices/me", { method: "PATCH", body: dutch });
      const [message] = (yield* phone.sees("enter", location)).deliveries;
      assert.deepInclude(message, { headline: "Hoi Ada", body: "Store/Autumn/nl_NL" });
      assert.isFalse("template" in message || "translations" in message);
      assert.deepStrictEqual(yield* phone.inbox(), [message]);
      const other = yield* production.phone();
      assert.strictEqual((yield* other.sees("enter", location)).deliveries[0].headline, "Hi");
    }),
  );

  it.effect("an event whose message cannot be rendered leaves a failed delivery with the reason (O1.3)", () =>
    Effect.gen(function* () {
      const world = yield* oneCampaign({ frequency_cap_count: 1, frequency_cap_period: "day" }, failing);
      const { location, phone, waypost, workspace } = world;
      const listed = Effect.map(
        waypost.operator(`/workspaces/${workspace.id}/production/deliveries`),
        ({ body }) => (body.data as Array<any>).map(({ last_error, status }) => [status, last_error]),
      );
      assert.deepStrictEqual((yield* phone.sees("enter", location)).deliveries, []);
      const empty = ["failed", "The headline renders empty for this device."];
      assert.deepStrictEqual(yield* listed, [empty]);
      yield* phone.ask("/devices/me", { method: "PATCH", body: { attributes: tooLong } });
      assert.deepStrictEqual((yield* phone.sees("enter", location)).deliveries, []);
      assert.deepStrictEqual(yield* listed, [
        ["failed", "The body renders to more than 10,240 bytes."],
        empty,
      ]);
      assert.deepStrictEqual(yield* phone.inbox(), []);
      // Failed ones use up no cap.
      yield* phone.ask("/devices/me", { method: "PATCH", body: { attributes: { text: null } } });
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 1);
      assert.lengthOf((yield* phone.sees("enter", location)).deliveries, 0);
    }),
  );

  it.effect("a send renders the inbox of each device, and counts those that fail (O1.1, O1.3, O1.8)", () =>
    Effect.gen(function* () {
      const world = yield* sendWorld();
      const { production } = world;
      const campaign = yield* production.push({ name: "News" });
      yield* production.sent(campaign, "13:00", named);
      yield* production.sent(campaign, "13:00", failing);
      const ada = yield* production.phone(randomUUID(), { attributes: { name: "Ada" }, locale: "nl" });
      const long = yield* production.phone(randomUUID(), { attributes: tooLong });
      const nobody = yield* production.phone();
      yield* moveTo("2026-11-21T13:00:00Z");
      assert.deepStrictEqual(
        (yield* production.sends()).map(({ status }) => status),
        ["running", "running"],
      );
      yield* pushed;
      assert.deepStrictEqual(
        (yield* production.sends())
          .map(({ delivered, failed, status }) => `${status} ${delivered} ${failed}`)
          .sort(byText),
        ["done 1 2", "done 3 0"],
      );
      const headlines = (phone: typeof ada) =>
        Effect.map(phone.inbox(), (all) => all.map(({ headline }) => headline as string).sort(byText));
      assert.deepStrictEqual(yield* headlines(ada), ["Ada", "Hoi Ada"]);
      assert.deepStrictEqual(yield* headlines(long), ["Hi Ada"]);
      assert.deepStrictEqual(yield* headlines(nobody), ["Hi"]);
      assert.strictEqual((yield* nobody.inbox())[0].body, "/News/");
    }),
  );

  it.effect("a send with translations alone needs no rendering before it is delivered (O2.1)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const campaign = yield* production.push();
      yield* production.sent(campaign, "13:00", { translations: { nl: { headline: "Hallo" } } });
      const phone = yield* production.phone(randomUUID(), { locale: "nl-BE" });
      yield* moveTo("2026-11-21T13:00:00Z");
      assert.strictEqual((yield* production.sends())[0].status, "done");
      assert.strictEqual((yield* phone.inbox())[0].headline, "Hallo");
    }),
  );

  it.effect("pushes have the texts for their devices (O1.1, O2.1)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const world = yield* pushWorld(service, { notification: named });
      const { location } = world;
      const names: ReadonlyArray<readonly [string, string]> = [
        ["Ada", "nl"],
        ["Grace", "en"],
        ["Joan", "nl-BE"],
      ];
      for (const [name, locale] of names) {
        const phone = yield* world.phone(randomUUID(), { attributes: { name }, locale });
        yield* phone.sees("enter", location);
      }
      yield* pushed;
      const sent = service.ledger.map(({ payload }) => payload.headline as string);
      assert.deepStrictEqual(sent.sort(byText), ["Hi Grace", "Hoi Ada", "Hoi Joan"]);
    }),
  );

  it.effect("a push of a send that cannot be rendered fails with the reason (O1.3)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { phone, production } = yield* pushWorld(service);
      yield* phone(randomUUID(), { attributes: { text: "a" } });
      const campaign = yield* production.campaign({ type: "push" });
      const trigger = { trigger_type: "fixed_time", trigger_config: { send_at: "13:00" } };
      yield* production.notification(campaign, { ...failing, ...trigger });
      yield* moveTo("2026-11-21T13:00:00Z");
      yield* pushed;
      const { body } = yield* production.platform("/deliveries");
      assert.deepStrictEqual(
        body.data
          .filter(({ transport }: any) => transport === "fcm")
          .map(({ last_error, status }: any) => [status, last_error]),
        [["failed", "The headline renders empty for this device."]],
      );
      assert.lengthOf(service.ledger, 0);
    }),
  );

  it.effect("one that cannot be rendered fails in quiet hours, too, whatever its device becomes (O1.3)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(testStart);
      const { location, phone, production } = yield* oneCampaign(
        { quiet_hours: { from: "11:00", to: "15:00", action: "hold" } },
        { template: "liquid", headline: "{{ device.attributes.name }}" },
      );
      yield* phone.sees("enter", location);
      const { body } = yield* production.platform("/deliveries");
      assert.deepStrictEqual(
        body.data.map(({ held_until, status }: any) => [status, held_until]),
        [["failed", null]],
      );
    }),
  );
});
