import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import sharp from "sharp";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

type Point = readonly [lng: number, lat: number];

/** Points of the sea: on the latitudes of countries at 180°, and where Antarctica would be. */
const sea: ReadonlyArray<Point> = [
  [0, 71],
  [-65, 72],
  [40, 72],
  [-150, 72],
  [-125, -17],
  [-20, -17],
  [5, -17],
  [60, -10],
  [90, -17],
  [-160, 40],
  [160, 40],
  [155, -17],
  [-165, -17],
  [175, 10],
  [-175, 57],
  [170, 57],
  [-170, 45],
  [0, -75],
  [90, -76],
];
const land: ReadonlyArray<Point> = [
  [100, 62],
  [176, 67],
  [-174, 66.8],
  [-150, 66],
  [-100, 45],
  [25, 0],
  [135, -25],
  [-60, -10],
];

const [seaColour, landColour] = ["220 232 239", "247 247 244"];

/** A picture of the map as its pixels. */
const pictureOf = async (tab: ConsoleTab, zoom: number) => {
  const canvas = await tab.page.waitForSelector(`.map[data-drawn="true"][data-zoom="${zoom}"] canvas`);
  const png = await canvas?.screenshot();
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const position = await tab.page.$eval(".map-position", ({ textContent }) => textContent ?? "");
  const [lat = 0, lng = 0] = position.replace("Centre ", "").split(", ").map(Number);
  return { data, ...info, centre: [lng, lat] as const };
};

/** The zoom at which the map is drawn, once it is another one than before. */
const zoomOf = async (tab: ConsoleTab, before = -1): Promise<number> => {
  const drawn = `document.querySelector('.map[data-drawn="true"]')?.dataset.zoom`;
  await tab.page.waitForFunction(`![undefined, "${before}"].includes(${drawn})`);
  return Number(await tab.page.evaluate(drawn));
};

/** The most frequent colour around a point: a name may lie on it. */
const colourAt = (
  { data, width }: { readonly data: Buffer; readonly width: number },
  x: number,
  y: number,
) => {
  const counts = new Map<string, number>();
  for (let dx = -3; dx <= 3; dx++)
    for (let dy = -3; dy <= 3; dy++) {
      const start = ((y + dy) * width + x + dx) * 3;
      const colour = [...data.subarray(start, start + 3)].join(" ");
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
};

const mercator = (lat: number): number =>
  Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);

/** The points that the picture shows, in each copy of the world, and the colour of each. */
const seen = async (tab: ConsoleTab, zoom: number, points: ReadonlyArray<Point>) => {
  const picture = await pictureOf(tab, zoom);
  const { centre, height, width } = picture;
  const world = 512 * 2 ** zoom;
  return points.flatMap(([lng, lat]) =>
    [-360, 0, 360].flatMap((copy) => {
      const x = Math.round(width / 2 + ((lng + copy - centre[0]) / 360) * world);
      const y = Math.round(height / 2 - (mercator(lat) - mercator(centre[1])) * world);
      // The search, the buttons and the scale lie on the edges.
      const isInView = x > 12 && x < width - 60 && y > 60 && y < height - 40;
      return isInView ? [{ point: `${lng} ${lat} at zoom ${zoom}`, colour: colourAt(picture, x, y) }] : [];
    }),
  );
};

