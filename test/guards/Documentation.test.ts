import { assert, describe, it } from "@effect/vitest";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settings } from "../../src/Settings.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).toSorted();

/** The cells of every table row whose first cell is a name in backticks. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .filter((line) => /^\| `[^`]+`\s*\|/.test(line))
    .map((line) =>
      line
        .replace(/^\||\|\s*$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );

const sectionOf = (text: string, heading: string): string =>
  text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** Without the marks that Markdown and string literals need. */
const plain = (text: string): string => text.replaceAll("\\", "");

/** Each rule of the contract: how many there are under each letter. */
const rules = { A: 5, B: 6, C: 2, D: 5, E: 12, F: 8, G: 6, H: 4, I: 2, J: 3, K: 9, L: 9 };

describe("docs/operating.md", () => {
  it("lists the settings as the program reads them, defaults and meanings included", () => {
    assert.deepStrictEqual(
      rowsOf(sectionOf(read("docs/operating.md"), "Settings")),
      settings.map((setting) => [`\`${setting.name}\``, setting.default, setting.description]),
    );
  });

  it("lists every metric there is, and no other", () => {
    const inCode = globSync("src/**/*.ts", { cwd: root }).flatMap((path) =>
      [...read(path).matchAll(/"(waypost_[a-z_]+_(?:total|seconds|bytes|count|ratio))"/g)].map(
        ([, name = ""]) => name,
      ),
    );
    const inPage = rowsOf(read("docs/operating.md")).map(([name = ""]) => name.replaceAll("`", ""));
    assert.deepStrictEqual(new Set(inPage.filter((name) => name.startsWith("waypost_"))), new Set(inCode));
  });
});

describe("docs/contract.md", () => {
  it("states every rule once, in order", () => {
    const stated = [...read("docs/contract.md").matchAll(/^- \*\*([A-L]\d+)\*\*/gm)].map(
      ([, number]) => number,
    );
    const all = Object.entries(rules).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
    );
    assert.deepStrictEqual(stated, all);
  });

  it("names only tests that there are", () => {
    const missing = read("docs/contract.md")
      .split("\n")
      .flatMap((line) => {
        const [, file = "", name = ""] = /^ {2}- (test\/\S+) › (.+)$/.exec(line) ?? [];
        if (file === "") return [];
        const isThere = existsSync(join(root, file)) && plain(read(file)).includes(plain(name));
        return isThere ? [] : [line.trim()];
      });
    assert.deepStrictEqual(missing, []);
  });
});

describe("pages", () => {
  it("link only to files that there are", () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepStrictEqual(broken, []);
  });
});
