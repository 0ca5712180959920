import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { TestClock } from "effect/testing";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { locally } from "../sending/sends/LocalWorld.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";
import { savedFile } from "./SavedFile.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))("recipients in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("the funnel leads to lists of recipients, and a device says why not (console.recipients)", () =>
    Effect.gen(function* () {
      const { production, workspace } = yield* sendWorld();
      const location = yield* production.location();
      const campaign = yield* production.campaign({ name: "Greetings", location_ids: [location] });
      yield* production.notification(campaign, { headline: "Welcome" });
      const kim = yield* production.phone("Kim's phone", { user_id: "kim@example.com" });
      const lee = yield* production.phone("Lee's phone", { push: { transport: "fcm", token: "t" } });
      yield* production.phone("Sam's phone");
      for (const phone of [kim, lee]) yield* phone.sees("enter", location);
      const [message] = yield* kim.inbox();
      yield* kim.ask(`/messages/${message.id}/opened`, { method: "POST" });
      yield* TestClock.adjust("10 minutes");
      const tab = yield* consoleTab;
      const query = `?workspace=${workspace.id}&environment=production`;
      const rows = () =>
        tab.page.$$eval("tbody tr", (each) => each.map((row) => row.firstElementChild?.textContent));
      const oneRow = () => tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
      const funnel = (index: number, text: string) =>
        tab.page.waitForFunction(
          `document.querySelectorAll('.funnel li')[${index}]?.textContent.startsWith('${text}')`,
        );
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${campaign}${query}`);
        await tab.signIn();
        await tab.seePage("Greetings");
        await funnel(0, "Targeted2");
        await funnel(1, "Delivered150\u00a0%");
        await funnel(2, "Opened1100\u00a0%");
        await funnel(3, "Clicked0");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.page.click(".funnel li:nth-child(3) a");
        await tab.seePage("Recipients");
        await tab.seeAddress("outcome=opened");
        await oneRow();
        assert.deepStrictEqual(await rows(), ["Kim's phonekim@example.com"]);
        await tab.page.select("select:has(option[value=failed])", "failed");
        await tab.seeText("No credentials are set for fcm in this environment.");
        assert.deepStrictEqual(await rows(), ["Lee's phone"]);
        await tab.page.click(".funnel li:nth-child(1) a");
        await tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 2");
      });
      yield* checkPage(tab);
      const { bytes } = yield* Effect.promise(() => savedFile(tab, () => tab.press("button", "Save CSV")));
      assert.match(bytes.toString(), /^device_id,installation_id,/);
      yield* Effect.promise(async () => {
        await tab.fill("Search recipients", "sam", "searchbox");
        await tab.press("link", "Why not? Sam's phone");
        await tab.seePage("Sam's phone");
        await tab.seeText("The device is in none of the locations of the campaign.");
        const [at] = await tab.page.$$eval(".filters label", (labels) =>
          labels.map((label) => label.textContent ?? "").filter((text) => text.startsWith("At (")),
        );
        await tab.fill(at ?? "", "2026-11-21");
        await tab.fill(`${at}, time`, "12:05");
        await tab.seeAddress("at=2026-11-21+12%3A05");
        await tab.seeText("Nothing is kept that says what happened then.");
        await tab.open(`/devices/${kim.id}${query}&campaign=${campaign}&at=2026-11-21T12:05`);
        await tab.seeText("The message was already sent.");
        await tab.open(`/devices/${kim.id}${query}&campaign=${campaign}&at=2027-01-01T12:05`);
        await tab.seeText("The at must be an instant in the past.");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser(
    "publishing a push whose time has passed warns, and Overview does not list it (console.late)",
    () =>
      Effect.gen(function* () {
        const { production, workspace } = yield* sendWorld();
        for (const timezone of ["Asia/Tokyo", "America/New_York"])
          yield* production.phone(undefined, { timezone });
        const half = yield* production.push({ name: "Half", paused: true });
        yield* production.notification(half, { ...locally("09:00"), name: "Coffee" });
        const gone = yield* production.push({ name: "Gone", paused: true });
        yield* production.notification(gone, { ...locally("00:30"), name: "Night" });
        const live = yield* production.push({ name: "Live" });
        yield* production.notification(live, { ...locally("00:10"), name: "Over" });
        yield* production.notification(live, { ...locally("10:00"), name: "Tea" });
        const tab = yield* consoleTab;
        const query = `?workspace=${workspace.id}&environment=production`;
        yield* Effect.promise(async () => {
          await tab.open(`/campaigns/${half}${query}`);
          await tab.signIn();
          await tab.press("button", "Publish");
          await tab.seeText(
            "The time of “Coffee” has passed for 1 of 2 devices of the audience. They do not get it.",
          );
          await tab.open(`/campaigns/${gone}${query}`);
          await tab.press("button", "Publish");
          await tab.seeText(
            "The time of “Night” has passed for every device of the audience. Nobody gets it.",
          );
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.open(`/${query}`);
          await tab.page.waitForSelector("::-p-xpath(//section[@aria-labelledby='coming-up']//a[.='Tea'])");
          const lines = await tab.page.$$eval("section[aria-labelledby=coming-up] li a", (links) =>
            links.map((link) => link.textContent),
          );
          assert.include(lines, "Tea");
          assert.notInclude(lines, "Over");
        });
      }),
  );
});
