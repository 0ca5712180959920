import { assert, describe, it } from "@effect/vitest";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allSettings } from "../../src/config/SettingsTable.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).toSorted();
const sources = globSync("src/**/*.ts", { cwd: root }).map(read);

/** The cells of every table row whose first cell starts with a name in backticks. */
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

const operating = read("docs/operating.md");
const withoutBackticks = (text: string): string => text.replaceAll("`", "");

const sectionOf = (heading: string): string =>
  operating.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** The metrics of the code: name, kind, and the source of their file. */
const metrics = sources.flatMap((source) =>
  [...source.matchAll(/\b(counter|gauge|histogram)\(\s*"(waypost_[a-z_]+)"/g)].map(
    ([, kind = "", name = ""]) => ({ name, kind, source }),
  ),
);

const metricRows = rowsOf(operating).filter(([name = ""]) => name.startsWith("`waypost_"));
const watching = ["docs/operating/alerts.yml", "docs/operating/grafana-dashboard.json"];

describe("docs/operating.md", () => {
  it("the table of settings has every setting with its default and description (running.settings)", () => {
    assert.deepStrictEqual(
      rowsOf(sectionOf("Settings")),
      allSettings.map((setting) => [`\`${setting.name}\``, setting.default, setting.description]),
    );
  });

  it("the table of metrics has every metric of the code with its kind, and no other", () => {
    const documented = metricRows.map(([name = "", kind = ""]) => `${withoutBackticks(name)} ${kind}`);
    assert.deepStrictEqual(
      documented.toSorted(),
      metrics.map(({ kind, name }) => `${name} ${kind}`).toSorted(),
    );
  });

  it("the file of a metric names every label that the table of metrics has for it", () => {
    const unknown = metricRows.flatMap(([name = "", , labels = ""]) => {
      const source = metrics.find((metric) => metric.name === withoutBackticks(name))?.source ?? "";
      return withoutBackticks(labels)
        .split(", ")
        .filter((label) => label !== "" && !new RegExp(`\\b${label}\\b`).test(source))
        .map((label) => `${name} has no label ${label}`);
    });
    assert.deepStrictEqual(unknown, []);
  });

  it("the table of jobs has every background job of the code, and no other", () => {
    const [, names = ""] = /const jobNames = \[([^;]*);/.exec(read("src/workers/JobMetrics.ts")) ?? [];
    const jobs = [...names.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
    const tables = sectionOf("Health and metrics").split("\n\n");
    const documented = rowsOf(tables.find((text) => text.startsWith("| job ")) ?? "");
    assert.deepStrictEqual(
      documented.map(([name = ""]) => withoutBackticks(name)).toSorted(),
      jobs.toSorted(),
    );
  });

  it("every message in the table of messages exists in the code", () => {
    const texts = rowsOf(sectionOf("When something is wrong"))
      .map(([message = ""]) => withoutBackticks(message))
      .filter((message) => !message.startsWith("waypost"));
    assert.isNotEmpty(texts);
    const parts = texts.flatMap((text) => text.split(/…|\b(?:N|17)\b/)).map((part) => part.trim());
    const missing = parts.filter(
      (part) => part.length > 3 && !sources.some((source) => source.includes(part)),
    );
    assert.deepStrictEqual(missing, []);
  });
});

describe("alerts and dashboard", () => {
  const known = new Set(
    metrics.flatMap(({ kind, name }) =>
      kind === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
    ),
  );

  it.each(watching)("%s queries only existing metrics", (page) => {
    const queried = [...read(page).matchAll(/\bwaypost_[a-z_]+/g)].map(([name]) => name);
    assert.isNotEmpty(queried);
    assert.deepStrictEqual(
      queried.filter((name) => !known.has(name) && !metrics.some((metric) => metric.name === name)),
      [],
    );
  });

  it("every metric has an alert or a panel of the dashboard", () => {
    const text = watching.map(read).join();
    assert.deepStrictEqual(
      metrics.filter(({ name }) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(text)),
      [],
    );
  });
});

describe("pages", () => {
  it("every link to a file leads to an existing file", () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepStrictEqual(broken, []);
  });

  it("every picture of a page exists, and every picture is on a page", () => {
    const shown = pages.flatMap((path) =>
      [...read(path).matchAll(/\b(?:src|srcset)="([^":]+)"/g)].map(([, to = ""]) => join(dirname(path), to)),
    );
    assert.deepStrictEqual(
      [...new Set(shown)].toSorted(),
      globSync("docs/pictures/*", { cwd: root }).toSorted(),
    );
  });

  it("every link to a heading leads to an existing heading", () => {
    const anchorsOf = (path: string): ReadonlySet<string> =>
      new Set(
        [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
          heading
            .toLowerCase()
            .replaceAll(/[^\w\- ]/g, "")
            .replaceAll(" ", "-"),
        ),
      );
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
        .map(([, target = "", anchor = ""]) => ({
          path: target === "" ? page : join(dirname(page), target),
          anchor,
        }))
        .filter(({ anchor, path }) => existsSync(join(root, path)) && !anchorsOf(path).has(anchor))
        .map(({ anchor, path }) => `${page}: ${path}#${anchor}`),
    );
    assert.deepStrictEqual(broken, []);
  });
});
