import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { campaign, delivery, devices, locations, notification } from "../reports/ReportHistory.ts";
import { reporting } from "../reports/Reporting.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const history = {
  devices: devices(2),
  locations: locations(1),
  notifications: [notification("Hello")],
  campaigns: [
    campaign("Autumn week", {
      startsAt: testStart - 86_400_000,
      locations: [0],
      notifications: [{ notification: 0, trigger: "on_enter" as const }],
    }),
  ],
  deliveries: [delivery(0, 0)],
};

const isShown = (tab: ConsoleTab, selector: string): Promise<boolean> =>
  tab.page.$eval(selector, (element) => (element as any).checkVisibility());

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the console on other surfaces", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("on a narrow page the open tab is in sight, and filters are folded (console.page)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.page.setViewport({ width: 360, height: 800 });
        await tab.open("/reports?report=results");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Reports");
        await tab.page.waitForFunction(`(() => {
          const chosen = document.querySelector('[role="tab"][aria-selected="true"]');
          const { left, right } = chosen.getBoundingClientRect();
          return left >= 0 && right <= 360;
        })()`);
        await tab.open("/reports?report=interactions&activation=on_enter");
        await tab.see("button", "Filters (1)");
        assert.isFalse(await isShown(tab, ".filters"));
        await tab.press("button", "Filters (1)");
        assert.isTrue(await isShown(tab, ".filters"));
        assert.strictEqual(await tab.overflowAt360(), 0);
        await tab.open("/campaigns");
        await tab.see("searchbox", "Search campaigns");
        assert.isFalse(await isShown(tab, ".filters select"));
      });
    }),
  );

  inBrowser("with forced colours the chosen tab, range and total differ from the others (console.page)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports");
        await tab.signIn(tokens.sandbox);
        await tab.page.waitForSelector(".total[aria-pressed=false]");
        const client = await tab.page.createCDPSession();
        await client.send("Emulation.setEmulatedMedia", {
          features: [{ name: "forced-colors", value: "active" }],
        });
        const colour = (selector: string, property: string) =>
          tab.page.evaluate(`getComputedStyle(document.querySelector("${selector}")).${property}`);
        for (const [part, attribute, property] of [
          [".tab", "aria-selected", "borderBlockEndColor"],
          [".range button", "aria-pressed", "backgroundColor"],
          [".total", "aria-pressed", "backgroundColor"],
        ])
          assert.notStrictEqual(
            await colour(`${part}[${attribute}=true]`, property ?? ""),
            await colour(`${part}[${attribute}=false]`, property ?? ""),
            part,
          );
        await client.detach();
      });
    }),
  );

  inBrowser("a printed report has its figures and scope, without controls (console.reports)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports?start=2026-11-15&end=2026-11-21");
        await tab.signIn(tokens.sandbox);
        await tab.see("table", "Days");
        assert.isFalse(await isShown(tab, ".print-only"));
        await tab.page.emulateMediaType("print");
        assert.match(
          await tab.page.$eval(".print-only", (line) => line.textContent ?? ""),
          / · Sandbox · Summary · 15 Nov 2026 to 21 Nov 2026$/,
        );
        assert.isTrue(await isShown(tab, ".print-only"));
        assert.isTrue(await isShown(tab, ".chart svg"));
        for (const control of [".side", ".tabs", ".range", ".page-head .actions"])
          assert.isFalse(await isShown(tab, control), control);
      });
    }),
  );
});
