import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "puppeteer-core";

/** The source of axe-core, for a page. */
export const axeScript = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The accessibility rules that a page breaks, each with the first element. */
export const axeFindings = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeScript);
  const run =
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))";
  return (await page.evaluate(run)) as ReadonlyArray<string>;
};
