import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const circle = (name: string, index: number) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.8 + index / 100, 52.3] },
  properties: { name, radius: 100 },
});

/** A sandbox with campaigns by name, and locations. */
const world = Effect.fnUntraced(function* (
  campaigns: ReadonlyArray<string>,
  locations: ReadonlyArray<string>,
) {
  const made = yield* (yield* TestWaypost).tenant();
  const features = locations.map(circle);
  yield* made.sandbox("/locations/import", { body: { type: "FeatureCollection", features } });
  for (const name of campaigns) {
    const body = { name, type: "push", starts_at: "2026-12-01 09:00", timezone: "UTC" };
    assert.strictEqual((yield* made.sandbox("/campaigns", { body })).status, 201);
  }
  return made;
});

const rows = (tab: ConsoleTab) =>
  tab.page.$$eval("tbody .row-link", (links) => links.map((link) => link.textContent));

const chord = async (tab: ConsoleTab): Promise<void> => {
  await tab.page.keyboard.down("Control");
  await tab.page.keyboard.press("k");
  await tab.page.keyboard.up("Control");
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the speed of hand in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("Ctrl+K goes to pages, campaigns and locations, and / to the search (console.go_to)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* world(["Autumn week"], ["Dam"]);
      const tab = yield* consoleTab;
      const goTo = async (text: string, option: string): Promise<void> => {
        await chord(tab);
        await tab.fill("Search pages, campaigns, locations and devices", text, "combobox");
        await tab.page.waitForSelector(`::-p-xpath(//dialog//li[@aria-selected="true"][.="${option}"])`);
        await tab.page.keyboard.press("Enter");
      };
      yield* Effect.promise(async () => {
        await tab.open("");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Overview");
        await goTo("autumn", "Autumn week campaign");
        await tab.seePage("Autumn week");
        await goTo("dam", "Dam location");
        await tab.see("heading", "Dam");
        await goTo("activ", "Activity page");
        await tab.seePage("Activity");
        await tab.press("link", "Campaigns");
        await tab.seePage("Campaigns");
        await tab.page.waitForSelector("main input[type=search]");
        await tab.page.keyboard.press("/");
        await tab.page.waitForFunction("document.activeElement.type === 'search'");
        await chord(tab);
        await tab.see("dialog", "Go to");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser(
    "several campaigns are paused, archived and deleted at once, and that undone (console.batch)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* world(["Autumn", "Black Friday", "Winter"], []);
        const tab = yield* consoleTab;
        const badges = () =>
          tab.page.$$eval("tbody .badge", (all) => all.map((each) => each.textContent).join(" "));
        const seeBadges = (text: string) =>
          tab.page.waitForFunction(
            `[...document.querySelectorAll("tbody .badge")]
            .map((each) => each.textContent).join(" ") === "${text}"`,
          );
        yield* Effect.promise(async () => {
          await tab.open("/campaigns");
          await tab.signIn(tokens.sandbox);
          await tab.seeText("3 rows");
          assert.strictEqual(await badges(), "Scheduled Scheduled Scheduled");
          await tab.press("checkbox", "Choose Autumn");
          await tab.press("checkbox", "Choose Winter");
          await tab.seeText("2 chosen");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.press("button", "Pause");
          await seeBadges("Paused Scheduled Paused");
          await tab.seeText("2 campaigns are paused.");
          await tab.press("button", "Undo");
          await seeBadges("Scheduled Scheduled Scheduled");
          await tab.press("checkbox", "Choose all rows");
          await tab.press("button", "Archive");
          await tab.seeText("3 campaigns are archived.");
          await tab.seeText("No campaigns yet");
          await tab.press("button", "Undo");
          await seeBadges("Scheduled Scheduled Scheduled");
          await tab.press("checkbox", "Choose Winter");
          await tab.press("button", "Delete");
          await tab.click("dialog .button-danger");
          await tab.seeText("2 rows");
        });
        const { data } = (yield* sandbox("/campaigns")).body;
        assert.deepStrictEqual(
          data.map(({ name }: any) => name),
          ["Black Friday", "Autumn"],
        );
      }),
  );

  inBrowser("a pause is undone from its message (console.batch)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* world(["Autumn"], []);
      const [{ id }] = (yield* sandbox("/campaigns")).body.data;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${id}`);
        await tab.signIn(tokens.sandbox);
        await tab.press("button", "Pause");
        await tab.see("button", "Publish");
        await tab.press("button", "Undo");
        await tab.seeText("It is undone.");
        await tab.see("button", "Pause");
      });
      assert.strictEqual((yield* sandbox(`/campaigns/${id}`)).body.data.status, "scheduled");
    }),
  );

  inBrowser("a list says how many rows it has, and is sorted in both directions (console.lists)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* world(["Winter", "Autumn"], []);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns");
        await tab.signIn(tokens.sandbox);
        await tab.seeText("2 rows");
        await tab.press("button", "Name");
        await tab.page.waitForSelector("th[aria-sort=ascending]");
        assert.deepStrictEqual(await rows(tab), ["Autumn", "Winter"]);
        await tab.press("button", "Name");
        await tab.page.waitForSelector("th[aria-sort=descending]");
        assert.deepStrictEqual(await rows(tab), ["Winter", "Autumn"]);
      });
    }),
  );

  inBrowser("several locations join a group at once (console.batch)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* world([], ["Dam", "Zuid", "West"]);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/locations");
        await tab.signIn(tokens.sandbox);
        await tab.press("checkbox", "Choose Dam");
        await tab.press("checkbox", "Choose West");
        await tab.press("button", "Add to group");
        await tab.page.locator("dialog input").fill("Centre");
        await tab.click("dialog button[type=submit]");
        await tab.seeText("2 locations are in the group “Centre”.");
      });
      const { data } = (yield* sandbox("/locations?group=Centre")).body;
      assert.sameMembers(
        data.map(({ name }: any) => name),
        ["Dam", "West"],
      );
      yield* checkPage(tab);
    }),
  );
});
