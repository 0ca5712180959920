import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { type ConsoleTab, checkPage, consoleTab } from "./ConsoleTab.ts";

const location = (name: string, longitude: number) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, 52.37] },
  properties: { name, radius: 100, external_id: name, group: "Shops" },
});

/** The sentences that describe a field, which is marked as invalid. */
const problemOf = (tab: ConsoleTab, role: string, name: string) =>
  Effect.promise(async () => {
    const field = await tab.see(role, name);
    await tab.page.waitForFunction((each) => each.getAttribute("aria-invalid") === "true", {}, field);
    const described = await field.evaluate((each) => each.getAttribute("aria-describedby"));
    return tab.page.$eval(`[id="${described?.split(" ").at(-1)}"]`, (each) => each.textContent);
  });

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layerWebGL))(
  "the editor of campaigns in the console",
  (it) => {
    const inBrowser = it.effect.skipIf(!isChromiumAvailable);

    const shop = Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const made = yield* tenant({ timezone: "Europe/Amsterdam" });
      const features = [location("Dam Square", 4.8936), location("Station", 4.9), location("Harbour", 4.92)];
      const body = { type: "FeatureCollection", features };
      assert.strictEqual((yield* made.sandbox("/locations/import", { body })).status, 200);
      return made;
    });

    inBrowser(
      "a geo campaign with a notification is written, published and paused (console.campaign_editor)",
      () =>
        Effect.gen(function* () {
          const { sandbox, tokens } = yield* shop;
          const tab = yield* consoleTab;
          yield* Effect.promise(async () => {
            await tab.open("/campaigns");
            await tab.signIn(tokens.sandbox);
            await tab.press("link", "New campaign");
            await tab.seePage("New campaign");
            await tab.press("link", "Who and where");
            await tab.see("checkbox", "Dam Square");
            for (const group of ["Locations", "Location groups", "Segments"]) await tab.see("group", group);
            await tab.press("link", "When");
            await tab.page.waitForFunction(
              (zone) => (zone as unknown as { readonly value: string }).value === "Europe/Amsterdam",
              {},
              await tab.see("combobox", "Time zone"),
            );
            await tab.unfold("Limits: none");
            for (const group of ["Frequency cap", "Quiet hours", "Cooldown"]) await tab.see("group", group);
            await tab.fill("From", "22:00");
            await tab.press("link", "Review");
            await tab.seeAddress("step=review");
            await tab.seeText("It can be saved, but not be published yet.");
            await tab.press("button", "Publish");
          });
          // The first step with a problem is shown, in the words of the API.
          assert.include(yield* problemOf(tab, "textbox", "Name"), "name");
          assert.include(yield* problemOf(tab, "textbox", "Headline"), "headline");
          yield* Effect.promise(() => tab.press("link", "Who and where"));
          assert.include(yield* problemOf(tab, "searchbox", "Search locations"), "at least one location");
          yield* Effect.promise(() => tab.press("link", "When"));
          assert.include(yield* problemOf(tab, "combobox", "Action"), "required");
          // No name of a field of the API is on the page (console.words).
          assert.notMatch(
            String(yield* Effect.promise(() => tab.page.evaluate("document.body.innerText"))),
            /\w_\w/,
          );
          yield* checkPage(tab);
          yield* Effect.promise(async () => {
            await tab.fill("Starts at", "2026-12-01 09:00");
            await tab.fill("Ends at", "2026-12-08");
            await tab.fill("Times", "3");
            await tab.choose("Per", "Day");
            await tab.choose("Counted for", "Each person, all devices together");
            await tab.fill("To", "07:00");
            await tab.choose("Action", "Hold messages until they end");
            await tab.fill("Minutes", "90");
            await tab.press("link", "Who and where");
            await tab.fill("Search locations", "station", "searchbox");
            await tab.page.waitForFunction("document.querySelector('.picks').children.length === 1");
            await tab.press("checkbox", "Station");
            // The browser's back goes through the steps.
            await tab.page.goBack();
            await tab.seeAddress("step=when");
            await tab.see("heading", "When");
            // The typed text survives a reload.
            await tab.page.reload();
            await tab.seeText("What you typed earlier is here again.");
            await tab.seeText("Limits: 3 per day, quiet from 22:00 to 07:00, 90 minutes of cooldown");
            await tab.press("link", "Message");
            await tab.fill("Name", "Opening week");
            await tab.press("button", "Save paused");
            await tab.seePage("Opening week");
            await tab.seeText("“Opening week” is saved as a draft.");
            await tab.seeText("nobody gets anything");
            await tab.seeText("Draft");
            await tab.press("button", "Publish");
            await tab.seeText("It has no message yet");
            await tab.press("link", "Add notification");
            await tab.seePage("Add notification");
            await tab.fill("Name", "Hello");
            await tab.fill("Headline", "Welcome {{ device.name }}");
            await tab.fill("Body", "Coffee is on us.");
            await tab.press("checkbox", "The texts are Liquid templates");
            await tab.press("button", "Add translation");
            // The focus is in the new translation.
            await tab.page.waitForFunction("document.activeElement.closest('fieldset') !== null");
            await tab.page.keyboard.type("Dut");
            await tab.page.waitForSelector("::-p-xpath(//li[@aria-selected='true']/bdi[.='Dutch'])");
            await tab.page.keyboard.press("Tab");
            await tab.fill("Headline (nl)", "Welkom {{");
            await tab.fill("Button label", "See");
            await tab.see("region", "Phone preview");
            await tab.see("combobox", "Language");
            await tab.see("combobox", "Device");
            await tab.press("button", "Add notification");
          });
          assert.include(yield* problemOf(tab, "textbox", "Button address"), "needs an address");
          assert.include(yield* problemOf(tab, "textbox", "Headline"), "device.name");
          assert.include(yield* problemOf(tab, "textbox", "Headline (nl)"), "line 1");
          yield* checkPage(tab);
          yield* Effect.promise(async () => {
            await tab.fill("Button address", "acme://offer");
            await tab.fill("Headline", 'Welcome {{ device.attributes.name | default: "stranger" }}');
            await tab.fill("Headline (nl)", 'Welkom bij {{ location.name | default: "ons" }}');
            await tab.find("Language of the device", "Flemish", "nl-BE");
            await tab.find("At the location", "Station");
            await tab.press("button", "Show what it gets");
            await tab.seeText("Welkom bij Station");
            await tab.see("table", "As a push");
          });
          yield* checkPage(tab);
          yield* Effect.promise(async () => {
            await tab.press("button", "Add notification");
            await tab.seePage("Opening week");
            await tab.see("link", "Hello");
            await tab.page.waitForSelector('section[aria-label="Map"][data-state="ready"]');
          });
          yield* checkPage(tab);
          yield* Effect.promise(async () => {
            await tab.press("button", "Publish");
            await tab.see("dialog", "Publish “Opening week”?");
            await tab.seeText("1 location");
            await tab.seeText("At most 3 per day for each person.");
            await tab.seeText("From 22:00 to 07:00, messages wait until they end.");
          });
          yield* checkPage(tab);
          yield* Effect.promise(async () => {
            await tab.press("button", "Publish");
            await tab.see("button", "Pause");
          });
          const { data } = (yield* sandbox("/campaigns")).body;
          assert.containSubset(data[0], {
            name: "Opening week",
            status: "scheduled",
            ends_at: "2026-12-08T22:59:59+00:00",
            frequency_cap_count: 3,
            frequency_cap_period: "day",
            cap_by: "user",
            quiet_hours: { from: "22:00", to: "07:00", action: "hold" },
            cooldown_minutes: 90,
          });
          const messages = (yield* sandbox(`/campaigns/${data[0].id}/notifications`)).body.data;
          assert.containSubset(messages[0], {
            template: "liquid",
            translations: { nl: { headline: 'Welkom bij {{ location.name | default: "ons" }}' } },
          });
          yield* Effect.promise(async () => {
            await tab.press("button", "Pause");
            await tab.see("button", "Publish");
            await tab.press("button", "Test");
            await tab.seeText("no approved test device yet");
            await tab.press("button", "Close");
            await tab.press("button", "Delete");
            await tab.see("dialog", "Delete “Opening week”?");
            await tab.press("button", "Delete");
            await tab.seeText("No campaigns yet");
          });
          assert.deepStrictEqual(tab.problems, []);
        }),
    );

    inBrowser(
      "both versions of a campaign that somebody else changed are shown (console.campaign_conflict)",
      () =>
        Effect.gen(function* () {
          const { sandbox, tokens } = yield* shop;
          const draft = {
            name: "Autumn",
            type: "geo",
            timezone: "Europe/Amsterdam",
            starts_at: "2026-12-01 09:00",
            location_group_names: ["Shops"],
          };
          const made = yield* sandbox("/campaigns", { body: draft });
          const path = `/campaigns/${made.body.data.id}`;
          const tab = yield* consoleTab;
          yield* Effect.promise(async () => {
            await tab.open(`${path}/edit`);
            await tab.signIn(tokens.sandbox);
            await tab.seePage("Edit Autumn");
            await tab.seeText("This campaign is live");
            await tab.fill("Name", "Autumn of mine");
          });
          yield* sandbox(path, { method: "PATCH", body: { ...draft, name: "Autumn of theirs" } });
          yield* Effect.promise(async () => {
            await tab.press("button", "Save paused");
            await tab.seeText("Somebody else changed this campaign meanwhile");
            await tab.seeText("Autumn of theirs");
          });
          assert.strictEqual((yield* sandbox(path)).body.data.name, "Autumn of theirs");
          yield* checkPage(tab);
          yield* Effect.promise(async () => {
            await tab.press("button", "Keep my version");
            await tab.press("button", "Save paused");
            await tab.seePage("Autumn of mine");
          });
          assert.containSubset((yield* sandbox(path)).body.data, { name: "Autumn of mine", paused: true });
        }),
    );

    inBrowser("a group is found among more than a page of them (console.campaign_editor)", () =>
      Effect.gen(function* () {
        const { tenant } = yield* TestWaypost;
        const { sandbox, tokens } = yield* tenant();
        const features = Array.from({ length: 150 }, (_, index) => ({
          ...location(`Shop ${index}`, 4 + index / 100),
          properties: { name: `Shop ${index}`, radius: 100, group: `Group ${index}` },
        }));
        yield* sandbox("/locations/import", { body: { type: "FeatureCollection", features } });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("/campaigns/new?step=who");
          await tab.signIn(tokens.sandbox);
          await tab.seeText("There are more. Search for them by name.");
          for (const name of ["Group 0", "Group 149"]) {
            await tab.fill("Search location groups", name, "searchbox");
            await tab.press("checkbox", name);
          }
          await tab.seeText("2 chosen.");
        });
        yield* checkPage(tab);
      }),
    );

    inBrowser("a copy is unsaved, begins today and brings its notifications (console.campaign_copy)", () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* shop;
        const made = yield* sandbox("/campaigns", {
          body: { name: "Morning", type: "push", timezone: "Europe/Amsterdam", starts_at: "2026-12-01" },
        });
        const path = `/campaigns/${made.body.data.id}`;
        const message = { name: "First", type: "message", headline: "Hello", body: "Good morning." };
        yield* sandbox(`${path}/notifications`, {
          body: { ...message, trigger_type: "fixed_time", trigger_config: { send_at: "21:30" } },
        });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open(path);
          await tab.signIn(tokens.sandbox);
          await tab.press("link", "Duplicate");
          await tab.seePage("New campaign");
          await tab.seeText("Good morning.");
          await tab.press("link", "When");
          await tab.fill("Starts at", "2026-12-02");
          await tab.press("link", "Review");
          await tab.seeText("2 Dec 2026, 21:30 (Europe/Amsterdam)");
          await tab.press("button", "Publish");
          // The text is on the page before the dialog is open, and until then the button is the page's own.
          await tab.see("dialog", "Publish “Copy of Morning”?");
          await tab.click("dialog .button-primary");
          await tab.seePage("Copy of Morning");
          await tab.see("link", "First");
          await tab.see("button", "Pause");
        });
        yield* checkPage(tab);
        const copy = (yield* sandbox("/campaigns?q=Copy")).body.data[0];
        const list = (yield* sandbox(`/campaigns/${copy.id}/notifications`)).body.data;
        assert.deepStrictEqual(
          list.map((each: any) => each.trigger_config.send_at),
          ["2026-12-02 21:30"],
        );
      }),
    );
  },
);
