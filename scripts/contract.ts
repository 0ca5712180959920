/**
 * Checks docs/contract/: every requirement has a test that cites its id. Prints `file:line  message` for each
 * finding; exit code 1 on any. `node scripts/contract.ts E3 campaigns.w4` prints the tests of those
 * requirements instead.
 */
import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { contractFindings, testsById } from "./check/contract.ts";

const file = (path: string) => ({ path, text: readFileSync(path, "utf8") });
const files = (pattern: string) => globSync(pattern).toSorted().map(file);

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const methods = new Set(["get", "put", "post", "patch", "delete"]);
const operationsOf = (name: string): ReadonlyArray<string> => {
  const { paths } = JSON.parse(readFileSync(`openapi/${name}.json`, "utf8")) as Document;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.has(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
};

/** The values that a document allows for `error.code`. */
const codesOf = (name: string): ReadonlySet<string> => {
  const codes = new Set<string>();
  const walk = (value: unknown, isCode: boolean): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (isCode && (key === "enum" || key === "const"))
        for (const code of [inner].flat()) codes.add(String(code));
      walk(inner, key === "code" || (isCode && key !== "examples"));
    }
  };
  walk(JSON.parse(readFileSync(`openapi/${name}.json`, "utf8")), false);
  return codes;
};

const sources = {
  index: file("docs/contract.md"),
  pages: files("docs/contract/*.md"),
  tests: files("test/**/*.test.ts"),
  operations: new Set(["platform", "device", "operator"].flatMap(operationsOf)),
  codes: codesOf("platform"),
};

const wanted = process.argv.slice(2);
if (wanted.length > 0) {
  for (const [id, tests] of testsById(sources)) {
    if (!wanted.some((each) => id === each || id.startsWith(`${each}.`))) continue;
    console.log(id);
    for (const { file, line, name } of tests) console.log(`  ${file}:${line}  ${name}`);
  }
} else {
  const findings = contractFindings(sources);
  for (const { file, line, message } of findings) console.error(`${file}:${line}  ${message}`);
  console.log(`${findings.length} findings in the contract's tables.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
