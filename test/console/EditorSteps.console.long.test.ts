import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { ok } from "../given/Given.ts";
import { circle } from "../copies/CopyWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const shop = Effect.gen(function* () {
  const world = yield* (yield* TestWaypost).tenant({ timezone: "Europe/Amsterdam" });
  const body = { type: "FeatureCollection", features: [circle("Dam Square"), circle("Station")] };
  ok(yield* world.sandbox("/locations/import", { body }));
  return world;
});

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the steps of the editor of campaigns", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a message that is refused leaves a draft, which the editor continues with (console.steps)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* shop;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns/new");
        await tab.signIn(tokens.sandbox);
        await tab.fill("Name", "Rain");
        await tab.fill("Headline", "It rains");
        await tab.fill("Body", "Come in.");
        await tab.fill("Button label", "See");
        await tab.press("link", "Next");
        await tab.press("checkbox", "Dam Square");
        await tab.press("button", "Save paused");
        await tab.seePage("Edit Rain");
      });
      yield* Effect.promise(async () => {
        await tab.page.waitForFunction("document.activeElement?.getAttribute('aria-invalid') === 'true'");
        await tab.seeText("needs an address");
      });
      yield* checkPage(tab);
      assert.lengthOf((yield* sandbox("/campaigns")).body.data, 1);
      yield* Effect.promise(async () => {
        await tab.fill("Button address", "acme://rain");
        await tab.press("button", "Save paused");
        await tab.seePage("Rain");
        await tab.see("link", "Rain");
      });
      const list = (yield* sandbox("/campaigns")).body.data;
      assert.deepStrictEqual(
        list.map((each: any) => [each.name, each.published_at]),
        [["Rain", null]],
      );
      const messages = (yield* sandbox(`/campaigns/${list[0].id}/notifications`)).body.data;
      assert.deepStrictEqual(
        messages.map((each: any) => [each.name, each.cta_url]),
        [["Rain", "acme://rain"]],
      );
    }),
  );

  inBrowser("a change of a live campaign says what changes, and asks once (console.live_change)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* shop;
      const made = yield* sandbox("/campaigns", {
        body: { name: "Morning", type: "push", timezone: "UTC", starts_at: "2026-12-01" },
      });
      const path = `/campaigns/${made.body.data.id}`;
      yield* sandbox(`${path}/notifications`, {
        body: {
          name: "First",
          type: "message",
          headline: "Hello",
          body: "Good morning.",
          trigger_type: "fixed_time",
          trigger_config: { send_at: "23:30" },
        },
      });
      const quiet = { from: "22:00", to: "07:00", action: "drop" };
      yield* sandbox(path, {
        method: "PATCH",
        body: {
          name: "Morning",
          type: "push",
          timezone: "UTC",
          starts_at: "2026-12-01",
          quiet_hours: quiet,
        },
      });
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`${path}/edit`);
        await tab.signIn(tokens.sandbox);
        await tab.seeText("This campaign is live");
        await tab.fill("Headline", "Hello there");
        await tab.press("link", "Review");
        await tab.seeText("“First” is sent in quiet hours for devices in UTC, 22:00 to 07:00");
        await tab.seeText("Headline: Hello → Hello there");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Publish");
        await tab.see("dialog", "Publish “Morning”?");
        await tab.page.waitForSelector("dialog .changes li");
        await tab.click("dialog .button-primary");
        await tab.seePage("Morning");
        await tab.seeText("“Morning” is published.");
      });
      const messages = (yield* sandbox(`${path}/notifications`)).body.data;
      assert.deepStrictEqual(
        messages.map((each: any) => [each.name, each.headline]),
        [["First", "Hello there"]],
      );
    }),
  );
});
