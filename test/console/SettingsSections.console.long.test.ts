import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("sections of the settings", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a preset chooses abilities, and Escape does not close a shown secret (console.settings)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=production`);
        await tab.signIn();
        await tab.see("complementary", "Production");
        await tab.press("link", "Tokens");
        await tab.page.waitForFunction("location.hash === '#tokens'");
        await tab.press("button", "Issue token");
        await tab.page.locator("dialog input[type=text]").fill("Kim");
        await tab.press("button", "Editor");
        await tab.page.waitForSelector("dialog [aria-pressed=true]");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.click("dialog button[type=submit]");
        await tab.see("textbox", "Token");
        for (let pressed = 0; pressed < 3; pressed++) await tab.page.keyboard.press("Escape");
        await tab.press("button", "Copy");
        await tab.see("textbox", "Token");
        await tab.press("button", "Done");
        await tab.page.waitForFunction("document.querySelector('dialog') === null");
      });
      const { body } = yield* operator(`/workspaces/${workspace.id}/tokens`);
      const { abilities } = body.data.find((each: any) => each.name === "Kim");
      assert.includeMembers(abilities, ["campaigns:write", "locations:write", "webhooks:read"]);
      assert.notInclude(abilities, "webhooks:write");
    }),
  );

  inBrowser(
    "what was typed into the plan is kept while the dialog is closed (console.settings, console.drafts)",
    () =>
      Effect.gen(function* () {
        const { workspace } = yield* (yield* TestWaypost).tenant();
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
          await tab.signIn();
          await tab.press("button", "Change plan");
          await tab.fill("Campaigns", "123");
          await tab.press("button", "Cancel");
          await tab.page.reload();
          await tab.press("button", "Change plan");
          await tab.seeText("What you typed earlier is here again.");
          const field = await tab.see("textbox", "Campaigns");
          const value = await field.evaluate((input) => (input as { readonly value?: string }).value);
          assert.strictEqual(value, "123");
        });
        yield* checkPage(tab);
      }),
  );

  inBrowser("a test of a push service goes to a test device from a list (console.settings)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const path = `/workspaces/${workspace.id}/production/transports/webpush`;
      const body = { subject: "mailto:push@example.com" };
      assert.strictEqual((yield* waypost.operator(path, { method: "PUT", body })).status, 200);
      const keys = {
        p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        auth: "tBHItJI5svbpez7KI4CCXg",
      };
      const push = { transport: "webpush", endpoint: "https://127.0.0.1:9/push", keys };
      const phone = yield* production.device("Kim's phone", { push, platform: "web" });
      yield* production.device("A customer", {
        push: { ...push, endpoint: "https://127.0.0.1:9/2" },
        platform: "web",
      });
      yield* production.platform(`/devices/${phone.id}`, { method: "PATCH", body: { approved: true } });
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=production`);
        await tab.signIn();
        await tab.press("button", "Send a test by Web Push");
        await tab.choose("Device", "Kim's phone, Web");
        const options = await tab.page.$$eval("dialog option", (all) => all.map((each) => each.textContent));
        assert.deepStrictEqual(options, ["Choose a test device", "Kim's phone, Web"]);
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.click("dialog button[type=submit]");
        await tab.seeText("It took");
      });
    }),
  );
});
