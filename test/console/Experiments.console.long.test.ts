import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { TestClock } from "effect/testing";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const goal = { type: "opened", within_hours: 24 };

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("experiments in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("results say what happened and how sure it is, and a winner ends it (console.experiments)", () =>
    Effect.gen(function* () {
      const { production, workspace } = yield* sendWorld();
      const phones = yield* Effect.forEach(Array.from({ length: 40 }), () => production.phone());
      const campaign = yield* production.push({ name: "Coffee", holdout_percent: 25, goal });
      const variants = [{ key: "b", weight: 40, headline: "Other words" }];
      const notification = yield* production.sent(campaign, "2026-11-21 13:00", { variants });
      yield* moveTo("2026-11-21T13:00:00Z");
      yield* TestClock.adjust("10 minutes");
      const inboxes = yield* Effect.forEach(phones, (phone) => phone.inbox());
      for (const [index, [message]] of inboxes.entries())
        if (message?.variant === "b")
          yield* (phones[index] as (typeof phones)[number]).ask(`/messages/${message.id}/opened`, {
            method: "POST",
          });
      // Somebody answers on the next day, in time.
      yield* moveTo("2026-11-22T01:00:00Z");
      const late = inboxes.findIndex(([message]) => message?.variant === "control");
      yield* (phones[late] as (typeof phones)[number]).ask(`/messages/${inboxes[late]?.[0]?.id}/opened`, {
        method: "POST",
      });
      const path = `/campaigns/${campaign}/experiment`;
      const { arms } = (yield* production.platform(path)).body.data;
      const tab = yield* consoleTab;
      const query = `?workspace=${workspace.id}&environment=production`;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}${query}`);
        await tab.signIn();
        await tab.seePage("Coffee");
        await tab.seeText("with B 100\u00a0% opened the message, with the original ");
        await tab.seeText("Share by day, with its range");
        await tab.page.waitForSelector(".chart-interval text");
        await tab.unfold("Show as table");
        await tab.see("table", "Figures of the chart");
        const rows = await tab.page.$$eval("tbody tr", (all) =>
          all.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent)),
        );
        const names = { holdout: "no message", b: "B", control: "the original" } as Record<string, string>;
        for (const { converted, enrolled, key } of arms)
          assert.deepInclude(rows, [names[key], String(enrolled), String(converted)]);
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Use B for everybody");
        await tab.see("dialog", "Use B for everybody?");
        await tab.seeText("From now on everybody gets B.");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.click("dialog .button-primary");
        await tab.seeText("Everybody gets B since then.");
      });
      const { status, winner } = (yield* production.platform(path)).body.data;
      assert.deepStrictEqual([status, winner], ["stopped", { notification_id: notification, key: "b" }]);
      assert.isNull(yield* Effect.promise(() => tab.page.$("::-p-text(Stop without a winner)")));
    }),
  );

  inBrowser("the holdout says what it costs, and is fixed while it runs (console.experiments)", () =>
    Effect.gen(function* () {
      const { production, workspace } = yield* sendWorld();
      const location = yield* production.location({ name: "Dam Square" });
      const campaign = yield* production.push({ name: "Tea" });
      yield* production.sent(campaign, "2026-11-21 13:00");
      for (let index = 0; index < 8; index++) yield* production.phone();
      const tab = yield* consoleTab;
      const query = `?workspace=${workspace.id}&environment=production&step=who`;
      const stored = Effect.map(production.platform(`/campaigns/${campaign}`), ({ body }) => body.data);
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}/edit${query}`);
        await tab.signIn();
        await tab.fill("Percent of people", "50");
        await tab.seeText("About 4 of 8 people get nothing. Choose a goal, or nothing can be compared.");
        await tab.choose("It worked if", "They visit a location");
        await tab.fill("Within hours", "999");
        await tab.press("checkbox", "Dam Square");
        await tab.press("button", "Save paused");
        await tab.page.waitForFunction("document.activeElement?.getAttribute('aria-invalid') === 'true'");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.fill("Within hours", "48");
        await tab.press("button", "Save paused");
        await tab.seePage("Tea");
        await tab.seeText("Nobody is in it yet");
      });
      const saved = yield* stored;
      const visit = { type: "visit", within_hours: 48, location_ids: [location] };
      assert.deepStrictEqual([saved.holdout_percent, saved.goal], [50, visit]);
      yield* production.ask(campaign, "publish");
      yield* moveTo("2026-11-21T13:00:00Z");
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}/edit${query}`);
        await tab.fill("Percent of people", "10");
        await tab.press("button", "Save paused");
        await tab.seeText("the holdout stays as it was: set it back.");
        const invalid =
          "document.activeElement?.closest('.field')?.textContent.includes('Percent of people')";
        await tab.page.waitForFunction(invalid);
      });
      assert.strictEqual((yield* stored).holdout_percent, 50);
    }),
  );
});
