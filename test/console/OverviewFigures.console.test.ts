import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { campaign, delivery, devices, event, locations, notification } from "../reports/ReportHistory.ts";
import { reporting } from "../reports/Reporting.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const day = 86_400_000;

/** Four deliveries within 30 days, of which one was opened, and two 35 days before; one more 31 days ago. */
const history = {
  devices: devices(5),
  locations: locations(1),
  notifications: [notification("Hello")],
  campaigns: [
    campaign("Autumn week", {
      startsAt: testStart - 60 * day,
      locations: [0],
      notifications: [{ notification: 0, trigger: "on_enter" as const }],
    }),
  ],
  deliveries: [
    ...[0, 1, 2].map((device) => delivery(0, device, { openedAt: device === 0 ? testStart : null })),
    delivery(0, 3, { settledAt: testStart - 2 * day }),
    ...[0, 1].map((device) => delivery(0, device, { settledAt: testStart - 35 * day })),
    delivery(0, 4, { settledAt: testStart - 31 * day }),
  ],
  events: [event(0, 0)],
};

/** The texts of the totals by their labels. */
const totals = async (tab: ConsoleTab): Promise<ReadonlyArray<string>> => {
  // Opens are read by a request of their own.
  await tab.page.waitForFunction(
    "document.querySelector('.totals') && !/…/.test(document.querySelector('.totals').textContent)",
  );
  return tab.page.$$eval(".total", (all) => all.map((each) => each.textContent ?? ""));
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the figures of the overview", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "the overview has opens and rates, compared with the same days as reports (console.overview)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* reporting(history);
        const draft = {
          name: "Unwritten",
          type: "push",
          starts_at: "2026-12-01",
          timezone: "UTC",
          paused: true,
        };
        assert.strictEqual((yield* sandbox("/campaigns", { body: draft })).status, 201);
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("");
          await tab.signIn(tokens.sandbox);
          await tab.seePage("Overview");
          const shown = await totals(tab);
          assert.deepStrictEqual(shown.slice(0, 3), [
            "Delivered4+100\u00a0% from 2",
            "Opened125\u00a0% of deliveredfrom 0",
            "Clicked00\u00a0% of delivered±0\u00a0% from 0",
          ]);
          await tab.seeText("Changes are those from 18 Sept 2026 to 17 Oct 2026");
          await tab.page.waitForFunction(
            "document.querySelector('section tbody tr')?.textContent === " +
              "'Autumn weekActive4125\u00a0%00\u00a0%'",
          );
          await tab.page.waitForSelector("::-p-xpath(//section[@aria-labelledby='attention']//li)");
          await tab.seeText("has no message yet");
          await tab.press("link", "Reports");
          await tab.seePage("Reports");
          assert.deepStrictEqual(await totals(tab), shown);
        });
      }),
  );

  inBrowser("the days of a chart are bars that the arrow keys go through (console.overview)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      const valueText = () =>
        tab.page.$eval("[role=slider]", (chart) => chart.getAttribute("aria-valuetext"));
      yield* Effect.promise(async () => {
        await tab.open("");
        await tab.signIn(tokens.sandbox);
        await tab.page.waitForSelector(".chart g > .bar");
        const fills = await tab.page.$$eval(".chart g > .bar", (bars) =>
          bars.map((bar) => bar.getAttribute("style") ?? ""),
        );
        assert.strictEqual(fills.length, 30);
        assert.deepStrictEqual(
          fills.flatMap((style, index) => (style.includes("url(") ? [index] : [])),
          [29],
          "only today is hatched",
        );
        await tab.page.focus("[role=slider]");
        await tab.page.keyboard.press("ArrowLeft");
        await tab.page.keyboard.press("ArrowLeft");
        assert.strictEqual(await valueText(), "19 Nov 2026: 1. 15 Oct 2026: 0");
        await tab.page.waitForSelector(".chart-tip");
        await tab.page.keyboard.press("Escape");
        await tab.page.waitForFunction("document.querySelector('.chart-tip') === null");
        await tab.page.keyboard.press("Home");
        assert.match((await valueText()) ?? "", /^23 Oct 2026: 0/);
      });
      yield* checkPage(tab);
    }),
  );
});
