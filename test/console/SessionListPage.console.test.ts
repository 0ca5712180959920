import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { TestClock } from "effect/testing";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";
import { signIn } from "./TestSession.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("sessions in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("the operator sees all sessions, and ends one or all others (console.sessions)", () =>
    Effect.gen(function* () {
      const { operator, origin, tenant } = yield* TestWaypost;
      yield* operator("/console/sessions", { method: "DELETE" });
      const { tokens, workspace } = yield* tenant();
      const agent = { "user-agent": "<b>Browser</b> 1" };
      const ada = yield* signIn(origin, { access_key: tokens.sandbox, name: "Ada" }, agent);
      // The list is in the order of time.
      yield* TestClock.adjust("1 second");
      const kim = yield* signIn(origin, { access_key: testOperatorKey, name: "Kim" });
      yield* TestClock.adjust("1 second");
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
        await tab.signIn();
        await tab.press("link", "Sessions");
        await tab.seePage("Sessions");
        await tab.see("table", "Sessions");
        await tab.seeText("This one");
        const cells = await tab.page.$$eval("tbody tr", (rows) =>
          rows.map((row) => [...row.children].map((cell) => cell.textContent)),
        );
        assert.deepStrictEqual(
          cells.map(([who]) => who),
          [
            "Operator This oneAll workspaces",
            "Kim All workspaces",
            `Ada Token Test token of ${workspace.name}, sandbox`,
          ],
        );
        assert.strictEqual(cells[2]?.[3], "127.0.0.1<b>Browser</b> 1");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "End the session of Ada");
        await tab.click("dialog .button-danger");
        await tab.seeText("The session has ended.");
        await tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 2");
      });
      assert.strictEqual((yield* ada.ask("/sandbox/platform/v1/me")).status, 401);
      assert.strictEqual((yield* kim.ask("/operator/v1/workspaces")).status, 200);
      yield* Effect.promise(async () => {
        await tab.press("button", "End all others");
        await tab.click("dialog .button-danger");
        await tab.seeText("All other sessions have ended.");
        await tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
      });
      assert.strictEqual((yield* kim.ask("/operator/v1/workspaces")).status, 401);
    }),
  );

  inBrowser("somebody with a token has no list of sessions (console.sessions)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/settings/sessions");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Not allowed");
      });
    }),
  );
});
