import { assert, describe, it } from "@effect/vitest";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settings } from "../../src/config/SettingsTable.ts";

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

describe("docs/operating.md", () => {
  it("lists the settings as the program reads them, defaults and meanings included (running.settings)", () => {
    assert.deepStrictEqual(
      rowsOf(sectionOf(read("docs/operating.md"), "Settings")),
      settings.map((setting) => [`\`${setting.name}\``, setting.default, setting.description]),
    );
  });

  it("lists every metric there is, and no other", () => {
    const inCode = globSync("src/**/*.ts", { cwd: root }).flatMap((path) =>
      [...read(path).matchAll(/Metric\.(?:counter|gauge|histogram)\(\s*"(waypost_[a-z_]+)"/g)].map(
        ([, name = ""]) => name,
      ),
    );
    const inPage = rowsOf(read("docs/operating.md")).map(([name = ""]) => name.replaceAll("`", ""));
    assert.deepStrictEqual(new Set(inPage.filter((name) => name.startsWith("waypost_"))), new Set(inCode));
  });
});

describe("what watches over Waypost", () => {
  const known = new Set(
    rowsOf(read("docs/operating.md")).flatMap(([name = "", kind = ""]) => {
      const metric = name.replaceAll("`", "");
      return kind === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => metric + end) : [metric];
    }),
  );
  for (const page of ["docs/operating/alerts.yml", "docs/operating/grafana-dashboard.json"]) {
    it(`asks only for metrics that there are: ${page}`, () => {
      const asked = [...read(page).matchAll(/\bwaypost_[a-z_]+/g)].map(([name]) => name);
      assert.isNotEmpty(asked);
      assert.deepStrictEqual(
        asked.filter((name) => !known.has(name)),
        [],
      );
    });
  }
});

describe("every metric", () => {
  it("is watched: by an alert, or by a panel of the dashboard", () => {
    const watching = ["alerts.yml", "grafana-dashboard.json"]
      .map((name) => read(`docs/operating/${name}`))
      .join();
    const documented = rowsOf(read("docs/operating.md"))
      .map(([name = ""]) => name.replaceAll("`", ""))
      .filter((name) => name.startsWith("waypost_"));
    assert.deepStrictEqual(
      documented.filter((name) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(watching)),
      [],
    );
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
