/**
 * Brings the tests under each rule of docs/contract.md up to date: every test that cites the rule's number in its name or its
 * group's, and those that stand there already and still exist. Run `node scripts/contract.ts` after adding or renaming tests.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";

const page = "docs/contract.md";

interface NamedTest {
  readonly file: string;
  readonly name: string;
  readonly rules: ReadonlySet<string>;
}

/** The numbers in the parentheses of a name, ranges such as J1–J3 spelled out. */
const cited = (name: string): ReadonlySet<string> => {
  const numbers = new Set<string>();
  for (const [, inside = ""] of name.matchAll(/\(([^)]*)\)/g)) {
    for (const [, letter = "", from = "", to = from] of inside.matchAll(
      /\b([A-L])(\d{1,2})(?:–\1?(\d{1,2}))?\b/g,
    ))
      for (let number = Number(from); number <= Number(to); number++) numbers.add(`${letter}${number}`);
  }
  return numbers;
};

const testsOf = (file: string): ReadonlyArray<NamedTest> => {
  let group: ReadonlySet<string> = new Set();
  const calls = /\b(describe|layer\([^"]*\)|it(?:\.\w+)*)\(\s*"((?:[^"\\]|\\.)*)"/g;
  return [...readFileSync(file, "utf8").matchAll(calls)].flatMap(([, call = "", quoted = ""]) => {
    const name = quoted.replaceAll("\\", "");
    const own = cited(name);
    if (call.startsWith("it")) return [{ file, name, rules: own.size > 0 ? own : group }];
    group = own;
    return [];
  });
};

const tests = globSync("test/**/*.test.ts").toSorted().flatMap(testsOf);
const marked = (name: string): string => name.replaceAll("__", "\\_\\_").replaceAll("*", "\\*");
const lineOf = ({ file, name }: NamedTest): string => `  - ${file} › ${marked(name)}`;
const existing = new Set(tests.map(lineOf));

const lines = readFileSync(page, "utf8").split("\n");
const rewritten: Array<string> = [];
let rule: { readonly number: string; readonly kept: Array<string> } | null = null;

const finish = (): void => {
  if (rule === null) return;
  const { kept, number } = rule;
  const citing = tests.filter(({ rules }) => rules.has(number)).map(lineOf);
  rewritten.push(...new Set([...citing, ...kept.filter((line) => existing.has(line))]));
  rule = null;
};

for (const line of lines) {
  const number = /^- \*\*([A-L]\d+)\*\*/.exec(line)?.[1];
  if (number !== undefined || line === "" || line.startsWith("#")) finish();
  if (line.startsWith("  - test/")) rule?.kept.push(line);
  else rewritten.push(line);
  if (number !== undefined) rule = { number, kept: [] };
}
writeFileSync(page, rewritten.join("\n"));
