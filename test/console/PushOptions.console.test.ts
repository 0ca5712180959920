import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("push options in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("options of a push are typed, checked at their fields, previewed and saved (T2.1, T2.2)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { sandbox, tokens } = yield* tenant();
      const made = yield* sandbox("/campaigns", {
        body: { name: "Morning", type: "push", timezone: "UTC", starts_at: "2026-12-01" },
      });
      const path = `/campaigns/${made.body.data.id}`;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`${path}/notifications/new`);
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Add notification");
        await tab.fill("Name", "Hello");
        await tab.fill("Headline", "Good morning");
        await tab.fill("Body", "Coffee is on us.");
        await tab.fill("Send at", "09:30");
        await tab.unfold("Push options");
        await tab.fill("Badge", "many");
        await tab.fill("Lifetime in seconds", "3600");
        await tab.fill("Category", "OFFER");
        await tab.fill("Id of action 1", "save");
        await tab.fill("Title of action 1", "Save it");
        await tab.fill("Data for the app", "offer=4711");
        await tab.press("button", "Add notification");
        await tab.seeText("The badge must be a whole number between 0 and 99,999.");
        await tab.fill("Badge", "3");
        await tab.page.waitForFunction("document.querySelector('.preview-badge')?.textContent === '3'");
        await tab.page.waitForFunction(
          "document.querySelector('.preview-actions')?.textContent === 'Save it'",
        );
        await tab.press("button", "Show what it gets");
        await tab.see("table", "As a push");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Add notification");
        await tab.seePage("Morning");
      });
      const [stored] = (yield* sandbox(`${path}/notifications`)).body.data;
      assert.deepInclude(stored.push, {
        badge: 3,
        ttl_seconds: 3600,
        category: "OFFER",
        actions: [{ id: "save", title: "Save it", url: null }],
        data: { offer: "4711" },
        silent: null,
      });
      yield* Effect.promise(async () => {
        await tab.open(`${path}/notifications/${stored.id}`);
        await tab.seeText("Push options (5 set)");
        await tab.unfold("Push options");
        await tab.press("checkbox", "Silent: wakes the app and shows nothing");
        await tab.seeText("It shows nothing: the app is woken");
        await tab.press("button", "Save");
        await tab.see("dialog", "Change “Hello”?");
        await tab.seeText("silent: yes");
        await tab.press("button", "Change it");
        await tab.seePage("Morning");
      });
      const [silent] = (yield* sandbox(`${path}/notifications`)).body.data;
      assert.deepInclude(silent.push, {
        silent: true,
        badge: null,
        actions: null,
        data: { offer: "4711" },
      });
    }),
  );
});
