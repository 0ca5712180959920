import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the overview of the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("the overview names what is next, and what needs a person (console.overview)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      yield* waypost.operator(`/workspaces/${workspace.id}`, {
        method: "PATCH",
        body: { plan: { max_campaigns: 1 } },
      });
      const campaign = yield* production.push({ name: "Opening day" });
      yield* production.sent(campaign, "17:00", { name: "Shop open" });
      yield* production.sent(campaign, "18:00", { name: "Last call" });
      const [, last] = yield* production.sends();
      yield* Effect.orDie(sql`
        UPDATE send SET status = 'missed', finished_at = due_at WHERE id = ${last.id}`);
      const webhook = yield* production.platform("/webhooks", {
        body: { url: "http://127.0.0.1:9/hook", events: ["*"], description: "Data warehouse" },
      });
      assert.strictEqual(webhook.status, 201, JSON.stringify(webhook.body));
      yield* production.platform(`/webhooks/${webhook.body.data.id}/test`, { method: "POST" });
      const tab = yield* consoleTab;
      const linesOf = (heading: string) =>
        tab.page.$$eval(`section[aria-labelledby="${heading}"] li`, (lines) =>
          lines.map((line) => line.textContent ?? ""),
        );
      yield* Effect.promise(async () => {
        await tab.open(`?workspace=${workspace.id}&environment=production`);
        await tab.signIn();
        await tab.seePage("Overview");
        await tab.page.waitForSelector(
          "::-p-xpath(//section[@aria-labelledby='coming-up']//a[.='Shop open'])",
        );
        assert.match((await linesOf("coming-up"))[0] ?? "", /^Shop open is sent/);
        await tab.page.waitForFunction(
          "document.querySelectorAll('section[aria-labelledby=attention] li').length === 3",
        );
        const [failing, missed, limit] = await linesOf("attention");
        assert.match(failing ?? "", /^The last call of the webhook Data warehouse failed/);
        assert.match(missed ?? "", /^Last call was missed/);
        assert.strictEqual(limit, "Campaigns that have not ended: 1 of the 1 that the plan allows.");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("an empty environment shows four steps with what is done (console.overview)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { sandbox, tokens } = yield* tenant();
      const tab = yield* consoleTab;
      const done = () => tab.page.$$eval(".first-steps h3", (all) => all.map((each) => each.textContent));
      yield* Effect.promise(async () => {
        await tab.open("");
        await tab.signIn(tokens.sandbox);
        await tab.see("link", "Add locations");
        assert.deepStrictEqual(
          (await done()).map((text) => text?.trim()),
          ["Locations", "Message", "Test", "Publish"],
        );
        assert.isNull(await tab.page.$(".totals"));
        await tab.see("complementary", "Sandbox");
      });
      yield* checkPage(tab);
      const properties = { name: "Dam", radius: 100 };
      const geometry = { type: "Point", coordinates: [4.9, 52.4] };
      const features = [{ type: "Feature", geometry, properties }];
      yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features } });
      const draft = { name: "Autumn", type: "push", starts_at: "2026-12-01", timezone: "UTC", paused: true };
      const { id } = (yield* sandbox("/campaigns", { body: draft })).body.data;
      yield* Effect.promise(async () => {
        await tab.page.reload();
        await tab.press("link", "Add notification");
        await tab.seeAddress(`/campaigns/${id}/notifications/new`);
        await tab.page.goBack();
        await tab.seePage("Overview");
        await tab.page.waitForFunction(
          "document.querySelector('.first-steps h3').textContent === 'Locations Done'",
        );
      });
      yield* sandbox(`/campaigns/${id}/publish`, { method: "POST" });
      yield* Effect.promise(async () => {
        await tab.page.reload();
        await tab.page.waitForSelector(".totals");
        assert.isNull(await tab.page.$(".first-steps"));
      });
    }),
  );

  inBrowser("the overview calls nothing well before it has read everything (console.overview)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const tab = yield* consoleTab;
      const attention = () =>
        tab.page.$eval("section[aria-labelledby=attention]", (section) => section.textContent ?? "");
      yield* Effect.promise(async () => {
        let release = (): void => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        await tab.page.setRequestInterception(true);
        tab.page.on("request", (request) => {
          const wait = request.url().includes("/usage") ? held : Promise.resolve();
          void wait.then(() => request.continue());
        });
        await tab.open(`?workspace=${workspace.id}&environment=production`);
        await tab.signIn();
        // The rest that is read on the page is there.
        await tab.seeText("0 of 0 campaigns active");
        await tab.seeText("Nothing is sent, starts or ends in the next 30 days.");
        await tab.page.waitForSelector("section[aria-labelledby=attention] .loading");
        assert.notInclude(await attention(), "Everything works.");
        release();
        await tab.seeText("Everything works.");
        await tab.page.setRequestInterception(false);
      });
      yield* checkPage(tab);
    }),
  );
});
