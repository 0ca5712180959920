import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";
import { savedFile } from "./SavedFile.ts";

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
        await tab.seeAddress("q=KIM");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Approve as test device");
        await tab.seeText("The device is an approved test device.");
        await tab.page.waitForSelector("tbody .badge-good");
      });
      const { body } = yield* sandbox.platform(`/devices/${first.id}`);
      assert.isTrue(body.data.approved);
      const campaign = yield* sandbox.push({ paused: true });
      const message = yield* sandbox.sent(campaign, "21:00", { headline: "A test" });
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}/notifications/${message}`);
        await tab.press("button", "Send a test");
        await tab.page.waitForSelector('input[type=search][aria-invalid="true"]');
        await tab.press("checkbox", "Kim's phone");
        await tab.press("button", "Send a test");
        await tab.seeText("Delivered");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.open(`/devices/${first.id}`);
        await tab.seeText("A test");
        await tab.seeText("The app has not said whose device it is.");
        // Erasure is for the operator.
        assert.isNull(await tab.page.$("::-p-aria(Erase)"));
      });
    }),
  );

  inBrowser(
    "in Production a device is approved on its page, and a test that failed says why (console.devices, O4.6)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const granted = ["devices:read", "devices:write", "campaigns:read"] as const;
        const notifications = ["notifications:read", "notifications:write"] as const;
        const { token } = yield* waypost.token(workspace, "production", [...granted, ...notifications]);
        const push = { transport: "fcm", token: "t" };
        const phone = yield* production.device("A phone", { push });
        yield* production.device("A customer", { push: { ...push, token: "c" } });
        const campaign = yield* production.push({ paused: true });
        const message = yield* production.sent(campaign, "21:00", { headline: "A test" });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("/devices");
          await tab.signIn(token);
          await tab.see("link", "A phone");
          assert.isNull(await tab.page.$("::-p-aria(Approve as test device)"));
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.open(`/devices/${phone.id}`);
          await tab.press("button", "Approve as test device");
          await tab.see("button", "Withdraw approval");
          await tab.open(`/campaigns/${campaign}`);
          await tab.press("button", "Test");
          await tab.page.waitForSelector("dialog .test-device");
          const lines = await tab.page.$$eval("dialog .test-device", (all) =>
            all.map((each) => each.textContent ?? ""),
          );
          assert.deepStrictEqual([lines.length, lines[0]?.startsWith("A phone")], [1, true]);
          assert.notInclude(await tab.page.content(), "A customer");
          await tab.open(`/campaigns/${campaign}/notifications/${message}`);
          await tab.press("checkbox", "A phone");
          await tab.press("button", "Send a test");
          await tab.seeText("No credentials are set for fcm in this environment.");
        });
        yield* checkPage(tab);
      }),
  );

  inBrowser(
    "a device shows its messages, where it was and why campaigns reach it, and is erased (console.devices)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const location = yield* production.location({ name: "Dam Square" });
        const campaign = yield* production.campaign({ name: "Greetings", location_ids: [location] });
        yield* production.notification(campaign, { headline: "Welcome to the square" });
        const night = yield* production.campaign({
          name: "At night",
          location_ids: [location],
          quiet_hours: { from: "11:00", to: "23:00", action: "hold" },
        });
        yield* production.notification(night);
        const kim = { user_id: "kim/1", attributes: { plan: "gold" } };
        const phone = yield* production.phone("Kim's phone", kim);
        yield* production.phone("Kim's tablet", { ...kim, subscribed: false });
        yield* phone.sees("enter", location);
        yield* phone.sees("exit", location);
        const tab = yield* consoleTab;
        const rows = (label: string) =>
          tab.page.$$eval(`::-p-aria([name="${label}"][role="table"]) tbody tr`, (each) =>
            each.map((row) => row.firstElementChild?.textContent),
          );
        yield* Effect.promise(async () => {
          await tab.open(`/devices/${phone.id}?workspace=${workspace.id}&environment=production`);
          await tab.signIn();
          await tab.seePage("Kim's phone");
          await tab.seeText("Welcome to the square");
          await tab.see("table", "Entered and left");
          assert.deepStrictEqual(await rows("Entered and left"), ["Dam Square", "Dam Square"]);
          await tab.see("region", "Map");
          await tab.page.waitForSelector('.map[data-state="ready"]');
          await tab.press("button", "Why");
          await tab.page.waitForFunction("document.activeElement.id === 'why'");
          await tab.see("table", "Why");
          assert.sameMembers([...(await rows("Why"))], ["Greetings", "At night"]);
          await tab.seeText("The device is in none of the locations of the campaign.");
          await tab.see("table", "Held messages");
          await tab.see("link", "2 devices");
        });
        yield* checkPage(tab);
        const file = yield* Effect.promise(() =>
          savedFile(tab, () => tab.press("button", "Export all about this person")),
        );
        const person = JSON.parse(new TextDecoder().decode(file.bytes)).data;
        assert.deepStrictEqual(
          [file.name, person.user_id, person.devices.length],
          ["person.json", "kim/1", 2],
        );
        yield* Effect.promise(async () => {
          await tab.press("button", "Erase");
          await tab.see("dialog", "Erase this device?");
          await tab.fill("Type the installation id to confirm", "Kim");
          await tab.click("dialog .button-danger");
          await tab.seeText("Type the installation id exactly as it is shown.");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.fill("Type the installation id to confirm", "Kim's phone");
          await tab.click("dialog .button-danger");
          await tab.seeText("The device is erased: 1 device.");
          await tab.press("link", "Kim's tablet");
          await tab.seeText("not wanted: nothing is sent to it");
          await tab.press("button", "Erase person");
          await tab.fill("Type the user id to confirm", "kim/1");
          // Enter in the field erases too.
          await tab.page.keyboard.press("Enter");
          await tab.seeText("No devices yet");
        });
        const people = `/workspaces/${workspace.id}/production/people/kim%2F1`;
        assert.strictEqual((yield* waypost.operator(people)).status, 404);
      }),
  );
});
