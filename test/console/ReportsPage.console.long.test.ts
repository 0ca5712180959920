import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { campaign, delivery, devices, event, locations, notification } from "../reports/ReportHistory.ts";
import { reporting } from "../reports/Reporting.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";
import { savedFile } from "./SavedFile.ts";

const day = 86_400_000;
const hostile = `<img src=x onerror="document.title='owned'"> & "Kids"`;

/** Two campaigns with a message each: 3 and 2 deliveries today, and 1 of the first a week ago. */
const history = {
  devices: devices(5),
  locations: locations(2),
  notifications: [notification("Hello"), notification(hostile)],
  campaigns: [
    campaign("Autumn week", {
      startsAt: testStart - 20 * day,
      locations: [0],
      notifications: [{ notification: 0, trigger: "on_enter" as const }],
    }),
    campaign(hostile, {
      locations: [1],
      notifications: [{ notification: 1, trigger: "on_enter" as const }],
    }),
  ],
  deliveries: [
    ...[0, 1, 2].map((device) => delivery(0, device, { openedAt: device === 0 ? testStart : null })),
    ...[3, 4].map((device) => delivery(1, device, { notification: 1 })),
    delivery(0, 4, { settledAt: testStart - 7 * day }),
  ],
  events: [event(0, 0), event(0, 1), event(1, 3, { occurredAt: testStart - day })],
};

const text = (cells: ReadonlyArray<{ readonly textContent: string | null }>) =>
  cells.map((cell) => cell.textContent);

/** The cells of a column of the report's table, by its heading. */
const column = async (tab: ConsoleTab, label: string, heading: string) => {
  const table = await tab.see("table", label);
  const headings = await table.$$eval("thead th", text);
  const index = headings.indexOf(heading);
  assert.notStrictEqual(index, -1, `${heading} in ${headings.join(", ")}`);
  return table.$$eval(`tbody tr td:nth-child(${index + 1})`, text);
};

const sortedBy = (heading: string, direction: string): string =>
  `::-p-xpath(//th[@aria-sort="${direction}"][normalize-space(.)="${heading}"])`;

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("reports in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a report has the API's figures, sorted by its headings and searched (console.reports)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports?report=campaigns");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Reports");
        await tab.see("tab", "Campaigns");
        assert.deepStrictEqual(await column(tab, "Campaigns", "Name"), ["Autumn week", hostile]);
        assert.deepStrictEqual(await column(tab, "Campaigns", "Delivered"), ["4", "2"]);
        await tab.press("button", "Last 7 days");
        await tab.page.waitForFunction("location.search.includes('start=2026-11-15&end=2026-11-21')");
        await tab.seeText("8 Nov 2026 to 14 Nov 2026");
        await tab.page.waitForFunction("document.querySelector('tbody tr').textContent.includes('3')");
        await tab.page.waitForSelector("::-p-xpath(//th[normalize-space(.)='Delivered, period before'])");
        assert.deepStrictEqual(await column(tab, "Campaigns", "Delivered, period before"), ["1", "0"]);
        await tab.press("button", "Delivered");
        await tab.page.waitForSelector(sortedBy("Delivered", "descending"));
        await tab.press("button", "Delivered");
        await tab.page.waitForSelector(sortedBy("Delivered", "ascending"));
        assert.deepStrictEqual(await column(tab, "Campaigns", "Delivered"), ["2", "3"]);
        await tab.fill("Search campaigns", "autumn", "searchbox");
        await tab.seeText("1 row of 2");
        await tab.seeAddress("q=autumn");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("a press on a row filters by it, in an address that can be shared (console.reports)", () =>
    Effect.gen(function* () {
      const { ids, tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports?report=campaigns");
        await tab.signIn(tokens.sandbox);
        await tab.press("link", "Autumn week");
        await tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
        await tab.seeAddress(`campaign=${ids.campaigns[0]}`);
        await tab.press("tab", "Summary");
        await tab.see("table", "Days");
        await tab.page.reload();
        await tab.see("table", "Days");
        assert.deepStrictEqual((await column(tab, "Days", "Delivered")).slice(0, 2), ["3", "0"]);
        await tab.press("button", "Clear filters");
        await tab.page.waitForFunction("document.querySelector('.total-value').textContent === '6'");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("both dates of a range that change at once are kept (console.reports)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports?start=2026-11-01&end=2026-11-20");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Reports");
        await tab.page.$$eval(".filter-day input", (inputs) => {
          for (const [index, input] of inputs.entries()) {
            const field = input as unknown as { value: string };
            field.value = ["2026-11-02", "2026-11-10"][index] ?? "";
            input.dispatchEvent(new Event("input", { bubbles: true }));
          }
        });
        await tab.seeAddress("start=2026-11-02&end=2026-11-10");
      });
    }),
  );

  inBrowser("a report is saved as the API's CSV and as a picture (console.reports)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      const expected = yield* sandbox("/reports/interactions?start=2026-11-15&end=2026-11-21&format=csv");
      yield* Effect.promise(async () => {
        await tab.open("/reports?report=interactions&start=2026-11-15&end=2026-11-21");
        await tab.signIn(tokens.sandbox);
        assert.deepStrictEqual(await column(tab, "Interactions", "Open rate (%)"), ["33.3", "0"]);
        const csv = await savedFile(tab, () => tab.press("button", "CSV"));
        assert.match(csv.name, /^interactions-.*2026-11-15.*2026-11-21\.csv$/);
        assert.strictEqual(csv.bytes.toString("utf8"), expected.body);
        await tab.page.waitForSelector(".chart svg[role=img]");
        const png = await savedFile(tab, () => tab.press("button", "PNG"));
        assert.strictEqual(png.bytes.subarray(1, 4).toString("latin1"), "PNG");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("what the API says of a range stands at its field (console.reports)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* reporting(history);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports?start=2026-11-21&end=2026-11-01");
        await tab.signIn(tokens.sandbox);
        await tab.seeText("cannot be before the start");
        const field = await tab.page.waitForSelector("::-p-aria(End date)");
        assert.strictEqual(await field?.evaluate((input) => input.getAttribute("aria-invalid")), "true");
      });
      yield* checkPage(tab);
    }),
  );
});
