import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))("drawing in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a circle is made by its fields, and problems stand at them (console.draw)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations");
        await tab.signIn(tokens.sandbox);
        await tab.press("button", "Draw");
        await tab.seePage("Draw a location");
        await tab.fill("Name", "Dam");
        await tab.fill("Latitude", "95");
        await tab.fill("Longitude", "4.8936");
        await tab.fill("Radius", "20");
        await tab.press("button", "Import 1 location");
        await tab.page.waitForSelector('[aria-invalid="true"]');
        const wrong = await tab.page.$$eval('[aria-invalid="true"]', (fields) =>
          fields.map(
            ({ id, ownerDocument }) => ownerDocument.querySelector(`label[for="${id}"]`)?.textContent,
          ),
        );
        assert.deepStrictEqual(wrong, ["Latitude", "Radius"]);
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.fill("Latitude", "52.3731");
        await tab.fill("Radius", "150");
        await tab.press("button", "Import 1 location");
        await tab.seePage("Locations");
        await tab.see("heading", "Dam");
      });
      const [made] = (yield* sandbox("/locations")).body.data;
      assert.deepInclude(made, { name: "Dam", type: "circle", radius_meters: 150 });
    }),
  );

  inBrowser("a polygon is made by clicks on the map, or by pasted coordinates (console.draw)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations/draw");
        await tab.signIn(tokens.sandbox);
        await tab.choose("Shape", "Polygon");
        await tab.fill("Name", "Park");
        await tab.fill("Coordinates", "52.37, 4.89\n52.37, 4.90\n52.38, 4.90");
        await tab.page.waitForSelector('[data-state="ready"]');
        await tab.press("button", "Import 1 location");
        await tab.see("heading", "Park");
        await tab.open("/locations/draw");
        await tab.seePage("Draw a location");
        await tab.choose("Shape", "Polygon");
        await tab.fill("Name", "Square");
        const map = await tab.page.waitForSelector('[data-state="ready"]');
        await tab.page.waitForFunction("document.querySelector('.map canvas').style.cursor === 'crosshair'");
        const box = await map?.boundingBox();
        const [x, y] = [(box?.x ?? 0) + 300, (box?.y ?? 0) + 200];
        for (const [right, down] of [
          [0, 0],
          [90, 0],
          [90, 90],
          [0, 90],
          [0, 0],
        ] as const) {
          await tab.page.mouse.move(x + right, y + down, { steps: 4 });
          await tab.page.mouse.click(x + right, y + down);
        }
        await tab.page.waitForFunction("document.querySelector('textarea').value.split('\\n').length === 5");
        await tab.press("button", "Import 1 location");
        await tab.see("heading", "Square");
      });
      const made = (yield* sandbox("/locations")).body.data;
      assert.deepStrictEqual(
        made.map(({ name, type }: { readonly name: string; readonly type: string }) => [name, type]),
        [
          ["Square", "polygon"],
          ["Park", "polygon"],
        ],
      );
      yield* checkPage(tab);
    }),
  );

  /** Moves the pointer from the middle of a handle by some pixels, with its button pressed. */
  const drag = async (tab: ConsoleTab, handle: string, right: number, down: number): Promise<void> => {
    const box = await (await tab.see("button", handle)).boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await tab.page.mouse.move(x, y);
    await tab.page.mouse.down();
    await tab.page.mouse.move(x + right, y + down, { steps: 4 });
    await tab.page.mouse.up();
  };
  const valueOf = async (tab: ConsoleTab, label: string): Promise<string> =>
    (await tab.see("textbox", label)).evaluate((field) => (field as unknown as { value: string }).value);

  inBrowser(
    "a pasted position fills both fields; the circle is dragged, among other locations (console.draw)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
        const other = {
          type: "Feature",
          geometry: { type: "Point", coordinates: [4.881, 52.3605] },
          properties: { name: "Neighbour", radius: 60 },
        };
        yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features: [other] } });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("/locations/draw");
          await tab.signIn(tokens.sandbox);
          await tab.fill("Name", "Dam");
          await (await tab.see("textbox", "Latitude")).focus();
          await tab.page.keyboard.sendCharacter("52.36, 4.88");
          assert.strictEqual(await valueOf(tab, "Latitude"), "52.36");
          assert.strictEqual(await valueOf(tab, "Longitude"), "4.88");
          await tab.see("button", "Centre");
          await tab.page.waitForSelector('.map[data-drawn="true"]');
          await drag(tab, "Edge", 60, 0);
          const radius = Number(await valueOf(tab, "Radius"));
          assert.isAbove(radius, 110);
          await drag(tab, "Centre", 0, -30);
          assert.isAbove(Number(await valueOf(tab, "Latitude")), 52.36);
          assert.closeTo(Number(await valueOf(tab, "Longitude")), 4.88, 0.0001);
          assert.strictEqual(Number(await valueOf(tab, "Radius")), radius);
          await (await tab.see("button", "Edge")).focus();
          await tab.page.keyboard.press("ArrowLeft");
          assert.isBelow(Number(await valueOf(tab, "Radius")), radius);
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.press("button", "Import 1 location");
          await tab.see("heading", "Dam");
        });
        assert.strictEqual((yield* sandbox("/locations")).body.data.length, 2);
      }),
  );

  inBrowser(
    "a polygon gets a corner from the middle of a side, and a warning if it is huge (console.draw)",
    () =>
      Effect.gen(function* () {
        const { tokens } = yield* (yield* TestWaypost).tenant();
        const tab = yield* consoleTab;
        const corners = async () => (await valueOf(tab, "Coordinates")).split("\n").length;
        yield* Effect.promise(async () => {
          await tab.open("/locations/draw");
          await tab.signIn(tokens.sandbox);
          await tab.choose("Shape", "Polygon");
          await tab.fill("Coordinates", "52.37, 4.89\n52.37, 4.90\n52.38, 4.90");
          await tab.see("button", "Corner 3");
          await tab.page.waitForSelector('.map[data-drawn="true"]');
          await drag(tab, "New corner after 1", 10, 40);
          assert.strictEqual(await corners(), 5);
          await (await tab.see("button", "Corner 4")).focus();
          await tab.page.keyboard.press("Delete");
          assert.strictEqual(await corners(), 4);
          assert.strictEqual(await tab.page.$("::-p-text(km²)"), null);
          await tab.fill("Coordinates", "52, 4\n52, 5\n53, 5");
          await tab.seeText("km², as much as a large city");
          assert.deepStrictEqual(tab.problems, []);
        });
      }),
  );
});
