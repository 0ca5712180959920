import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the calendar of the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("all that is due in a month stands on its day (console.calendar)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const token = yield* waypost.token(workspace, "production");
      const newsletter = yield* production.push({
        name: "Newsletter",
        recurrence: { rule: "FREQ=WEEKLY;BYDAY=MO", except: ["2027-01-11"] },
        ends_at: "2027-01-20",
      });
      yield* production.sent(newsletter, "09:00");
      yield* production.sent(yield* production.push({ name: "Launch", starts_at: "2026-12-24" }), "18:00");
      const tab = yield* consoleTab;
      const days = () =>
        tab.page.$$eval("td", (cells) =>
          cells.flatMap((cell) => {
            const links = [...cell.querySelectorAll("a")].map((link) => link.textContent);
            return links.length === 0 ? [] : [`${cell.querySelector("time")?.textContent}: ${links.join()}`];
          }),
        );
      yield* Effect.promise(async () => {
        await tab.open("/calendar?month=2026-12");
        await tab.signIn(token.token);
        await tab.see("link", "18:00 Launch");
        assert.deepStrictEqual(await days(), [
          "7: 09:00 Newsletter",
          "14: 09:00 Newsletter",
          "21: 09:00 Newsletter",
          "24: 18:00 Launch",
          // Over 35 days ahead no send is planned yet.
          "28: Newsletter",
        ]);
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Next month");
        await tab.seeText("January 2027");
        assert.deepStrictEqual(await days(), ["4: Newsletter", "18: Newsletter"]);
      });
    }),
  );

  inBrowser("a calendar without anything due says what to do first (console.calendar)", () =>
    Effect.gen(function* () {
      const { waypost, workspace } = yield* sendWorld();
      const { token } = yield* waypost.token(workspace, "production");
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/calendar");
        await tab.signIn(token);
        await tab.see("heading", "Nothing is due");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("link", "New campaign");
        await tab.seePage("New campaign");
      });
    }),
  );

  inBrowser("a recurrence is chosen with the next dates beside it, and saved (console.recurrence)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const token = yield* waypost.token(workspace, "production");
      const campaign = yield* production.push({ name: "Newsletter", starts_at: "2026-11-24" });
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}/edit?step=when`);
        await tab.signIn(token.token);
        await tab.choose("Repeats", "By a rule of your own");
        await tab.see("textbox", "Rule");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.choose("Repeats", "Every week, or every few weeks");
        await tab.press("checkbox", "Monday");
        await tab.seeText("Monday 30 Nov 2026");
        await tab.seeText("Monday 28 Dec 2026");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Save paused");
        await tab.seePage("Newsletter");
        await tab.seeText("Every week on Monday");
      });
      const { body } = yield* production.platform(`/campaigns/${campaign}`);
      assert.deepStrictEqual(body.data.recurrence, { rule: "FREQ=WEEKLY;BYDAY=MO", except: [] });
      yield* Effect.promise(async () => {
        await tab.press("link", "Edit");
        await tab.press("link", "When");
        await tab.fill("So many times", "3");
        await tab.press("button", "Save paused");
        await tab.seeText("Every week on Monday, 3 times");
        await tab.press("link", "Edit");
        await tab.press("link", "When");
        // The number of times holds, and not the day on which it ended before.
        await tab.fill("Starts at", "2026-12-01");
        await tab.press("button", "Save paused");
        await tab.seeText("21 Dec 2026");
        await tab.press("link", "Add notification");
        await tab.seeText("On each of its days.");
      });
    }),
  );
});
