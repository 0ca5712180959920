import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { vi } from "vitest";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-stale-"));

const feature = (name: string) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.8936, 52.3731] },
  properties: { name, radius: 100 },
});

/** Chooses a file of two locations on the page of the import. */
const chooseFile = async (tab: ConsoleTab): Promise<void> => {
  const path = join(folder, "two.geojson");
  const features = [feature("Dam"), feature("Zuid")];
  writeFileSync(path, JSON.stringify({ type: "FeatureCollection", features }));
  const [chooser] = await Promise.all([tab.page.waitForFileChooser(), tab.press("button", "Choose a file")]);
  await chooser.accept([path]);
  await tab.see("button", "Import 2 locations");
};

/** Makes imports fail, as of a server that is away. Returns what waits for so many, and what ends it. */
const importsFail = async ({ page }: ConsoleTab) => {
  let [failed, isAway] = [0, true];
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const fails = isAway && request.url().endsWith("/locations/import");
    if (fails) failed += 1;
    void (fails ? request.abort("connectionrefused") : request.continue());
  });
  const reach = (count: number) => vi.waitUntil(() => failed === count, { timeout: 120_000 });
  return { reach, end: () => (isAway = false) };
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("what changes meanwhile in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("settings change what a person has changed, and nothing else (console.settings)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns");
        await tab.signIn();
        await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
        await tab.fill("Times", "3");
        await tab.press("button", "Change plan");
        await tab.fill("Locations", "700");
      });
      const path = `/workspaces/${workspace.id}`;
      const theirs = { max_per_minute: 500, plan: { max_campaigns: 70 } };
      yield* operator(path, { method: "PATCH", body: theirs });
      yield* Effect.promise(async () => {
        await tab.press("button", "Save plan");
        await tab.seeText("The plan is saved.");
        await tab.press("button", "Save");
        await tab.seeText("Saved.");
        // All types of events can be chosen.
        await tab.press("button", "New webhook");
        await tab.press("checkbox", "All, also types to come");
        await tab.see("checkbox", "device.unsubscribed");
      });
      const { data } = (yield* operator(path)).body;
      assert.deepStrictEqual(data.default_frequency_cap, { count: 3, period: "day" });
      assert.strictEqual(data.max_per_minute, 500);
      assert.deepInclude(data.plan, { max_campaigns: 70, max_locations: 700 });
    }),
  );

  inBrowser("a draft of a location overwrites nothing that somebody else changed (console.locations)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const body = { type: "FeatureCollection", features: [feature("Dam")] };
      const { id } = (yield* sandbox("/locations/import", { body })).body.data.results[0];
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/locations?location=${id}`);
        await tab.signIn(tokens.sandbox);
        await tab.press("button", "Edit");
        await tab.fill("Name", "Dam Square");
      });
      yield* sandbox(`/locations/${id}`, { method: "PATCH", body: { address: "Dam 1" } });
      yield* Effect.promise(async () => {
        await tab.page.reload();
        await tab.press("button", "Edit");
        await tab.press("button", "Save");
        await tab.seeText("Saved.");
      });
      const { data } = (yield* sandbox(`/locations/${id}`)).body;
      assert.deepInclude(data, { name: "Dam Square", address: "Dam 1" });
    }),
  );

  inBrowser(
    "an import that is resumed while the server is away is not done before it is (console.import)",
    () =>
      Effect.gen(function* () {
        const { tokens } = yield* (yield* TestWaypost).tenant();
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("/locations/import");
          await tab.signIn(tokens.sandbox);
          await chooseFile(tab);
          const imports = await importsFail(tab);
          await tab.press("button", "Import 2 locations");
          await imports.reach(1);
          await tab.press("button", "Stop");
          await tab.press("button", "Resume");
          await imports.reach(2);
          imports.end();
          const text = await tab.page.waitForSelector("::-p-text(Imported: )");
          assert.include(await text?.evaluate(({ textContent }) => textContent), "Imported: 2 created");
        });
      }),
  );

  inBrowser("an import is undone where it was made, whatever is shown since (console.import)", () =>
    Effect.gen(function* () {
      const { sandbox, workspace } = yield* (yield* TestWaypost).tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/locations/import?workspace=${workspace.id}&environment=sandbox`);
        await tab.signIn();
        await chooseFile(tab);
        await tab.press("button", "Import 2 locations");
        await tab.see("button", "Undo");
      });
      assert.lengthOf((yield* sandbox("/locations")).body.data, 2);
      yield* Effect.promise(async () => {
        await tab.choose("Environment", "Production");
        await tab.seePage("Locations");
        await tab.press("button", "Undo");
        await tab.seeText("It is undone.");
      });
      assert.isEmpty((yield* sandbox("/locations")).body.data);
    }),
  );

  inBrowser("a saved campaign is shown as it is saved, however new the data was (console.campaigns)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const body = { name: "Autumn", type: "push", starts_at: "2026-12-01", timezone: "UTC", paused: true };
      const { id } = (yield* sandbox("/campaigns", { body })).body.data;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${id}/edit`);
        await tab.signIn(tokens.sandbox);
        await tab.fill("Name", "Winter");
        // For the page, no time passes since it read the campaign.
        await tab.page.evaluate("performance.now = () => 0");
        await tab.press("button", "Save paused");
        const heading = '::-p-xpath(//main//h1[normalize-space(.)="Winter"])';
        await tab.page.waitForSelector(heading, { timeout: 8_000 });
      });
    }),
  );

  inBrowser("a typed text is kept beside the known ones that it does not name (console.pickers)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* (yield* TestWaypost).tenant();
      const tab = yield* consoleTab;
      const type = async (text: string, ...keys: ReadonlyArray<"ArrowDown" | "Enter" | "Tab">) => {
        await tab.fill("Value", text, "combobox");
        for (const key of keys) await tab.page.keyboard.press(key);
        const field = await tab.see("combobox", "Value");
        return field.evaluate((input) => (input as { readonly value?: string }).value);
      };
      yield* Effect.promise(async () => {
        await tab.open("/segments/new");
        await tab.signIn(tokens.sandbox);
        await tab.choose("Attribute", "platform");
        assert.strictEqual(await type("web", "Tab"), "web");
        assert.strictEqual(await type("o", "Enter"), "o");
        assert.strictEqual(await type("o", "ArrowDown", "Enter"), "android");
        await tab.open("/reports");
        await tab.choose("Activation", "On event");
        await tab.seeAddress("activation=on_event");
      });
    }),
  );

  inBrowser("every send that is due is listed, the next one first (console.sends)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const token = yield* waypost.token(workspace, "production");
      for (let index = 0; index < 22; index += 1)
        yield* production.sent(yield* production.push({ name: `C${index}` }), `18:${10 + index}`, {
          name: `N${index}`,
        });
      const tab = yield* consoleTab;
      const dueSends = () =>
        tab.page.$$eval('::-p-aria([name="Due sends"][role="table"]) tbody tr a.row-link', (links) =>
          links.map(({ textContent }) => textContent),
        );
      yield* Effect.promise(async () => {
        await tab.open("/sends");
        await tab.signIn(token.token);
        await tab.see("link", "N21");
        await tab.page.waitForNetworkIdle();
        assert.deepStrictEqual(
          await dueSends(),
          Array.from({ length: 22 }, (_, index) => `N${index}`),
        );
      });
    }),
  );

  inBrowser("pages of a list below each other lose nothing as newer items come (console.devices)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* givenWorkspace();
      const token = yield* waypost.token(workspace, "production");
      const location = yield* production.location();
      const phone = yield* production.phone();
      const report = (count: number, minutesAgo: number) =>
        Effect.gen(function* () {
          for (let index = 0; index < count; index += 1) {
            const occurred_at = yield* fromNow((index - 60 * minutesAgo) * 1_000);
            const type = index % 2 === 0 ? "enter" : "exit";
            yield* phone.report([{ id: crypto.randomUUID(), type, location_id: location, occurred_at }]);
          }
        });
      yield* report(60, 10);
      const [{ id }] = (yield* production.platform("/devices")).body.data;
      const tab = yield* consoleTab;
      const shown = `[...document.querySelectorAll("table")]
        .filter((table) => table.caption?.textContent === "Entered and left")
        .flatMap((table) => [...table.tBodies[0].rows]).length`;
      yield* Effect.promise(async () => {
        await tab.open(`/devices/${id}`);
        await tab.signIn(token.token);
        await tab.press("button", "Show older events");
        await tab.page.waitForFunction(`${shown} === 60`);
      });
      yield* report(4, 1);
      yield* Effect.promise(() => tab.page.waitForFunction(`${shown} === 64`));
    }),
  );
});
