import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const names = (rows: ReadonlyArray<{ readonly textContent: string | null }>) =>
  rows.map((row) => row.textContent);

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the list of campaigns in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "campaigns are filtered and searched by the address, which can be shared (console.campaigns)",
    () =>
      Effect.gen(function* () {
        const { tenant } = yield* TestWaypost;
        const { sandbox, tokens } = yield* tenant();
        const hostile = `<img src=x onerror="document.title='owned'"> & "Kids"`;
        for (const name of ["Autumn week", "Black Friday", hostile]) {
          const made = yield* sandbox("/campaigns", {
            body: { name, type: "push", starts_at: "2026-12-01 09:00", timezone: "Europe/Amsterdam" },
          });
          assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        }
        const tab = yield* consoleTab;
        const rows = () => tab.page.$$eval("tbody .row-link", names);
        yield* Effect.promise(async () => {
          await tab.open("/campaigns");
          await tab.signIn(tokens.sandbox);
          await tab.seeText("Black Friday");
          assert.deepStrictEqual(await rows(), [hostile, "Black Friday", "Autumn week"]);
          await tab.fill("Search campaigns", "friday", "searchbox");
          await tab.page.waitForFunction("document.querySelectorAll('tbody .row-link').length === 1");
          await tab.seeAddress("q=friday");
          await tab.page.reload();
          await tab.seeText("Black Friday");
          assert.deepStrictEqual(await rows(), ["Black Friday"]);
          await tab.choose("Status", "Ended");
          await tab.seeText("No campaign matches these filters.");
        });
        yield* checkPage(tab);
      }),
  );

  inBrowser("an archived campaign leaves the list and can come back (console.campaigns)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { sandbox, tokens } = yield* tenant();
      const made = yield* sandbox("/campaigns", {
        body: { name: "Autumn week", type: "push", starts_at: "2026-12-01 09:00", timezone: "UTC" },
      });
      const path = `/campaigns/${made.body.data.id}`;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(path);
        await tab.signIn(tokens.sandbox);
        await tab.press("button", "Archive");
        await tab.seeText("“Autumn week” is archived.");
        await tab.see("button", "Unarchive");
        await tab.press("link", "Campaigns");
        await tab.seeText("No campaigns yet");
        await tab.press("link", "Archived campaigns");
        await tab.press("link", "Autumn week");
        await tab.press("button", "Unarchive");
        await tab.see("button", "Archive");
      });
      assert.containSubset((yield* sandbox(path)).body.data, { archived: false, status: "paused" });
      yield* checkPage(tab);
    }),
  );

  inBrowser("an environment without campaigns says what to do first (console.campaigns)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns");
        await tab.signIn(tokens.production);
        await tab.seeText("No campaigns yet");
        await tab.see("link", "New campaign");
      });
      yield* checkPage(tab);
    }),
  );
});
