import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const circle = (name: string, index: number, group: string | null = null) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.8 + (index % 100) / 500, 52.3 + Math.floor(index / 100) / 500] },
  properties: { name, radius: 100, external_id: `store-${index}`, group },
});

const collection = (features: ReadonlyArray<object>) => ({ type: "FeatureCollection", features });

const hostile = `<img src=x onerror="document.title='owned'">`;

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))("the locations in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  const world = (features: ReadonlyArray<object>) =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const made = yield* tenant();
      const imported = yield* made.sandbox("/locations/import", { body: collection(features) });
      assert.strictEqual(imported.status, 200);
      return made;
    });

  inBrowser("locations are beside their map, searched, filtered by group, changed (console.locations)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* world([
        circle("Dam", 1, "Centre"),
        circle(hostile, 205, "Centre"),
        circle("Zuid", 9903),
      ]);
      const tab = yield* consoleTab;
      const count = (expected: number) =>
        tab.page.waitForFunction(`document.querySelectorAll(".location-name").length === ${expected}`);
      yield* Effect.promise(async () => {
        await tab.open("/locations");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Locations");
        await tab.see("region", "Map");
        await count(3);
        await tab.page.waitForSelector('[data-state="ready"] .maplibregl-ctrl-scale');
        await tab.page.waitForSelector(".map-position");
        await tab.choose("Group", "Centre (2)");
        await count(2);
        await tab.fill("Search locations", "dam", "searchbox");
        await count(1);
        await tab.seeAddress("group=Centre");
        await tab.page.reload();
        await count(1);
        await tab.click(".location-list a");
        await tab.see("heading", "Dam");
        await tab.press("button", "Edit");
        await tab.fill("Name", "");
        await tab.fill("Name", "Dam Square");
        await tab.press("button", "Save");
        await tab.see("heading", "Dam Square");
      });
      yield* checkPage(tab);
      const found = yield* sandbox("/locations?q=dam%20sq");
      assert.strictEqual(found.body.data[0].name, "Dam Square");
    }),
  );

  inBrowser(
    "a location is moved, resized and grouped beside its map, by the keyboard alone (console.locations)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* world([circle("Dam", 1, "Centre"), circle("Zuid", 5)]);
        const tab = yield* consoleTab;
        const { keyboard } = tab.page;
        const focused = (name: string) =>
          tab.page.waitForFunction(`document.activeElement.textContent.startsWith("${name}")`);
        yield* Effect.promise(async () => {
          await tab.open("/locations");
          await tab.signIn(tokens.sandbox);
          const link = await tab.page.waitForSelector(
            '::-p-xpath(//ul[@aria-label="Locations"]//a[contains(., "Dam")])',
          );
          await link?.focus();
          await keyboard.press("Enter");
          await focused("Dam");
          await tab.seeText("0.031 km²");
          await (await tab.see("button", "Edit")).focus();
          await keyboard.press("Enter");
          await tab.fill("Groups", "Centre\nNew");
          await (await tab.see("button", "Centre")).focus();
          await keyboard.press("ArrowUp");
          await tab.fill("Radius", "20");
          await tab.press("button", "Save");
          await tab.page.waitForSelector('[aria-invalid="true"]');
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          const radius = await tab.page.$eval(
            '[aria-invalid="true"]',
            ({ id, ownerDocument }) => ownerDocument.querySelector(`label[for="${id}"]`)?.textContent,
          );
          assert.strictEqual(radius, "Radius");
          await tab.fill("Radius", "300");
          await tab.press("button", "Save");
          await tab.seeText("Circle, 300 m");
          await (await tab.see("button", "Close")).focus();
          await keyboard.press("Enter");
          await focused("Dam");
        });
        const [dam] = (yield* sandbox("/locations?q=dam")).body.data;
        assert.deepInclude(dam, { name: "Dam", radius_meters: 300, external_id: "store-1" });
        assert.deepStrictEqual(dam.groups.toSorted(), ["Centre", "New"]);
        assert.isAbove(dam.geometry.coordinates[1], 52.3);
        assert.deepStrictEqual(tab.problems, []);
      }),
  );

  inBrowser("without WebGL the list alone serves, and says so (console.locations)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* world([circle("Dam", 1)]);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.page.evaluateOnNewDocument("HTMLCanvasElement.prototype.getContext = () => null");
        await tab.open("/locations");
        await tab.signIn(tokens.sandbox);
        await tab.seeText("This browser draws no maps (it has no WebGL). The list has everything.");
        await tab.seeText("Dam");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("ten thousand locations take three requests, and do not block the page (console.locations)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* world(
        Array.from({ length: 10_000 }, (_, index) => circle(`S ${index}`, index)),
      );
      const tab = yield* consoleTab;
      const warnings: Array<string> = [];
      const asked = new Set<string>();
      tab.page.on("console", (message) => {
        if (message.text().includes("could not be loaded")) warnings.push(message.text());
      });
      yield* Effect.promise(async () => {
        await tab.page.evaluateOnNewDocument(`{
          const { fillText } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.fillText = function (...text) {
            globalThis.isNumberDrawn = true;
            return fillText.apply(this, text);
          };
        }`);
        tab.page.on("request", (request) => {
          if (request.url().includes("/locations") && request.url().includes("/platform/"))
            asked.add(request.url());
          if (request.url().includes("/location_groups")) asked.add(request.url());
        });
        await tab.open("/locations");
        await tab.signIn(tokens.sandbox);
        await tab.seeText("Rows 1 to 50 of 10,000");
        await tab.page.waitForSelector('.map[data-drawn="true"]');
        assert.isAtMost(asked.size, 3);
        await tab.press("link", "Next page");
        await tab.seeText("Rows 51 to 100 of 10,000");
        await tab.page.waitForFunction("globalThis.isNumberDrawn");
      });
      // The map has the picture of each number when it asks for it.
      assert.deepStrictEqual(warnings, []);
      assert.deepStrictEqual(tab.problems, []);
    }),
  );
});
