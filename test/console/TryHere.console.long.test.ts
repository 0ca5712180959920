import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { ok } from "../given/Given.ts";
import { copyWorld } from "../copies/CopyWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { checkPage, consoleTab, ConsoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("trying a campaign in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "this browser becomes a test device in two clicks, and a simulated visit shows what comes (console.try)",
    () =>
      Effect.gen(function* () {
        const { sandbox, workspace } = yield* copyWorld();
        const feature = {
          type: "Feature",
          geometry: { type: "Point", coordinates: [4.9, 52.37] },
          properties: { name: "Dam Square", radius: 100 },
        };
        ok(yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features: [feature] } }));
        const [location] = ok(yield* sandbox("/locations"));
        const campaign = ok(
          yield* sandbox("/campaigns", {
            body: {
              name: "Rain",
              type: "geo",
              timezone: "UTC",
              starts_at: "2026-11-21",
              location_ids: [location.id],
            },
          }),
        );
        ok(
          yield* sandbox(`/campaigns/${campaign.id}/notifications`, {
            body: {
              name: "Rain",
              type: "message",
              headline: "It rains",
              body: "Come in.",
              trigger_type: "on_enter",
            },
          }),
        );
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open(`/campaigns/${campaign.id}?workspace=${workspace.id}&environment=sandbox`);
          await tab.signIn();
          await tab.press("button", "Test");
          await tab.press("button", "Try it here");
          await tab.see("image", "Code to scan with a phone");
          await tab.seeText("Waiting for a device…");
        });
        yield* checkPage(tab);
        const tried = yield* Effect.promise(async () => {
          const opened = new Promise<ConsoleTab>((resolve) =>
            tab.page.once("popup", (page) => page !== null && resolve(new ConsoleTab(page, tab.origin, []))),
          );
          await tab.press("link", "Use this browser");
          const other = await opened;
          await other.seeText("This browser is a device now.");
          // A page that is hidden reads nothing.
          await tab.page.bringToFront();
          // A page behind another one paints no frames.
          await tab.page.waitForFunction("document.body.innerText.includes('is an approved test device.')", {
            polling: 200,
          });
          await other.page.bringToFront();
          // The server's time is that of tests.
          await other.page.evaluate(`Date.now = () => ${testStart}`);
          await other.press("button", "Simulate a visit of “Dam Square”");
          await other.seeText("This came: “It rains”.");
          await other.page.waitForSelector(">>> li[part=message]");
          return other;
        });
        assert.deepStrictEqual(yield* Effect.promise(() => tried.accessibilityProblems()), []);
        assert.strictEqual(yield* Effect.promise(() => tried.overflowAt360()), 0);
        const [device] = ok(yield* sandbox("/devices"));
        assert.containSubset(device, { platform: "web", approved: true });
        const [message] = ok(yield* sandbox(`/devices/${device.id}/messages`));
        assert.strictEqual(message.headline, "It rains");
        yield* Effect.promise(async () => {
          await tried.press("button", "End the test");
          await tried.seeText("This browser is no device any more.");
        });
      }),
  );

  inBrowser("the page of test devices takes no key that the console has not just made (console.try)", () =>
    Effect.gen(function* () {
      const { sandbox: device } = yield* givenWorkspace();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        const visit = "&visit=01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60&name=Win%20a%20prize";
        await tab.page.goto(`${tab.origin}/sdk/v1/try.html#key=${device.sdkKey}&try=theirs${visit}`);
        await tab.seeText("open “Try it here” in the console");
        assert.notInclude(String(await tab.page.evaluate("document.body.innerText")), "prize");
      });
      const sql = yield* SqlClient.SqlClient;
      assert.deepStrictEqual(
        yield* sql`SELECT id FROM device WHERE workspace_id = ${device.workspaceId}`,
        [],
      );
    }),
  );

  inBrowser("a person with a token is not offered to try it, which takes an SDK key (console.try)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* (yield* TestWaypost).tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/devices");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Devices");
        assert.notInclude(await tab.page.$eval("main", (main) => main.textContent ?? ""), "Try it here");
      });
    }),
  );
});
