import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { eventWorld } from "../events/EventWorld.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { pushed, pushWorld } from "../sending/push/PushWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { shopPage } from "./ShopPage.ts";

layer(Layer.mergeAll(TestWaypost.shared, TestBrowser.layer))("The web SDK", (it) => {
  it.effect.skipIf(!isChromiumAvailable)(
    "a page of another origin registers once, also in two tabs and after a reload (BW1, BW3)",
    () =>
      Effect.gen(function* () {
        const { production, waypost } = yield* eventWorld();
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
        const { production, waypost } = yield* eventWorld();
        const location = yield* production.location();
        const campaign = yield* production.campaign({ location_ids: [location] });
        const question = (type: string, required = true) => ({
          question_text: `Question ${type}`,
          type,
          required,
          ...(type.endsWith("CHOICE") ? { choices: [{ text: "First" }, { text: "Second" }] } : {}),
        });
        yield* production.notification(campaign, {
          type: "survey",
          headline: "How was it?",
          questions: [
            question("OPEN_ENDED", false),
            ...["RATING", "BOOLEAN", "SINGLE_CHOICE", "MULTIPLE_CHOICE"].map((type) => question(type)),
          ],
        });
        yield* production.notification(campaign, {
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
        yield* shop.until("told.message.length === 2");
        yield* shop.evaluate("watch.stop()");
        const inbox = "document.querySelector('waypost-inbox')";
        yield* shop.evaluate(`${inbox}.refresh()`);
        yield* shop.until(`${inbox}.shadowRoot.querySelectorAll("form").length === 2`);
        yield* shop.check;
        const formOf = (headline: string) =>
          `[...${inbox}.shadowRoot.querySelectorAll("li")].find((item) =>
            item.querySelector("h3").textContent === "${headline}").querySelector("form")`;
        // Sent without the required answers, a form stays and names what is missing. The first one has the
        // focus; the rest is done by the keyboard.
        for (const [headline, missing, keys] of [
          ["How was it?", 4, ["ArrowRight", "Tab", "Space", "Tab", "Space", "Tab", "Space", "Tab", "Tab"]],
          ["And the figures?", 2, ["2", ".", "5", "Tab", "ArrowRight", "Tab"]],
        ] as const) {
          yield* shop.evaluate(`${formOf(headline)}.querySelector("button").click()`);
          const problems = yield* shop.evaluate<number>(
            `${formOf(headline)}.querySelectorAll("[role=alert]:not([hidden])").length`,
          );
          assert.strictEqual(problems, missing);
          yield* Effect.promise(async () => {
            for (const key of [...keys, "Enter"] as const) await shop.page.keyboard.press(key);
          });
          yield* shop.until(`${inbox}.shadowRoot.activeElement?.role === "status"`);
        }
        yield* shop.evaluate("device.send()");
        const [device] = (yield* production.platform("/devices")).body.data;
        const listed = yield* production.platform(`/devices/${device.id}/messages`);
        assert.isEmpty(yield* shop.evaluate<Array<unknown>>("told.dropped"));
        for (const message of listed.body.data) assert.isNotNull(message.opened_at);
        const results = yield* production.platform(`/reports/surveys?campaign=${campaign}`);
        assert.deepStrictEqual(results.body, {});
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
        const address = (yield* Effect.promise(() => service.address("browser"))) as any;
        const shop = yield* shopPage(waypost.origin);
        // A test browser reaches no push service, so its subscription is that of the local one.
        yield* shop.evaluate(`{
          const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")),
            (each) => each.charCodeAt(0)).buffer;
          const { endpoint, keys } = ${JSON.stringify(address)};
          let current = null;
          PushManager.prototype.subscribe = async (options) => (current = {
            endpoint,
            getKey: (name) => decode(keys[name]),
            options: { applicationServerKey: decode(options.applicationServerKey) },
            unsubscribe: async () => (current = null, true),
          });
          PushManager.prototype.getSubscription = async () => current;
        }`);
        yield* shop.begin(production.sdkKey);
        console.error(
          "DBG",
          yield* shop.evaluate(
            "device.subscribe().then(async (r) => [r, Notification.permission, (await navigator.serviceWorker.getRegistration())?.scope, await (await navigator.serviceWorker.getRegistration()).pushManager.getSubscription()])",
          ),
        );
        const { body } = yield* production.platform("/devices?platform=web");
        const [device] = body.data;
        assert.strictEqual(device.transport, "webpush");
        yield* Effect.promise(() =>
          shop.page.setGeolocation({ latitude: 52.37, longitude: 4.9, accuracy: 5 }),
        );
        yield* shop.evaluate("void device.watchPosition()");
        yield* shop.until("told.message.length === 1");
        yield* pushed;
        const [push] = service.ledger;
        assert.isEmpty(service.complaints);
        assert.strictEqual(push?.payload.headline, "Hello");
        const client = yield* Effect.promise(() => shop.page.createCDPSession());
        const registration = yield* Effect.promise(async () => {
          const found = new Promise<string>((resolve) =>
            client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
              const [first] = registrations;
              if (first !== undefined) resolve(first.registrationId);
            }),
          );
          await client.send("ServiceWorker.enable");
          return found;
        });
        yield* Effect.promise(() =>
          client.send("ServiceWorker.deliverPushMessage", {
            origin: shop.origin,
            registrationId: registration,
            data: JSON.stringify(push?.payload),
          }),
        );
        yield* shop.until(
          "navigator.serviceWorker.ready.then((ready) => ready.getNotifications()).then((all) => all.length === 1)",
        );
        const shown = yield* shop.evaluate<object>(`navigator.serviceWorker.ready
          .then((ready) => ready.getNotifications())
          .then(([{ body, data, tag, title }]) => ({ body, data, tag, title }))`);
        assert.deepStrictEqual(shown, {
          title: "Hello",
          body: "World",
          tag: push?.payload.id,
          data: { id: push?.payload.id, addresses: { "": offer } },
        });
        const target = yield* Effect.promise(() =>
          shop.page.browserContext().waitForTarget((each) => each.type() === "service_worker"),
        );
        const worker = yield* Effect.promise(() => target.worker());
        yield* Effect.promise(async () => {
          await worker?.evaluate(`(async () => {
            self.clients.openWindow = async () => null;
            const [notification] = await self.registration.getNotifications();
            const event = new NotificationEvent("notificationclick", { notification, action: "" });
            const waits = [];
            event.waitUntil = (promise) => waits.push(promise);
            self.dispatchEvent(event);
            await Promise.all(waits);
          })()`);
        });
        const listed = yield* production.platform(`/devices/${device.id}/messages`);
        assert.isNotNull(listed.body.data[0].opened_at);
        assert.isNotNull(listed.body.data[0].clicked_at);
      }),
  );
});