/** The points that have another colour than they should, once the browser shows the last drawn frame. */
const mistakesAt = async (tab: ConsoleTab, zoom: number) => {
  for (let attempt = 0; ; attempt++) {
    const [seas, lands] = [await seen(tab, zoom, sea), await seen(tab, zoom, land)];
    assert.isAbove(seas.length, 1);
    assert.isAbove(lands.length, 0);
    const mistakes = [
      ...seas.filter(({ colour }) => colour !== seaColour),
      ...lands.filter(({ colour }) => colour !== landColour),
    ];
    if (mistakes.length === 0 || attempt === 20) return mistakes;
  }
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))("the maps of the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  const opened = (...points: ReadonlyArray<Point>) =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const features = points.map(([lng, lat]) => ({
        type: "Feature",
        geometry: { type: "Point", coordinates: [lng, lat] },
        properties: { name: "Store", radius: 100 },
      }));
      yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features } });
      const tab = yield* consoleTab;
      return { tab, accessKey: tokens.sandbox };
    });

  inBrowser(
    "at zoom 2, 1 and 0 land is land and sea is sea on both sides of 180° (console.map_outlines)",
    () =>
      Effect.gen(function* () {
        // The map begins between two locations: in the middle of it, or at 180°.
        for (const [west, east] of [
          [-20, 20],
          [159, 179],
        ] as const) {
          const { accessKey, tab } = yield* opened([west, 0], [east, 0]);
          yield* Effect.promise(async () => {
            // The map is as high as on a tablet: lower than the world at zoom 0.
            await tab.page.setViewport({ width: 800, height: 1000, deviceScaleFactor: 1 });
            await tab.open("/locations");
            await tab.signIn(accessKey);
            await tab.page.waitForSelector('.map[data-drawn="true"]');
            // The position is that of the centre while no pointer is on the map.
            await tab.page.mouse.move(1, 1);
            const press = async (button: string, before: number): Promise<number> => {
              await tab.page.$eval(button, (each) => (each as unknown as { click(): void }).click());
              return zoomOf(tab, before);
            };
            let zoom = await zoomOf(tab);
            while (zoom > 0) zoom = await press(".maplibregl-ctrl-zoom-out", zoom);
            for (const next of [0, 1, 2]) {
              if (next > 0) zoom = await press(".maplibregl-ctrl-zoom-in", zoom);
              assert.strictEqual(zoom, next);
              assert.deepStrictEqual(await mistakesAt(tab, zoom), []);
            }
          });
        }
      }),
  );

  inBrowser("outlines that could not be loaded are said, and loaded on demand (console.map_failed)", () =>
    Effect.gen(function* () {
      const { accessKey, tab } = yield* opened([4.9, 52.4]);
      yield* Effect.promise(async () => {
        await tab.page.setRequestInterception(true);
        let isAway = true;
        tab.page.on("request", (request) => {
          if (isAway && request.url().includes("/countries-")) void request.abort();
          else void request.continue();
        });
        await tab.open("/locations");
        await tab.signIn(accessKey);
        await tab.seeText("The map could not be loaded. The list has everything.");
        isAway = false;
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Try again");
        await tab.page.waitForSelector('.map[data-drawn="true"]');
        await tab.page.waitForFunction("document.querySelector('.map-failed') === null");
      });
    }),
  );

  inBrowser(
    "a town or a position is found by the keyboard, and the map moves there (console.map_towns)",
    () =>
      Effect.gen(function* () {
        const { accessKey, tab } = yield* opened([0, 0]);
        const { keyboard } = tab.page;
        const seePosition = (position: string) =>
          tab.page.waitForFunction(
            `document.querySelector(".map-position").textContent === "Centre ${position}"`,
          );
        yield* Effect.promise(async () => {
          await tab.open("/locations");
          await tab.signIn(accessKey);
          const field = await tab.see("combobox", "Find a town or a position");
          await field.type("utrech");
          await tab.see("option", "Utrecht, Netherlands");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.fill("Find a town or a position", "paris, us", "combobox");
          await tab.see("option", "Paris, TX, United States");
          await keyboard.press("ArrowDown");
          await keyboard.press("ArrowUp");
          await keyboard.press("Enter");
          await seePosition("33.66000, -95.56000");
          await tab.fill("Find a town or a position", "52,36; 4,88", "combobox");
          await tab.see("option", "52.36000, 4.88000");
          await keyboard.press("Enter");
          await seePosition("52.36000, 4.88000");
          await tab.fill("Find a town or a position", "Nowhereburg", "combobox");
          await tab.seeText("No town of this name has 5,000 people or more.");
          assert.deepStrictEqual(tab.problems, []);
        });
      }),
  );
});
