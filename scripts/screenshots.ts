/**
 * Takes the pictures of the console in docs/pictures, in both themes, over the data of the demo:
 * `npm run screenshots`. Needs the browser of the tests.
 */
import { Console, Effect } from "effect";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Page } from "puppeteer-core";
import sharp from "sharp";
import { runChapters } from "../src/demo/Demo.ts";
import { temporaryWaypost } from "../src/demo/TemporaryWaypost.ts";
import { inConsole } from "./bench/ConsoleBrowser.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/pictures");
/** All pictures together, in bytes. */
const maxBytes = 600_000;

interface Picture {
  readonly name: string;
  /** Goes to the page, and waits for what the picture shows. */
  readonly open: (page: Page, origin: string) => Promise<unknown>;
}

const campaign = "Second cup at half price";

/** Opens the campaign of the demo by its link in the list. */
const openCampaign = async (page: Page, origin: string): Promise<void> => {
  await page.goto(`${origin}/console/campaigns`);
  await page.locator(`::-p-aria([name="${campaign}"][role="link"])`).click();
  await page.waitForSelector(`::-p-xpath(//h1[.="${campaign}"])`);
};

const pictures: ReadonlyArray<Picture> = [
  {
    name: "overview",
    open: async (page, origin) => {
      await page.goto(`${origin}/console`);
      await page.locator("::-p-xpath(//button[contains(., 'Entries')])").click();
      await page.waitForSelector("::-p-text(Winter menu)");
    },
  },
  {
    name: "report",
    open: async (page, origin) => {
      await page.goto(`${origin}/console/reports?report=locations`);
      await page.waitForSelector("::-p-text(Acme Utrecht Central)");
    },
  },
  {
    name: "campaign",
    open: async (page, origin) => {
      await openCampaign(page, origin);
      await page.waitForSelector(".map[data-drawn=true] canvas");
      await page.evaluate(`document.querySelector(".map canvas").scrollIntoView({ block: "end" })`);
    },
  },
  {
    name: "editor",
    open: async (page, origin) => {
      await openCampaign(page, origin);
      await page.locator('::-p-aria([name="Half price"][role="link"])').click();
      await page.waitForSelector("::-p-aria([name='Phone preview'])");
    },
  },
];

/** Takes all pictures. Returns the sum of their bytes. */
const takePictures = async (page: Page, origin: string): Promise<number> => {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const theme of ["light", "dark"]) {
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: theme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    for (const { name, open } of pictures) {
      await open(page, origin);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const file = join(folder, `${name}-${theme}.webp`);
      writeFileSync(
        file,
        await sharp(await page.screenshot())
          .webp({ quality: 80, effort: 6 })
          .toBuffer(),
      );
      bytes += statSync(file).size;
    }
  }
  return bytes;
};

const program = Effect.scoped(
  Effect.gen(function* () {
    const server = yield* temporaryWaypost([process.execPath, join(root, "bin/waypost.js")]);
    const quiet = { ...globalThis.console, log: () => undefined };
    yield* Effect.provideService(runChapters(server), Console.Console, quiet);
    return yield* Effect.promise(() => inConsole(server, (page) => takePictures(page, server.origin)));
  }),
);
const bytes = await Effect.runPromise(program);
console.log(`The pictures have ${bytes.toLocaleString("en")} bytes.`);
if (bytes > maxBytes) {
  console.error(`The maximum is ${maxBytes.toLocaleString("en")} bytes.`);
  process.exitCode = 1;
}
