import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))("devices in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("devices are searched, and approved as test devices (console.devices)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost, workspace } = yield* sendWorld();
      const { token } = yield* waypost.token(workspace, "sandbox");
      const first = yield* sandbox.device("Kim's phone", { platform: "ios" });
      yield* sandbox.device("tablet <i>2</i>");
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/devices");
        await tab.signIn(token);
        await tab.see("link", "tablet <i>2</i>");
        await tab.fill("Search devices", "KIM", "searchbox");
        await tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
        assert.include(tab.page.url(), "q=KIM");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Approve as test device");
        await tab.seeText("The device is an approved test device.");
        await tab.page.waitForSelector("tbody .badge-good");
      });
      const { body } = yield* sandbox.platform(`/devices/${first.id}`);
      assert.isTrue(body.data.approved);
    }),
  );

  inBrowser(
    "a device shows its messages, where it entered and left, and why campaigns reach it (console.devices)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const { token } = yield* waypost.token(workspace, "production");
        const location = yield* production.location("Dam Square");
        const campaign = yield* production.campaign({ name: "Greetings", location_ids: [location] });
        yield* production.notification(campaign, { headline: "Welcome to the square" });
        const phone = yield* production.phone("Kim's phone", { attributes: { plan: "gold" } });
        yield* phone.sees("enter", location);
        yield* phone.sees("exit", location);
        const tab = yield* consoleTab;
        const rows = (label: string) =>
          tab.page.$$eval(`::-p-aria([name="${label}"][role="table"]) tbody tr`, (each) =>
            each.map((row) => row.firstElementChild?.textContent),
          );
        yield* Effect.promise(async () => {
          await tab.open(`/devices/${phone.id}`);
          await tab.signIn(token);
          await tab.seePage("Kim's phone");
          await tab.seeText("Welcome to the square");
          await tab.see("table", "Entered and left");
          assert.deepStrictEqual(await rows("Entered and left"), ["Dam Square", "Dam Square"]);
          await tab.see("region", "Map");
          await tab.page.waitForSelector('.map[data-state="ready"]');
          await tab.press("button", "Why");
          await tab.page.waitForFunction("document.activeElement.id === 'why'");
          await tab.see("table", "Why");
          assert.deepStrictEqual(await rows("Why"), ["Greetings"]);
          await tab.seeText("The device is in none of the locations of the campaign.");
        });
        yield* checkPage(tab);
      }),
  );
});
