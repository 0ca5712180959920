import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { mediaWorld } from "../media/MediaWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, type ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const push = { name: "Autumn", type: "push", starts_at: "2026-12-01", timezone: "UTC", paused: true };

const picture = join(mkdtempSync(join(tmpdir(), "waypost-pickers-")), "hat.png");
// The first word is its kind for the fake media workers.
writeFileSync(picture, "image of a hat");

const valueOf = async (tab: ConsoleTab, role: string, label: string) =>
  (await tab.see(role, label)).evaluate((field) => (field as { readonly value?: string }).value);

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the pickers of the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("a zone is found by its city, and another text is refused (console.pickers)", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestWaypost;
      const { workspace } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/settings?workspace=${workspace.id}&environment=sandbox`);
        await tab.signIn();
        await tab.fill("Time zone", "Nowhere", "combobox");
        await tab.seeText("Nothing matches.");
        await tab.page.keyboard.press("Tab");
        assert.notStrictEqual(await valueOf(tab, "combobox", "Time zone"), "Nowhere");
        await tab.find("Time zone", "America/New York", "new york");
        assert.strictEqual(await valueOf(tab, "combobox", "Time zone"), "America/New York");
        await tab.fill("From", "22:00");
        await tab.fill("To", "07:30");
        await tab.choose("Action", "Drop messages");
        await tab.press("button", "Save");
        await tab.seeText("Saved.");
      });
      const { data } = (yield* operator(`/workspaces/${workspace.id}`)).body;
      assert.strictEqual(data.timezone, "America/New_York");
      assert.deepStrictEqual(data.quiet_hours, { from: "22:00", to: "07:30", action: "drop" });
    }),
  );

  inBrowser("a language is chosen by its name, and a text that is none is refused (console.pickers)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const { id } = (yield* sandbox("/campaigns", { body: push })).body.data;
      const tab = yield* consoleTab;
      const label = "Language of translation 1";
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${id}/notifications/new`);
        await tab.signIn(tokens.sandbox);
        await tab.press("button", "Add translation");
        await tab.fill(label, "Klingonish", "combobox");
        await tab.seeText("Nothing matches.");
        await tab.page.keyboard.press("Tab");
        assert.strictEqual(await valueOf(tab, "combobox", label), "");
        await tab.find(label, "Dutch", "dutc");
        await tab.see("textbox", "Headline (nl)");
        await tab.find(label, "Swiss French", "fr-CH");
        await tab.see("textbox", "Headline (fr-CH)");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("a name is inserted into a text, and the preview fills it in (console.pickers)", () =>
    Effect.gen(function* () {
      const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
      const { id } = (yield* sandbox("/campaigns", { body: push })).body.data;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${id}/notifications/new`);
        await tab.signIn(tokens.sandbox);
        await tab.fill("Headline", "Hello from ");
        await tab.fill("Body", "Coffee");
        await tab.page.focus("textarea");
        await (await tab.see("textbox", "Headline")).focus();
        await tab.page.keyboard.press("End");
        await tab.choose("Insert", "Name of the location");
        assert.strictEqual(
          await valueOf(tab, "textbox", "Headline"),
          'Hello from {{ location.name | default: "us" }}',
        );
        await tab.page.waitForFunction(
          "document.querySelector('.preview-push .preview-headline')?.textContent === 'Hello from us'",
        );
        await tab.seeText("Body 6 of about 178 characters.");
        await tab.press("checkbox", "Dark");
        await tab.page.waitForSelector(".phone-dark");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("a picture is uploaded in place, and chosen by its thumbnail (console.pickers)", () =>
    Effect.gen(function* () {
      const world = yield* mediaWorld();
      const shown = yield* world.file();
      const { id } = (yield* world.sandbox("/campaigns", { body: push })).body.data;
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open(`/campaigns/${id}/notifications/new`);
        await tab.signIn(world.tokens.sandbox);
        await tab.click(".thumbnail");
        await tab.page.waitForSelector(".thumbnail[aria-pressed=true]");
        assert.strictEqual(await valueOf(tab, "combobox", "Picture"), shown.name);
        const [chooser] = await Promise.all([
          tab.page.waitForFileChooser(),
          tab.press("button", "Upload a picture"),
        ]);
        await chooser.accept([picture]);
        await tab.page.waitForFunction("document.querySelectorAll('.thumbnail').length === 2");
        await tab.page.waitForFunction(
          "document.querySelector('.thumbnail[aria-pressed=true] img')?.alt === 'hat.png'",
        );
      });
      yield* checkPage(tab);
    }),
  );
});
