import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { pushed, pushWorld } from "../sending/push/PushWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { shopPage } from "./ShopPage.ts";
import { pushesTo, subscribingTo } from "./TestPushes.ts";

layer(Layer.mergeAll(TestWaypost.shared, TestBrowser.layer))("The web SDK", (it) => {
  it.effect.skipIf(!isChromiumAvailable)(
    "a page of another origin registers once, also in two tabs and after a reload (BW1, BW3)",
    () =>
      Effect.gen(function* () {
        const { production, waypost } = yield* givenWorkspace();
        const shop = yield* shopPage(waypost.origin);
        yield* shop.begin(production.sdkKey, { userId: "customer-1", attributes: { plan: "gold" } });
        const second = yield* shop.secondTab;
        yield* shop.begin(production.sdkKey, { userId: "customer-1" }, second);
        yield* shop.reload;
        yield* shop.begin(production.sdkKey, { locale: "nl-NL", timezone: "Europe/Amsterdam" });
        yield* shop.evaluate("device.setAttributes({ plan: null, visits: 3 }).then(() => device.send())");
        const { body } = yield* production.platform("/devices");
        assert.lengthOf(body.data, 1);
        const [device] = body.data;
        assert.deepInclude(device, {
          platform: "web",
          user_id: "customer-1",
          locale: "nl-NL",
          timezone: "Europe/Amsterdam",
          attributes: { visits: 3 },
          subscribed: true,
        });
        yield* shop.evaluate("device.optOut().then(() => device.send())");
        assert.isFalse((yield* production.platform("/devices")).body.data[0].subscribed);
        yield* shop.evaluate("device.forget()");
        assert.isEmpty((yield* production.platform("/devices")).body.data);
        yield* shop.check;
      }),
  );

  it.effect.skipIf(!isChromiumAvailable)(
    "a visit brings a survey into the inbox, where it is read and answered (BW4, BW5, BW6)",
    () =>
      Effect.gen(function* () {
        const { production, waypost } = yield* givenWorkspace();
        const location = yield* production.location();
        const campaign = yield* production.campaign({ location_ids: [location] });
        const question = (type: string, required = true) => ({
          question_text: `Question ${type}`,
          type,
          required,
          ...(type.endsWith("CHOICE") ? { choices: [{ text: "First" }, { text: "Second" }] } : {}),
        });
        const visit = yield* production.notification(campaign, {
          type: "survey",
          headline: "How was it?",
          questions: [
            question("OPEN_ENDED", false),
            ...["RATING", "BOOLEAN", "SINGLE_CHOICE", "MULTIPLE_CHOICE"].map((type) => question(type)),
          ],
        });
        const figures = yield* production.notification(campaign, {
          type: "survey",
          headline: "And the figures?",
          questions: [question("NUMBER"), question("SLIDER")],
        });
        const shop = yield* shopPage(waypost.origin);
        yield* shop.begin(production.sdkKey);
        yield* Effect.promise(() =>
          shop.page.setGeolocation({ latitude: 52.37, longitude: 4.9, accuracy: 10 }),
        );
        yield* shop.evaluate("void (window.watch = device.watchPosition({ accuracy: 'high' }))");
        yield* shop.until("reported.message.length === 2");
        yield* shop.evaluate("watch.stop()");
        const inbox = "document.querySelector('waypost-inbox')";
        yield* shop.evaluate(`${inbox}.refresh()`);
        yield* shop.until(`${inbox}.shadowRoot.querySelectorAll("form").length === 2`);
        yield* shop.check;
        yield* Effect.promise(async () => {
          await shop.page.setViewport({ width: 360, height: 740 });
          await shop.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
        });
        yield* shop.check;
        assert.strictEqual(yield* shop.evaluate("document.documentElement.scrollWidth"), 360);
        const formOf = (headline: string) =>
          `[...${inbox}.shadowRoot.querySelectorAll("li")].find((item) =>
            item.querySelector("h3").textContent === "${headline}").querySelector("form")`;
        // What is typed stays, with the focus, while the messages are loaded again.
        const text = `${formOf("How was it?")}.querySelector("textarea")`;
        yield* shop.evaluate(`${text}.focus()`);
        yield* Effect.promise(() => shop.page.keyboard.type("Fi"));
        yield* shop.evaluate(`${inbox}.refresh()`);
        yield* Effect.promise(() => shop.page.keyboard.type("ne"));
        assert.strictEqual(yield* shop.evaluate(`${text}.value`), "Fine");
        // Sent without the required answers, a form stays and names what is missing. The first one of these
        // has the focus then.
        for (const [headline, missing, keys] of [
          ["How was it?", 4, ["ArrowRight", "Tab", "Space", "Tab", "Space", "Tab", "Space", "Tab", "Tab"]],
          ["And the figures?", 2, ["2", ".", "5", "Tab", "ArrowRight", "Tab"]],
        ] as const) {
          yield* shop.evaluate(`${formOf(headline)}.querySelector("button").focus()`);
          yield* Effect.promise(() => shop.page.keyboard.press("Enter"));
          const problems = yield* shop.evaluate<number>(
            `${formOf(headline)}.querySelectorAll("[role=alert]:not([hidden])").length`,
          );
          assert.strictEqual(problems, missing);
          yield* Effect.promise(async () => {
            for (const key of [...keys, "Enter"] as const) await shop.page.keyboard.press(key);
          });
          yield* shop.until(`${inbox}.shadowRoot.activeElement?.role === "status"`);
        }
        yield* shop.evaluate("device.track('basket.filled', { total: 59.9 }).then(() => device.send())");
        const [device] = (yield* production.platform("/devices")).body.data;
        const listed = yield* production.platform(`/devices/${device.id}/messages`);
        assert.isEmpty(yield* shop.evaluate<Array<unknown>>("reported.dropped"));
        const [event] = (yield* production.platform("/events")).body.data;
        assert.deepStrictEqual([event?.name, event?.properties], ["basket.filled", { total: 59.9 }]);
        for (const message of listed.body.data) assert.isNotNull(message.opened_at);
        const counted: Array<unknown> = [];
        for (const notification of [visit, figures]) {
          const path = `/campaigns/${campaign}/notifications/${notification}/results`;
          const { data } = (yield* production.platform(path)).body;
          for (const { answered, choices, mean, true_count, type } of data.questions)
            counted.push([type, answered, mean ?? true_count ?? choices?.[0].count]);
        }
        assert.deepStrictEqual(counted, [
          ["OPEN_ENDED", 1, undefined],
          ["RATING", 1, 2],
          ["BOOLEAN", 1, 1],
          ["SINGLE_CHOICE", 1, 1],
          ["MULTIPLE_CHOICE", 1, 1],
          ["NUMBER", 1, 2.5],
          ["SLIDER", 1, 51],
        ]);
        yield* shop.check;
      }),
  );

  it.effect.skipIf(!isChromiumAvailable)(
    "a push is encrypted for the browser, shown by its worker, and its press is counted (BW3, BW6)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.webpush;
        const offer = `${(yield* TestWaypost).origin}/docs`;
        const { production, waypost } = yield* pushWorld(service, {
          notification: { cta_label: "Look", cta_url: offer },
        });
        const address = yield* Effect.promise(() => service.address("browser"));
        const shop = yield* shopPage(waypost.origin);
        yield* shop.evaluate(subscribingTo(address));
        yield* shop.begin(production.sdkKey);
        assert.strictEqual(yield* shop.evaluate("device.subscribe()"), "subscribed");
        const { body } = yield* production.platform("/devices?platform=web");
        const [device] = body.data;
        assert.strictEqual(device.transport, "webpush");
        yield* Effect.promise(() =>
          shop.page.setGeolocation({ latitude: 52.37, longitude: 4.9, accuracy: 5 }),
        );
        yield* shop.evaluate("void device.watchPosition()");
        yield* shop.until("reported.message.length === 1");
        yield* pushed;
        const [push] = service.ledger;
        assert.isEmpty(service.complaints);
        assert.strictEqual(push?.payload.headline, "Hello");
        const deliver = yield* pushesTo(shop.page);
        yield* deliver(push?.payload);
        const worker = yield* shop.worker;
        const shownAfter = (count: number) =>
          Effect.promise(
            () => worker.evaluate(`self.shownAfter(${count})`) as Promise<ReadonlyArray<object>>,
          );
        const [shown] = yield* shownAfter(1);
        assert.deepInclude(shown, {
          title: "Hello",
          body: "World",
          tag: push?.payload.id,
          data: { id: push?.payload.id, addresses: { "": offer } },
        });
        // The page hears of it too, after the answer to its position.
        yield* shop.until("reported.message.length === 2");
        // A press, as the browser tells the worker of it.
        yield* Effect.promise(() =>
          worker.evaluate(`(async () => {
            self.opened = [];
            self.clients.openWindow = async (address) => void self.opened.push(address);
            const waits = [];
            const notification = { data: self.shown[0].data, close: () => {} };
            const waitUntil = (promise) => waits.push(promise);
            self.dispatchEvent(
              Object.assign(new Event("notificationclick"), { action: "", notification, waitUntil }),
            );
            await Promise.all(waits);
          })()`),
        );
        assert.deepStrictEqual(yield* Effect.promise(() => worker.evaluate("self.opened")), [offer]);
        const listed = yield* production.platform(`/devices/${device.id}/messages`);
        assert.isNotNull(listed.body.data[0].opened_at);
        assert.isNotNull(listed.body.data[0].clicked_at);
        // A device that is forgotten shows nothing.
        yield* shop.evaluate("device.forget()");
        assert.isEmpty((yield* production.platform("/devices?platform=web")).body.data);
        yield* deliver(push?.payload);
        yield* Effect.promise(() => worker.evaluate("self.handledAfter(2)"));
        yield* shop.begin(production.sdkKey);
        yield* Effect.promise(() =>
          worker.evaluate("navigator.setAppBadge = () => Promise.reject(new Error('No badges here.'))"),
        );
        yield* deliver({ ...push?.payload, headline: "Again", app_badge: 3 });
        const all = yield* shownAfter(2);
        assert.deepStrictEqual(
          all.map((each) => "title" in each && each.title),
          ["Hello", "Again"],
        );
      }),
  );
});
