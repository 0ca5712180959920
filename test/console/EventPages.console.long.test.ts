import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { randomUUID } from "node:crypto";
import { fromNow } from "../given/GivenBodies.ts";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const setUp = Effect.gen(function* () {
  const { production, waypost, workspace } = yield* sendWorld();
  const { token } = yield* waypost.token(workspace, "production");
  const device = yield* production.phone(randomUUID(), { user_id: "kim" });
  const event = (name: string, ago: number, properties: object = {}) =>
    Effect.map(fromNow(-ago), (occurred_at) => ({
      id: randomUUID(),
      device_id: device.id,
      name,
      properties,
      occurred_at,
    }));
  const orders = [5, 59.9, 70].map((total, index) =>
    event("order.placed", index * DAY_MS, { total, currency: "EUR" }),
  );
  const events = yield* Effect.all([...orders, event("app.opened", 0), event("app.opened", 20 * DAY_MS)]);
  yield* production.platform("/events", { body: { events } });
  return { production, token, tab: yield* consoleTab };
});

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("events in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("names are counted by day, and one of them filters the newest events (console.events)", () =>
    Effect.gen(function* () {
      const { tab, token } = yield* setUp;
      const rows = () =>
        tab.page.$$eval("table tbody tr", (all) =>
          all.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent)),
        );
      yield* Effect.promise(async () => {
        await tab.open("/events");
        await tab.signIn(token);
        await tab.seeText("All events by day");
        const found = (await rows()).map((cells) => cells.join(" "));
        assert.include(found, "order.placed 1 3");
        assert.include(found, "app.opened 1 1");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("link", "order.placed");
        await tab.seeText("order.placed by day");
        await tab.seeAddress("name=order.placed");
        await tab.seeText("total: 59.9");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("a message on an event takes conditions on properties that were seen (console.on_event)", () =>
    Effect.gen(function* () {
      const { production, tab, token } = yield* setUp;
      const campaign = yield* production.campaign({ type: "event", name: "Thanks" });
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}/notifications/new`);
        await tab.signIn(token);
        await tab.fill("Name", "Thanks for the order");
        await tab.fill("Headline", "Thank you");
        await tab.fill("Body", "It is on its way.");
        await tab.find("Event name", "order.placed", "order");
        await tab.fill("After so many minutes", "30");
        await tab.press("button", "Add property");
        await tab.find("Property", "total", "to");
        await tab.choose("Comparison", "is at least");
        await tab.fill("Value", "50", "combobox");
        await tab.seeText("Seen: currency, total.");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Add notification");
        await tab.seePage("Thanks");
        await tab.seeText("order.placed, 30 minutes later");
      });
      const { body } = yield* production.platform(`/campaigns/${campaign}/notifications`);
      assert.deepInclude(body.data[0].trigger_config, {
        event: "order.placed",
        where: { match: "all", conditions: [{ attribute: "total", op: "gte", value: 50 }] },
      });
      yield* Effect.promise(async () => {
        await tab.press("link", "Thanks for the order");
        await tab.fill("Value", "60", "combobox");
        await tab.fill("After so many minutes", "10");
      });
      const trigger_config = { event: "order.placed", delay_minutes: 20 };
      yield* production.platform(`/campaigns/${campaign}/notifications/${body.data[0].id}`, {
        method: "PATCH",
        body: { ...body.data[0], trigger_config },
      });
      yield* Effect.promise(async () => {
        await tab.press("button", "Save");
        await tab.press("button", "Change it");
        await tab.see("button", "Keep mine: Event: properties");
        await tab.see("button", "Take theirs: Event: minutes later");
        await tab.seeText("total gte 60");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("a campaign without its event is not published, and keeps what is typed (console.on_event)", () =>
    Effect.gen(function* () {
      const { production, tab, token } = yield* setUp;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns/new");
        await tab.signIn(token);
        await tab.choose("Type", "Event");
        await tab.fill("Name", "Thanks");
        await tab.fill("Headline", "Thank you");
        await tab.fill("Body", "It is on its way.");
        await tab.press("link", "When");
        // The time may be typed before the day.
        await tab.fill("Ends at, time", "18:00");
        await tab.fill("Ends at", "2026-12-24");
        await tab.press("link", "Review");
        await tab.seeText("until 24 Dec 2026, 18:00 (UTC)");
        await tab.press("button", "Publish");
        await tab.seeText("Choose the event on which it is sent");
        await tab.page.waitForFunction("document.activeElement?.getAttribute('aria-invalid') === 'true'");
      });
      assert.deepStrictEqual((yield* production.platform("/campaigns")).body.data, []);
    }),
  );

  inBrowser("a segment asks for events beside attributes, with conditions on them (console.segments)", () =>
    Effect.gen(function* () {
      const { production, tab, token } = yield* setUp;
      yield* Effect.promise(async () => {
        await tab.open("/segments/new");
        await tab.signIn(token);
        await tab.fill("Name", "Buyers");
        await tab.press("button", "Add event");
        await tab.press("button", "Remove condition 1");
        await tab.find("Event name", "order.placed", "order");
        await tab.fill("Within days", "7");
        await tab.press("button", "Add event 1, property");
        await tab.find("Property", "currency", "cur");
        await tab.find("Value", "EUR", "E");
        await tab.page.waitForSelector("::-p-xpath(//*[@role='status'][.='1 device'])");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.fill("Within days", "91");
        await tab.press("button", "Save segment");
        const field = await tab.page.waitForSelector('input[aria-invalid="true"]');
        const label = await field?.evaluate((input) => (input as any).labels?.[0]?.textContent);
        assert.strictEqual(label, "Within days");
        // The problem does not move to the condition that has its number now.
        await tab.press("button", "Add condition");
        assert.isNull(await tab.page.$('[aria-invalid="true"]'));
        await tab.press("button", "Remove condition 1");
        await tab.fill("Within days", "7");
        await tab.press("button", "Save segment");
        await tab.seePage("Segments");
        await tab.seeText("order.placed happened within 7 days (currency is EUR)");
      });
      const { body } = yield* production.platform("/segments");
      assert.deepStrictEqual(body.data[0].rule.conditions, [
        {
          event: "order.placed",
          op: "happened",
          within_days: 7,
          where: { match: "all", conditions: [{ attribute: "currency", op: "eq", value: "EUR" }] },
        },
      ]);
    }),
  );
});
