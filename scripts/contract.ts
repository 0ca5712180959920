/**
 * Holds docs/contract/: every requirement has a test that exists. Prints `file:line  what is wrong`; exit code 1 on any.
 * Run it by `npm run check -- contract`.
 */
import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { contractFindings } from "./check/contract.ts";

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

/** The texts that the documents allow for `error.code`. */
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

const findings = contractFindings({
  index: file("docs/contract.md"),
  pages: files("docs/contract/*.md"),
  tests: files("test/**/*.test.ts"),
  operations: new Set(["platform", "device", "operator"].flatMap(operationsOf)),
  codes: codesOf("platform"),
});
for (const { file, line, message } of findings) console.error(`${file}:${line}  ${message}`);
console.log(`${findings.length} things wrong with the contract's tables.`);
process.exitCode = findings.length === 0 ? 0 : 1;
