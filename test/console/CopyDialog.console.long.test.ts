import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { ok } from "../given/Given.ts";
import { copyWorld, fullGeoCampaign } from "../copies/CopyWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab, type ConsoleTab } from "./ConsoleTab.ts";

/** The lines of the lists in the open dialog. */
const linesOf = ({ page }: ConsoleTab) =>
  page.$$eval("dialog ul", (lists) =>
    lists.map((list) => [...list.children].map((line) => line.textContent ?? "")),
  );

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("copies of campaigns in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("the operator copies a campaign to Production from its page (console.campaigns, CO4.7)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const { id } = world.workspace;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}?workspace=${id}&environment=sandbox`);
        await tab.signIn();
        await tab.seePage("Opening week");
        await tab.press("button", "Copy to Production");
        await tab.seeText("This makes in Production");
        assert.deepStrictEqual(await linesOf(tab), [
          [
            "1 paused campaign, with the same dates and limits",
            "3 notifications",
            "1 media file",
            "3 locations",
            "1 location group",
          ],
        ]);
      });
      yield* checkPage(tab);
      const copies = () => Effect.map(world.production("/campaigns"), ok);
      assert.lengthOf(yield* copies(), 0);
      yield* Effect.promise(async () => {
        await tab.click("dialog button[type=submit]");
        await tab.see("link", "Open the copy");
      });
      const [copy] = yield* copies();
      assert.deepStrictEqual([copy.name, copy.status], ["Opening week", "paused"]);
      yield* Effect.promise(async () => {
        await tab.press("link", "Open the copy");
        await tab.seeAddress(`/campaigns/${copy.id}`);
        await tab.seeAddress("environment=production");
        await tab.seePage("Opening week");
        await tab.see("button", "Copy to Sandbox");
        // There the name is taken, and the locations are known.
        await tab.press("button", "Copy to Sandbox");
        await tab.seeText("It uses what is there already, unchanged:");
        assert.deepStrictEqual((await linesOf(tab))[1], ["2 locations", "1 location group"]);
        const name = await tab.see("textbox", "Name of the copy");
        assert.strictEqual(
          await name.evaluate((input) => (input as { readonly value?: string }).value),
          "Opening week (2)",
        );
        await tab.fill("Name of the copy", "Opening week");
        await tab.click("dialog button[type=submit]");
        await tab.seeText("is taken in Sandbox");
        await tab.fill("Name of the copy", "Back again");
        await tab.click("dialog button[type=submit]");
        await tab.press("button", "Close");
        await tab.seePage("Opening week");
      });
      assert.include(
        ok(yield* world.sandbox("/campaigns")).map(({ name }: { readonly name: string }) => name),
        "Back again",
      );
      yield* checkPage(tab);
    }),
  );

  inBrowser("a limit of the plan is said before anything is made (console.campaigns, CO4.5)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { operator } = yield* TestWaypost;
      const { campaign } = yield* fullGeoCampaign(world);
      const { id } = world.workspace;
      const body = { plan: { max_notifications_per_campaign: 2 } };
      ok(yield* operator(`/workspaces/${id}`, { method: "PATCH", body }));
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}?workspace=${id}&environment=sandbox`);
        await tab.signIn();
        await tab.press("button", "Copy to Production");
        await tab.seeText("The plan allows 2 notifications on a campaign, and this one has 3");
        assert.isNull(await tab.page.$("dialog"));
      });
    }),
  );

  inBrowser("a person with a token is not offered a copy in the other environment (console.campaigns)", () =>
    Effect.gen(function* () {
      const world = yield* copyWorld();
      const { campaign } = yield* fullGeoCampaign(world);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}`);
        await tab.signIn(world.tokens.sandbox);
        await tab.see("link", "Duplicate");
        assert.notInclude(await tab.page.$eval("main", (main) => main.textContent ?? ""), "Copy to");
      });
    }),
  );

  inBrowser(
    "Production of a new workspace says what the operator can do, and offers the switch (console.overview)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspace = yield* waypost.workspace({ enabled: false });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open(`/?workspace=${workspace.id}&environment=production`);
          await tab.signIn();
          await tab.seeText("Only you can work in Production yet");
          assert.notInclude(await tab.page.content(), "Ask the operator");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.press("button", "Turn on the full platform API");
          await tab.press("button", "Turn on");
          await tab.seeText("The full platform API is on.");
          await tab.page.waitForFunction("!document.body.textContent.includes('Only you can work')");
        });
        const { body } = yield* waypost.operator(`/workspaces/${workspace.id}`);
        assert.isTrue(body.data.platform_api_enabled);
      }),
  );
});
