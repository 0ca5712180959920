import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { after } from "../events/DwellWorld.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { ConsoleTab, consoleTab } from "./ConsoleTab.ts";
import { savedFile } from "./SavedFile.ts";

/** The most clicks and fields of the whole job. */
const maxActions = 60;

/** A tab that counts what a person does: every click, every field and every choice. */
class CountedTab extends ConsoleTab {
  actions = 0;

  override press(role: string, name: string): Promise<void> {
    this.actions += 1;
    return super.press(role, name);
  }

  override unfold(summary: string): Promise<void> {
    this.actions += 1;
    return super.unfold(summary);
  }

  override fill(label: string, text: string, role?: string): Promise<void> {
    this.actions += 1;
    return super.fill(label, text, role);
  }

  override choose(label: string, option: string): Promise<void> {
    this.actions += 1;
    return super.choose(label, option);
  }

  /** The field counts as typed, the option as chosen. */
  override find(label: string, option: string, typed?: string): Promise<void> {
    this.actions += 1;
    return super.find(label, option, typed);
  }
}

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the whole job in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "a geo and a push campaign, their results and the CSV take at most 60 clicks and fields (console.story)",
    () =>
      Effect.gen(function* () {
        const { production, waypost, workspace } = yield* sendWorld();
        const location = yield* production.location({ name: "Dam Square" });
        const phone = yield* production.phone("Kim's phone", {
          attributes: { plan: "gold" },
          locale: "nl-NL",
          timezone: "Europe/Amsterdam",
        });
        yield* production.phone("Robin's phone", { attributes: { plan: "silver" } });
        const { token } = yield* waypost.token(workspace, "production");
        const first = yield* consoleTab;
        const tab = new CountedTab(first.page, first.origin, first.problems);
        const picture = join(mkdtempSync(join(tmpdir(), "waypost-story-")), "cup.png");
        writeFileSync(picture, "image of a cup");
        yield* Effect.promise(async () => {
          await tab.open("/campaigns");
          await tab.signIn(token);
          tab.actions = 0;
          // A geo campaign with dwelling, a picture, a translation and quiet hours.
          await tab.press("link", "New campaign");
          await tab.fill("Name", "Rainy days");
          await tab.fill("Headline", "Coffee while it rains?");
          await tab.fill("Body", "The second cup is half price.");
          const [chooser] = await Promise.all([
            tab.page.waitForFileChooser(),
            tab.press("button", "Upload a picture"),
          ]);
          await chooser.accept([picture]);
          tab.actions += 1;
          await tab.see("button", "cup.png");
          await tab.press("button", "Add translation");
          await tab.find("Language of translation 1", "Dutch");
          await tab.fill("Headline (nl)", "Koffie bij regen?");
          await tab.fill("Body (nl)", "De tweede voor de halve prijs.");
          await tab.press("link", "Next");
          await tab.press("checkbox", "Dam Square");
          await tab.press("link", "Next");
          await tab.choose("Trigger", "Being inside for some minutes");
          await tab.fill("Minutes", "5");
          await tab.unfold("Limits: none");
          await tab.fill("From", "22:00");
          await tab.fill("To", "07:00");
          await tab.choose("Action", "Hold messages until they end");
          await tab.press("link", "Next");
          await tab.seeText("when a device is inside a location for 5 minutes, from 21 Nov 2026");
          await tab.press("button", "Publish");
          await tab.see("dialog", "Publish “Rainy days”?");
          tab.actions += 1;
          await tab.click("dialog .button-primary");
          await tab.seePage("Rainy days");
          // A segment, and a push to it at the time of each device.
          await tab.press("link", "Segments");
          await tab.press("link", "New segment");
          await tab.fill("Name", "Gold");
          await tab.choose("Attribute", "plan");
          await tab.find("Value", "gold");
          await tab.press("button", "Save segment");
          await tab.seePage("Segments");
          await tab.press("link", "Campaigns");
          await tab.press("link", "New campaign");
          await tab.fill("Name", "Evening");
          await tab.choose("Type", "Push");
          await tab.fill("Headline", "Good evening");
          await tab.fill("Body", "Your coffee waits until eight.");
          await tab.press("link", "Next");
          await tab.press("checkbox", "Gold");
          await tab.press("link", "Next");
          await tab.fill("Send at", "18:00");
          await tab.choose("Whose time", "Each device's own, not where it has passed");
          await tab.press("link", "Next");
          await tab.seeText("goes to 1 device: 21 Nov 2026, 18:00 where each device is.");
          await tab.press("button", "Publish");
          await tab.see("dialog", "Publish “Evening”?");
          tab.actions += 1;
          await tab.click("dialog .button-primary");
          await tab.seePage("Evening");
        });
        yield* phone.sees("enter", location);
        yield* after(6);
        yield* moveTo("2026-11-21T17:00:30Z");
        const inbox = yield* phone.inbox();
        assert.deepStrictEqual(
          inbox.map(({ headline }) => headline),
          ["Good evening", "Koffie bij regen?"],
        );
        const csv = yield* Effect.promise(async () => {
          await tab.press("link", "Reports");
          await tab.press("tab", "Interactions");
          await tab.see("table", "Interactions");
          await tab.page.waitForFunction("document.querySelectorAll('tbody tr').length === 2");
          return savedFile(tab, () => tab.press("button", "CSV"));
        });
        const rows = csv.bytes.toString("utf8");
        assert.include(rows, "Rainy days");
        assert.include(rows, "Evening");
        assert.isAtMost(tab.actions, maxActions);
        assert.deepStrictEqual(tab.problems, []);
      }),
  );
});
