import { Context, Effect, Layer } from "effect";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { chromiumPath } from "./Chromium.ts";

/**
 * With `WAYPOST_TEST_SLOW_PAGES=1`, every page computes at a fourth of its speed and gets every answer 400 ms
 * later. A test that reads what the page does not show yet then fails each time instead of once in a thousand
 * runs.
 */
const isSlow = process.env["WAYPOST_TEST_SLOW_PAGES"] === "1";

const slowDown = async (page: Page): Promise<void> => {
  await page.emulateCPUThrottling(4);
  await page.emulateNetworkConditions({ upload: -1, download: -1, latency: 400 });
};

export interface Tab {
  readonly page: Page;
  /** Everything that a page must not do: errors, violations of its policy, requests to other hosts. */
  readonly problems: ReadonlyArray<string>;
}

/** Draws WebGL without a GPU. The rest of a page is drawn without it, for a fourth of the CPU time. */
const softwareGraphics = ["--use-gl=angle", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader"];
const noGraphics = ["--disable-gpu"];
/** A map moves and a panel opens in one frame instead of sixty a second. */
const fewFrames = ["--force-prefers-reduced-motion"];

const launch = async (graphics: ReadonlyArray<string>): Promise<Browser> =>
  puppeteer.launch({
    executablePath: await chromiumPath(),
    headless: "shell",
    // It ends with this process, however that ends.
    pipe: true,
    // Root cannot use the sandbox of Chromium.
    args: ["--no-sandbox", "--disable-dev-shm-usage", ...fewFrames, ...graphics],
    // A fourth of the pixels: without a GPU, most of the CPU time of a map is drawing them.
    defaultViewport: { width: 1400, height: 1000, deviceScaleFactor: 0.5 },
  });

/** The browsers of this worker, by whether they draw WebGL. Files of one worker share modules. */
const browsers = new Map<ReadonlyArray<string>, Promise<Browser>>();

const browserOf = async (graphics: ReadonlyArray<string>): Promise<Browser> => {
  const running = await browsers.get(graphics);
  if (running?.connected === true) return running;
  const launched = launch(graphics);
  browsers.set(graphics, launched);
  return launched;
};

/**
 * A real browser, one for all files of a worker. It starts with the first tab. Each tab has cookies and
 * storage of its own. Tests that need it are skipped without `isChromiumAvailable`.
 */
export class TestBrowser extends Context.Service<TestBrowser>()("waypost/test/TestBrowser", {
  make: (graphics: ReadonlyArray<string>) => {
    /** Opens an empty tab for the pages of one origin. It is closed with the scope. */
    const open = (origin: string) =>
      Effect.gen(function* () {
        const browser = yield* Effect.promise(() => browserOf(graphics));
        const context = yield* Effect.acquireRelease(
          Effect.promise(() => browser.createBrowserContext()),
          (opened) => Effect.promise(() => opened.close()),
        );
        const page = yield* Effect.promise(() => context.newPage());
        page.setDefaultTimeout(120_000);
        if (isSlow) yield* Effect.promise(() => slowDown(page));
        const problems: Array<string> = [];
        page.on("pageerror", (error) => problems.push(`error: ${String(error)}`));
        page.on("request", (request) => {
          const url = request.url();
          if (!url.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(url))
            problems.push(`request: ${url}`);
        });
        // A violation of the policy of a page is an error on its console.
        page.on("console", (message) => {
          const text = message.text();
          if (/content security policy/i.test(text)) problems.push(`policy: ${text}`);
          // A refused call is logged as a resource that could not be loaded. The page shows its sentence.
          else if (message.type() === "error" && !text.startsWith("Failed to load resource"))
            problems.push(`console: ${text}`);
        });
        return { page, problems } satisfies Tab;
      });

    return Effect.succeed({ open });
  },
}) {
  static readonly layer = Layer.effect(TestBrowser, TestBrowser.make(noGraphics));
  /** With WebGL, for pages with a map. */
  static readonly layerWebGL = Layer.effect(TestBrowser, TestBrowser.make(softwareGraphics));
}
