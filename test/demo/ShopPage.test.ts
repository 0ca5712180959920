import { assert, describe, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shopPage, shopPolicy, shopWorker } from "../../src/demo/ShopPage.ts";

const waypost = "https://push.example.com";
const counter = { latitude: 0, longitude: 0 };
const shop = shopPage({ waypost, counter, results: `${waypost}/console`, sdkKey: "wpk_…" });

/** The content of the first block of code in a language that contains some words. */
const blockOf = (file: string, language: string, words: string): string => {
  const page = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
  const blocks = [...page.matchAll(/^ *```(\w*)\n([^]*?)\n *```$/gm)];
  return blocks.find(([, name, text]) => name === language && text?.includes(words))?.[2] ?? "";
};

describe("the shop of the demo", () => {
  for (const file of ["README.md", "docs/web.md"])
    it(`its page and its worker are the lines of ${file}`, () => {
      const lines = blockOf(file, "html", "waypost-inbox").split("\n");
      assert.lengthOf(lines, 10);
      const missing = lines.filter((line) => !shop.split("\n").includes(line));
      assert.deepStrictEqual(missing, []);
      assert.strictEqual(blockOf(file, "js", "importScripts").trim(), shopWorker(waypost).trim());
    });

  it("its policy allows what docs/web.md names, and nothing else but its own script and styles", () => {
    const named = blockOf("docs/web.md", "", "script-src").replaceAll(/\s+/g, " ");
    const own = shopPolicy(shop, waypost).replaceAll(/ 'sha256-[^']+'/g, "");
    assert.strictEqual(own, `default-src 'none'; ${named}; style-src`);
  });
});
