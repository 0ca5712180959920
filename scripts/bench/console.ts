/**
 * Measures the console: how long each page takes from the press on its link to its data, over the data of the
 * demo, and the longest task of the page of 10,000 locations while its map moves after loading (at most 100
 * ms): `node scripts/bench/run.ts console`.
 */
import { Console, Effect } from "effect";
import type { Page } from "puppeteer-core";
import { runChapters } from "../../src/demo/Demo.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { inConsole } from "./ConsoleBrowser.ts";
import { ask, newWorkspace, operatorKey } from "./ServiceApi.ts";
import { figure } from "./Rounds.ts";

const locations = 10_000;
const pages = [
  "Campaigns",
  "Locations",
  "Media",
  "Segments",
  "Devices",
  "Events",
  "Sends",
  "Reports",
  "Activity",
];

/** The milliseconds from the press on the link of a page until it shows its data. */
const pageMillis = async (page: Page, name: string): Promise<number> => {
  await page.locator(`::-p-xpath(//nav[@aria-label='Pages']//a[.='${name}'])`).click();
  const shown = `(() => document.querySelector("main h1")?.textContent === ${JSON.stringify(name)}
    && document.querySelector("main .loading") === null)()`;
  const started = await page.evaluate("performance.now()");
  await page.waitForFunction(shown, { polling: "raf" });
  return Number(await page.evaluate("performance.now()")) - Number(started);
};

/** Imports locations all over Europe, in parts of 5,000. */
const importLocations = Effect.fnUntraced(function* (origin: string) {
  const abilities = ["locations:read", "locations:write"];
  const { id, platform, token } = yield* newWorkspace(origin, abilities, "sandbox");
  const features = Array.from({ length: locations }, (_, index) => ({
    type: "Feature",
    geometry: {
      type: "Point",
      coordinates: [((index * 37) % 3000) / 100 - 5, ((index * 61) % 2000) / 100 + 40],
    },
    properties: { name: `Location ${index}`, radius: 100, external_id: String(index) },
  }));
  for (let from = 0; from < locations; from += 5_000) {
    const body = { type: "FeatureCollection", features: features.slice(from, from + 5_000) };
    yield* ask(`${platform}/locations/import`, token, body);
  }
  return id;
});

/** The longest task in milliseconds while the map of all locations is moved, after it was drawn. */
const maxTask = async (page: Page, address: string): Promise<number> => {
  await page.goto(address);
  await page.waitForSelector("::-p-text(10,000 locations)");
  await page.waitForSelector(".map[data-drawn=true] canvas");
  // The map draws the locations once more after all of them are there: that is part of loading.
  await page.evaluate("new Promise((done) => setTimeout(done, 5000))");
  await page.evaluate(`window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: "longtask" })`);
  const map = await page.$(".map canvas");
  await map?.focus();
  for (const key of ["+", "+", "ArrowRight", "ArrowDown", "+", "ArrowLeft", "-", "-", "-"] as const) {
    await page.keyboard.press(key);
    await page.evaluate("new Promise((done) => setTimeout(done, 500))");
  }
  await page.locator("::-p-aria(Search locations)").fill("Location 99");
  await page.waitForFunction("!document.querySelector('main').textContent.includes('10,000 locations')");
  return Number(await page.evaluate("window.longest"));
};

const bench = Effect.gen(function* () {
  const { origin } = yield* BenchWorld.waypost();
  const server = { origin, operatorKey };
  const quiet = { ...globalThis.console, log: () => undefined };
  yield* Effect.provideService(runChapters(server), Console.Console, quiet);
  const context = yield* Effect.context();
  const longest = yield* Effect.promise(() =>
    inConsole(server, async (page) => {
      await page.waitForSelector("::-p-text(Winter menu)");
      const times: Array<number> = [];
      for (const name of pages) times.push(await pageMillis(page, name));
      figure("pages", "pages of the console, from the press on their link to their data", "ms", times);
      const workspace = await Effect.runPromiseWith(context)(importLocations(origin));
      return maxTask(page, `${origin}/console/locations?workspace=${workspace}&environment=sandbox`);
    }),
  );
  const what = `the longest task of a map of ${locations.toLocaleString("en")} locations`;
  figure("task", what, "ms", longest, { atMost: 100 });
});

runBench(bench);
