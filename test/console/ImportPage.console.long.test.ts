import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";
import { packedWorkbook, sheetOf, testWorkbook } from "./TestWorkbook.ts";

const files = mkdtempSync(join(tmpdir(), "waypost-imports-"));

const written = (name: string, content: string | Buffer): string => {
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

  inBrowser("a table with other names of columns, in Latin-1, is understood by itself (console.import)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const csv =
        "Naam;Lat;Lng;Straal;Plaats\r\nCafé Zuid;52,34;4,88;150;Amsterdam\r\n\r\n" +
        "Dam;52,37;4,89;;Amsterdam\r\n;52,3;4,9;150;Utrecht\r\nNoord;veel;4,9;150;Utrecht\r\n";
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations/import");
        await tab.signIn(tokens.sandbox);
        await choose(tab, written("winkels.csv", Buffer.from(csv, "latin1")));
        await tab.seeText("3 rows refused");
        // The rows have the numbers that a spreadsheet shows: the third one is empty.
        const rows = await tab.page.$$eval(
          "::-p-aria([name='Refused rows'][role='table']) tbody tr",
          (found) => found.map(({ textContent }) => textContent),
        );
        assert.deepStrictEqual(rows, [
          "4DamThe row has no radius: give one, or a radius for all rows without.",
          "5no nameThe row has no name.",
          '6NoordThe latitude "veel" must be a number between -90 and 90.',
        ]);
        await tab.fill("Default radius", "200");
        await tab.press("button", "Check again");
        await tab.press("button", "Import 2 locations");
        await tab.seeText("Imported: 2 created");
      });
      const found = (yield* sandbox("/locations")).body.data as ReadonlyArray<{
        readonly name: string;
        readonly radius_meters: number;
      }>;
      assert.deepStrictEqual(found.map(({ name, radius_meters: radius }) => `${name} ${radius}`).toSorted(), [
        "Café Zuid 150",
        "Dam 200",
      ]);
      assert.deepStrictEqual(tab.problems, []);
    }),
  );

  inBrowser(
    "a workbook is read by a worker, which ends at its bounds and after a time (console.import)",
    () =>
      Effect.gen(function* () {
        const { tokens } = yield* (yield* TestWaypost).tenant();
        const wide = packedWorkbook(sheetOf('<row r="1"><c r="XFD1"><v>1</v></c></row>'), "<sst/>");
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.page.evaluateOnNewDocument(`
          const [later, BrowserWorker] = [setTimeout, Worker];
          globalThis.ended = 0;
          globalThis.setTimeout = (run, millis) =>
            later(run, globalThis.isStuck && millis === 20000 ? 0 : millis);
          globalThis.Worker = class extends BrowserWorker {
            postMessage(...sent) { if (!globalThis.isStuck) super.postMessage(...sent); }
            terminate() { super.terminate(); globalThis.ended++; }
          };`);
          await tab.open("/locations/import");
          await tab.signIn(tokens.sandbox);
          await choose(tab, written("wide.xlsx", wide));
          await tab.seeText("The workbook has more than 256 columns: save its table as CSV");
          await tab.page.evaluate("isStuck = true");
          await choose(tab, written("stuck.xlsx", wide));
          await tab.seeText("The workbook takes too long to read: save its table as CSV");
          assert.strictEqual(await tab.page.evaluate("ended"), 2);
        });
      }),
  );

  inBrowser("a workbook is assigned by hand, warned about, imported and undone (console.import)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const before = {
        ...feature("Kept", 100),
        properties: { name: "Kept", radius: 100, external_id: "k-1" },
      };
      yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features: [before] } });
      const workbook = testWorkbook([
        ["Wat", "Noord", "Oost", "Sleutel"],
        ["Kept & moved", 52.37, 4.89, "k-1"],
        ["Zuid", 52.34, 4.88, ""],
        ["Zuid", 52.34, 4.88, ""],
        ["Swapped", 4.9, 52.36, ""],
        ["Far", -33.9, 151.2, ""],
      ]);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations/import");
        await tab.signIn(tokens.sandbox);
        await choose(tab, written("stores.xlsx", workbook));
        await tab.see("heading", "Columns");
        await tab.seeText("Kept & moved");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.choose("Name", "Wat");
        await tab.choose("Latitude", "Noord");
        await tab.choose("Longitude", "Oost");
        await tab.choose("External id", "Sleutel");
        await tab.press("button", "Check the file");
        await tab.seeText("3 rows to check");
        await tab.seeText("It has the name and the position of row 3.");
        await tab.seeText("Latitude and longitude seem to be swapped.");
        await tab.seeText("km from most other locations.");
        await tab.page.waitForSelector('.map[data-drawn="true"]');
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Import 5 locations");
        await tab.seeText("Imported: 4 created");
        await tab.press("button", "Undo this import");
        await tab.seeText("1 location that was there before and was updated stays as the file has it");
        await tab.press("button", "Remove 4 locations");
        await tab.seeText("4 of 4 created locations removed");
      });
      const left = (yield* sandbox("/locations")).body.data as ReadonlyArray<{ readonly name: string }>;
      assert.deepStrictEqual(
        left.map(({ name }) => name),
        ["Kept & moved"],
      );
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
