import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("segments in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "a segment is built from attributes that devices have, and counted as typed (console.segments)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const { token } = yield* waypost.token(workspace, "production");
        for (const visits of [3, 12, 20])
          yield* production.phone(`phone-${visits}`, {
            attributes: { plan: visits > 10 ? "gold" : "silver", visits, beta: visits === 12 },
          });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("/segments");
          await tab.signIn(token);
          await tab.seeText("No segments yet");
          await tab.press("link", "New segment");
          await tab.seePage("New segment");
          await tab.seeText("Complete the rule to count its devices.");
          await tab.page.waitForFunction("document.querySelectorAll('select option').length > 8");
          await tab.choose("Attribute", "plan");
          await tab.find("Value", "gold", "go");
          await tab.page.waitForSelector("::-p-xpath(//*[@role='status'][.='2 devices'])");
          await tab.press("button", "Save segment");
          const field = await tab.page.waitForSelector('input[aria-invalid="true"]');
          const described = await field?.evaluate((input) => input.getAttribute("aria-describedby"));
          const problem = await tab.page.$eval(`[id="${described}"]`, (each) => each.textContent);
          assert.strictEqual(problem, "The name is required: it cannot be empty.");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.fill("Name", "Gold & frequent");
          await tab.press("button", "Add condition");
          await tab.page.waitForFunction("document.querySelectorAll('fieldset').length === 2");
          const [, second] = await tab.page.$$("fieldset");
          const [attribute, comparison] = (await second?.$$("select")) ?? [];
          await attribute?.select("visits");
          await comparison?.select("gt");
          // A number: the text 15 would have no order with numbers.
          await (await second?.$("input"))?.type("15");
          await tab.page.waitForSelector("::-p-xpath(//*[@role='status'][.='1 device'])");
          await tab.page.reload();
          await tab.page.waitForSelector("::-p-xpath(//*[@role='status'][.='1 device'])");
          await tab.press("button", "Save segment");
          await tab.seePage("Segments");
          await tab.seeText("plan is gold, and visits is more than 15");
        });
        yield* checkPage(tab);
        const { body } = yield* production.platform("/segments");
        assert.deepStrictEqual(body.data[0].rule, {
          match: "all",
          conditions: [
            { attribute: "plan", op: "eq", value: "gold" },
            { attribute: "visits", op: "gt", value: 15 },
          ],
        });
        yield* Effect.promise(async () => {
          await tab.press("link", "Gold & frequent");
          await tab.seePage("Gold & frequent");
          await tab.press("button", "Remove condition 2");
          await tab.choose("Comparison", "is not");
          await tab.page.waitForSelector("::-p-xpath(//*[@role='status'][.='1 device'])");
          await tab.press("button", "Save segment");
          await tab.seeText("The segment is saved.");
        });
        yield* checkPage(tab);
        const changed = yield* production.platform("/segments");
        assert.deepStrictEqual(changed.body.data[0].rule.conditions, [
          { attribute: "plan", op: "ne", value: "gold" },
        ]);
        yield* Effect.promise(async () => {
          await tab.press("button", "Delete");
          await tab.click("dialog .button-danger");
          await tab.seeText("No segments yet");
        });
        yield* checkPage(tab);
      }),
  );
});
