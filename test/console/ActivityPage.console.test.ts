import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const hostile = `<img src=x onerror="document.title='owned'">`;

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("activity in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "changes are filtered by the address and listed in pages, and names are text (console.activity)",
    () =>
      Effect.gen(function* () {
        const { tenant } = yield* TestWaypost;
        const { sandbox, tokens } = yield* tenant();
        const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };
        for (let number = 1; number <= 51; number++) {
          const made = yield* sandbox("/segments", { body: { name: `Segment ${number}`, rule } });
          assert.strictEqual(made.status, 201);
        }
        const campaign = yield* sandbox("/campaigns", {
          body: { name: hostile, type: "push", starts_at: "2026-12-01 09:00", timezone: "UTC" },
        });
        yield* sandbox(`/campaigns/${campaign.body.data.id}/pause`, { method: "POST" });
        const tab = yield* consoleTab;
        const rowCount = (count: number) =>
          tab.page.waitForFunction(`document.querySelectorAll("tbody tr").length === ${count}`);
        const cells = () =>
          tab.page.$$eval("tbody tr", (rows) =>
            rows.map((row) => [...row.children].slice(1, 3).map((cell) => cell.textContent)),
          );
        yield* Effect.promise(async () => {
          await tab.open("/activity");
          await tab.signIn(tokens.sandbox);
          await tab.see("table", "Activity");
          await rowCount(50);
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.press("link", "Next page");
          await tab.see("link", "Segment 1");
          await tab.seeText("Rows 51 to");
          await tab.press("link", "Previous page");
          await tab.seeText("Rows 1 to 50");
          await tab.choose("Resource", "Campaign");
          await rowCount(2);
          await tab.seeAddress("resource=campaign");
          await tab.choose("Action", "Paused");
          await rowCount(1);
          await tab.page.reload();
          await tab.see("link", hostile);
          assert.deepStrictEqual(await cells(), [["Test tokenToken", `${hostile}Campaign paused`]]);
          await tab.choose("Actor", "Operator");
          await tab.seeText("No change matches these filters.");
          await tab.press("link", "Show all");
          await tab.press("link", "Segment 51");
          await rowCount(1);
        });
        yield* checkPage(tab);
      }),
  );
});
