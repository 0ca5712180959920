import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const files = mkdtempSync(join(tmpdir(), "waypost-imports-"));

const written = (name: string, content: string): string => {
  const path = join(files, name);
  writeFileSync(path, content);
  return path;
};

const feature = (name: string | null, radius: number) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.8936, 52.3731] },
  properties: { name, radius, external_id: name, note: 'a "quoted" [bracket}' },
});

const choose = async (tab: ConsoleTab, path: string): Promise<void> => {
  const [chooser] = await Promise.all([tab.page.waitForFileChooser(), tab.press("button", "Choose a file")]);
  await chooser.accept([path]);
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))("the import in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a GeoJSON is checked, its refused features are shown, the rest imported (console.import)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const features = [feature("Dam", 100), feature("Tiny", 20), feature(null, 100), feature("Zuid", 200)];
      const text = JSON.stringify({ name: "export", features, type: "FeatureCollection" }, null, 2);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations");
        await tab.signIn(tokens.sandbox);
        await tab.press("button", "Import");
        await tab.seePage("Import locations");
        await choose(tab, written("locations.geojson", text));
        await tab.see("button", "Import 2 locations");
        await tab.seeText("2 features refused");
        await tab.seeText("The radius must be between 50 and 1000 metres; this feature has 20.");
        await tab.seeText("A feature needs a name");
        await tab.page.waitForSelector('[data-state="ready"]');
      });
      yield* checkPage(tab);
      assert.strictEqual((yield* sandbox("/locations")).body.data.length, 0);
      yield* Effect.promise(async () => {
        await tab.press("button", "Import 2 locations");
        await tab.see("progressbar", "Import");
        await tab.seeText("Imported: 2 created");
        await tab.press("link", "Show locations");
        await tab.seeText("Zuid");
      });
      assert.strictEqual((yield* sandbox("/locations")).body.data.length, 2);
    }),
  );

  inBrowser("what an import will do is counted over all parts of a large file (console.import)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant();
      const plan = { max_locations: 10_400 };
      yield* operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: { plan } });
      const row = (index: number, id: string) => `L ${index},52.${10_000 + index},4.9,100,${id}`;
      const rows = Array.from({ length: 10_900 }, (_, index) => row(index, `id-${index}`));
      const again = Array.from({ length: 50 }, (_, index) => row(index, `id-${index}`));
      const csv = ["name,latitude,longitude,radius,external_id", ...rows, ...again].join("\n");
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations/import");
        await tab.signIn(tokens.sandbox);
        await choose(tab, written("over-the-plan.csv", csv));
        await tab.see("button", "Import 10,450 locations");
        await tab.seeText("10,400 to create · 50 to update · 500 skipped · 0 refused");
        await tab.seeText("The plan has no room for it");
        await tab.press("button", "Import 10,450 locations");
        await tab.seeText("Imported: 10,400 created · 50 updated · 500 skipped");
      });
    }),
  );

  inBrowser("CSV with semicolons and GeoJSONL are imported; a wrong file is explained (console.import)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const csv =
        "\ufeffname;latitude;longitude;radius;external_id;group\r\n" +
        '"Shop; ""North""";52,4;4,9;150;s-1;Shops\r\nShort;1\r\n';
      const lines = [feature("A", 100), feature("B", 100)].map((each) => JSON.stringify(each));
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations/import");
        await tab.signIn(tokens.sandbox);
        await choose(tab, written("broken.geojson", '{"type": "FeatureCollection", "features": ['));
        await tab.seeText("The file is truncated after 0 features. Nothing was imported.");
        await choose(tab, written("shops.csv", csv));
        await tab.seeText("The row must have 6 fields, like the first row; it has 2.");
        await tab.press("button", "Import 1 location");
        await tab.seeText("Imported: 1 created");
        await tab.press("button", "Choose another file");
        await choose(tab, written("two.geojsonl", `${lines.join("\n")}\nnonsense\n`));
        await tab.seeText("The line must be one GeoJSON feature; it is not JSON.");
        await tab.press("button", "Import 2 locations");
        await tab.seeText("Imported: 2 created");
      });
      const [shop] = (yield* sandbox("/locations?q=shop")).body.data;
      assert.deepInclude(shop, { name: 'Shop; "North"', radius_meters: 150, groups: ["Shops"] });
      assert.deepStrictEqual(shop.geometry.coordinates, [4.9, 52.4]);
      assert.deepStrictEqual(tab.problems, []);
    }),
  );

  inBrowser("a large file is split, and a stopped import resumes with the same file (console.import)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const rows = Array.from({ length: 2500 }, (_, index) => `L ${index},52.${1000 + index},4.9,100`);
      const path = written("large.csv", `name,latitude,longitude,radius\n${rows.join("\n")}`);
      const tab = yield* consoleTab;
      let sent = 0;
      yield* Effect.promise(async () => {
        await tab.open("/locations/import");
        await tab.signIn(tokens.sandbox);
        await choose(tab, path);
        await tab.see("button", "Import 2,500 locations");
        await tab.page.setRequestInterception(true);
        tab.page.on("request", (request) => {
          const isPart = request.url().endsWith("/locations/import") && request.method() === "POST";
          if (isPart) sent += 1;
          // The second part is held until the page is left.
          if (!isPart || sent !== 2) void request.continue();
        });
        await tab.press("button", "Import 2,500 locations");
        await tab.seeText("1,000 of 2,500 features");
        await tab.press("button", "Stop");
        await tab.see("button", "Resume");
        await tab.page.reload();
        await tab.seePage("Import locations");
        await choose(tab, path);
        await tab.seeText("was stopped after 1,000 features");
        await tab.press("button", "Import 1,500 locations");
        await tab.seeText("Imported: 2,500 created");
      });
      const groups = yield* sandbox("/locations?q=L%202499");
      assert.strictEqual(groups.body.data.length, 1);
      const twice = yield* sandbox("/locations?q=L%20999");
      assert.strictEqual(twice.body.data.length, 1);
      assert.deepStrictEqual(tab.problems, []);
    }),
  );
});
