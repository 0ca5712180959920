import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { mediaWorld } from "../media/MediaWorld.ts";
import { message } from "../notifications/NotificationWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const files = mkdtempSync(join(tmpdir(), "waypost-uploads-"));

/** A file on the disk; its first word is its kind for the fake media workers. */
const written = (name: string, content: string): string => {
  const path = join(files, name);
  writeFileSync(path, content);
  return path;
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the media in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("many files are uploaded at once, and a refused one has its reason (console.media)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/media");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Media");
        await tab.seeText("No media yet");
        const [chooser] = await Promise.all([tab.page.waitForFileChooser(), tab.press("button", "Upload")]);
        await chooser.accept([
          written("cup.png", "image of a cup"),
          written("<b>tune.mp3", "audio of a tune"),
          written("notes.txt", "words"),
        ]);
        await tab.seeText("2 of 3 files uploaded, 1 refused");
        await tab.seeText("The file is of no kind that is accepted.");
        await tab.see("link", "Open cup.png");
        await tab.see("link", "Open <b>tune.mp3");
        await tab.press("button", "Clear the list");
        await tab.page.waitForFunction("document.querySelector('.uploads') === null");
        await tab.choose("Type", "Audio");
        await tab.page.waitForFunction("document.querySelectorAll('.tile').length === 1");
        await tab.seeAddress("type=audio");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("files are uploaded by dropping them (console.media)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/media");
        await tab.signIn(tokens.sandbox);
        await tab.page.waitForSelector(".drop-zone");
        await tab.page.evaluate(`{
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(["image of a hat"], "hat.png"));
          const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector(".drop-zone").dispatchEvent(drop);
        }`);
        await tab.see("link", "Open hat.png");
      });
      assert.deepStrictEqual(tab.problems, []);
    }),
  );

  inBrowser("a file names the notifications that show it, and is then not deleted (console.media)", () =>
    Effect.gen(function* () {
      const world = yield* mediaWorld();
      const [used, unused] = [yield* world.file({ name: "Cup" }), yield* world.file({ name: "Hat" })];
      const shown = message({ name: "Coffee <i>now</i>", media_asset_id: used.id });
      const made = yield* world.sandbox(yield* world.geo(), { body: shown });
      assert.strictEqual(made.status, 201);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/media?q=hat");
        await tab.signIn(world.tokens.sandbox);
        await tab.see("link", "Open Hat");
        await tab.fill("Search media", "u", "searchbox");
        await tab.seeText("Coffee <i>now</i>");
        await tab.press("button", "Delete Cup");
        await tab.press("button", "Delete");
        await tab.seeText("Change their picture first.");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("button", "Cancel");
        await tab.fill("Search media", "a", "searchbox");
        await tab.press("button", "Delete Hat");
        await tab.press("button", "Delete");
        await tab.page.waitForFunction("document.querySelectorAll('.tile').length === 0");
      });
      assert.strictEqual((yield* world.sandbox(`/media/${unused.id}`)).status, 404);
    }),
  );
});
