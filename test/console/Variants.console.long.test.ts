import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

/** The headlines that the phones of the page show, in their order. */
const headlines = `[...document.querySelectorAll(".phone .preview-push .preview-headline")]
  .map(({ textContent }) => textContent).join(" | ")`;

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("variants in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "variants are written beside each other, with problems at their fields (U1.1, console.variants)",
    () =>
      Effect.gen(function* () {
        const { production, workspace } = yield* sendWorld();
        const campaign = yield* production.push({ name: "Coffee" });
        const notification = yield* production.sent(campaign, "2026-11-21 13:00", {
          headline: "A free coffee",
          translations: { nl: { headline: "Gratis koffie" } },
        });
        const path = `/campaigns/${campaign}/notifications/${notification}`;
        const stored = Effect.map(production.platform(path), ({ body }) => body.data);
        const tab = yield* consoleTab;
        const query = `?workspace=${workspace.id}&environment=production`;
        const seeHeadlines = (expected: string) =>
          tab.page.waitForFunction(`${headlines} === ${JSON.stringify(expected)}`);
        yield* Effect.promise(async () => {
          await tab.open(`${path}${query}`);
          await tab.signIn();
          await tab.press("button", "Add variant");
          await tab.seeText("The original: 50 % of people");
          await tab.fill("Headline of b", "Have you tasted it?");
          await tab.press("button", "Add variant");
          await tab.seeText("The original: 25 % of people");
          await tab.fill("Body of c", "Come by.");
          await tab.press("button", "Add translation of c");
          await tab.find("Language of translation 1 of c", "Dutch", "nl");
          await tab.fill("Headline (nl of c)", "Proef je mee?");
          await seeHeadlines("A free coffee | A free coffee | Have you tasted it? | A free coffee");
          await tab.choose("Language", "Dutch");
          // A variant's own headline comes before the translation of the original.
          await seeHeadlines("Gratis koffie | Gratis koffie | Have you tasted it? | Proef je mee?");
          await tab.fill("Key of variant 2", "control");
          await tab.fill("Percent of people for b", "75");
          await tab.click("::-p-text(Push options of b)");
          await tab.fill("Badge of b", "many");
          await tab.press("button", "Save");
          await tab.press("button", "Change it");
          await tab.seeText("The key control has a meaning of its own: choose another one.");
          await tab.seeText("The badge must be a whole number between 0 and 99,999.");
          await tab.seeText("The weights of the variants must add up to at most 99");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.fill("Key of variant 2", "short");
          await tab.fill("Percent of people for b", "40");
          await tab.fill("Badge of b", "3");
          await tab.choose("Variant", "short");
          await tab.press("button", "Show what it gets");
          await tab.page.waitForFunction(
            "document.querySelector('.rendered .preview-body')?.textContent === 'Come by.'",
          );
          await tab.press("button", "Save");
          await tab.seeText("Variants: empty → b (40 %) Have you tasted it?; short (25 %) Come by.");
          await tab.press("button", "Change it");
          await tab.seePage("Coffee");
        });
        const [b, short] = (yield* stored).variants;
        assert.deepInclude(b, { key: "b", weight: 40, headline: "Have you tasted it?", body: null });
        assert.strictEqual(b.push.badge, 3);
        assert.deepInclude(short, { key: "short", weight: 25, headline: null, body: "Come by.", push: null });
        assert.deepStrictEqual(short.translations, { nl: { headline: "Proef je mee?" } });

        yield* Effect.forEach(Array.from({ length: 3 }), () => production.phone());
        yield* production.ask(campaign, "publish");
        yield* moveTo("2026-11-21T13:00:00Z");
        yield* Effect.promise(async () => {
          await tab.open(`${path}${query}`);
          await tab.seeText("People are in the experiment of the campaign");
          await tab.see("textbox", "Headline of b");
          assert.isNull(await tab.page.$("::-p-aria(Key of variant 1)"));
          assert.isNull(await tab.page.$("::-p-aria(Add variant)"));
        });
      }),
  );
});
