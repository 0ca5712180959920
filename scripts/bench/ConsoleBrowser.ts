import puppeteer, { type Page } from "puppeteer-core";
import type { TemporaryWaypost } from "../../src/demo/TemporaryWaypost.ts";
import { chromiumPath } from "../../test/browser/Chromium.ts";

/** Runs some work in a browser in which the operator is signed in to the console. */
export const inConsole = async <Result>(
  { operatorKey, origin }: TemporaryWaypost,
  work: (page: Page) => Promise<Result>,
): Promise<Result> => {
  const browser = await puppeteer.launch({
    executablePath: await chromiumPath(),
    headless: "shell",
    // As in the tests: root has no sandbox, and WebGL is drawn without a GPU.
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    defaultViewport: { width: 1400, height: 900 },
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${origin}/console`);
    const field = await page.waitForSelector("::-p-aria(Access key)");
    await field?.type(operatorKey);
    await page.locator('::-p-aria([name="Sign in"][role="button"])').click();
    await page.waitForSelector("nav[aria-label=Pages]");
    return await work(page);
  } finally {
    await browser.close();
  }
};
