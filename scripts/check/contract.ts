/**
 * Checks of the contract's tables in docs/contract/ against the tests, the OpenAPI documents and the error
 * codes.
 */
import type { Finding, SourceFile } from "./finding.ts";

/** A row of the contract: a requirement and its endpoints. */
interface Requirement {
  readonly id: string;
  readonly endpoints: ReadonlyArray<string>;
  readonly file: string;
  readonly line: number;
}

/** A test that cites requirements in its name. */
interface CitingTest {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly ids: ReadonlyArray<string>;
}

/** The inputs of the check. */
export interface ContractSources {
  /** docs/contract.md: the file of findings that have no row. */
  readonly index: SourceFile;
  /** The pages with the tables: docs/contract/*.md. */
  readonly pages: ReadonlyArray<SourceFile>;
  readonly tests: ReadonlyArray<SourceFile>;
  /** Every operation of the three interfaces, as `GET /campaigns/{campaign}`. Each must have a row. */
  readonly operations: ReadonlySet<string>;
  /** Every error code of the platform API. */
  readonly codes: ReadonlySet<string>;
}

/** The number of requirements of each section of the contract, by its letter. */
const numbers = { A: 5, B: 6, C: 2, D: 5, E: 12, F: 8, G: 6, H: 4, I: 2, J: 3, K: 9, L: 9, M: 5, N: 5, R: 1 };
const topLevelIds = Object.entries(numbers).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

const heading = "| id | requirement | endpoint |";
const ruler = "| --- | --- | --- |";
const idPattern = /^(?:[A-Z]{1,2}\d{1,2}(?:\.\d{1,2})?|[a-z][a-z-]*\.[a-z0-9_]+)$/;
const rangePattern = /^([A-Z]{1,2})(\d{1,2})[–-]\1?(\d{1,2})$/;

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const readPage = (page: SourceFile, report: (line: number, message: string) => void) => {
  const rows: Array<Requirement> = [];
  for (const [index, text] of page.text.split("\n").entries()) {
    if (!text.startsWith("|") || text === heading || text === ruler) continue;
    const cells = cellsOf(text);
    const [id = "", requirement = "", endpoint = ""] = cells;
    if (cells.length !== 3 || text !== `| ${cells.join(" | ")} |`) {
      report(
        index + 1,
        "A row has three cells, each with one space on both sides: id, requirement, endpoint.",
      );
      continue;
    }
    if (!idPattern.test(id))
      report(
        index + 1,
        `The id "${id}" is neither a number, such as E3.1, nor an area and a name, such as campaigns.w4.`,
      );
    if (requirement === "" || endpoint === "") report(index + 1, `${id} has no requirement or no endpoint.`);
    rows.push({ id, endpoints: endpoint.split("<br>"), file: page.path, line: index + 1 });
  }
  return rows;
};

/** The ids that one item in parentheses cites: an id, or a range such as K1–K5. */
const idsOf = (item: string): ReadonlyArray<string> => {
  if (idPattern.test(item)) return [item];
  const [, letter, first, last] = rangePattern.exec(item) ?? [];
  return letter === undefined
    ? []
    : Array.from(
        { length: Number(last) - Number(first) + 1 },
        (_, index) => `${letter}${Number(first) + index}`,
      );
};

/** The tests of a file whose names cite ids in parentheses, such as "… (E3, J1–J3, campaigns.w4)". */
const citingTests = ({ path, text }: SourceFile): ReadonlyArray<CitingTest> => {
  const quotes = String.raw`"(?:[^"\\\n]|\\.)*"`;
  const calls = new RegExp(
    String.raw`(?<!\bdescribe)\(\s*(?:(${quotes}(?:\s*\+\s*${quotes})*)|` +
      String.raw`\x60((?:[^\x60\\]|\\.)*)\x60),(?!\s*\(it\b)`,
    "g",
  );
  return [...text.matchAll(calls)].flatMap(({ 1: quoted, 2: template, index }) => {
    const joined = quoted?.slice(1, -1).replaceAll(/"\s*\+\s*"/g, "");
    const name = (joined ?? template ?? "").replaceAll("\\", "");
    const ids = [...name.matchAll(/\(([^()]*)\)/g)].flatMap(([, inside = ""]) =>
      inside.split(",").flatMap((item) => idsOf(item.trim())),
    );
    return ids.length === 0
      ? []
      : [{ file: path, line: text.slice(0, index).split("\n").length, name, ids: [...new Set(ids)] }];
  });
};

/** Whether a test that cites `cited` covers the requirement `id`: E3 covers E3.1 and E3.2. */
const covers = (cited: string, id: string): boolean => cited === id || id.startsWith(`${cited}.`);

/** The tests of each requirement, by the ids in the names of the tests. */
export const testsById = ({
  pages,
  tests,
}: Pick<ContractSources, "pages" | "tests">): ReadonlyMap<string, ReadonlyArray<CitingTest>> => {
  const citing = tests.flatMap(citingTests);
  const rows = pages.flatMap((page) => readPage(page, () => undefined));
  return new Map(
    rows.map(({ id }) => [id, citing.filter((test) => test.ids.some((cited) => covers(cited, id)))]),
  );
};

/**
 * Checks that every requirement has a test that cites its id, that every number, endpoint and error code has
 * a row, and that every id that a test cites has a row.
 */
export const contractFindings = (sources: ContractSources): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [];
  const rows = sources.pages.flatMap((page) =>
    readPage(page, (line, message) => findings.push({ file: page.path, line, message })),
  );
  // test/guards/ quotes wrong rows and names.
  const tests = sources.tests.filter(({ path }) => !path.startsWith("test/guards/"));
  const tested = testsById({ pages: sources.pages, tests });
  const ids = new Set<string>();

  for (const { endpoints, file, id, line } of rows) {
    const report = (message: string) => findings.push({ file, line, message });
    if (ids.has(id)) report(`The id ${id} has an earlier row: an id has one row.`);
    ids.add(id);
    if (idPattern.test(id) && tested.get(id)?.length === 0)
      report(`No test cites ${id}: add it to the name of the test that proves it, as "… (${id})".`);
    for (const endpoint of endpoints) {
      if (/^[A-Z]+ \//.test(endpoint) && !sources.operations.has(endpoint))
        report(`${id} names the endpoint ${endpoint}, which no document in openapi/ has.`);
    }
  }

  const missing = (message: string) => findings.push({ file: sources.index.path, line: 1, message });
  const tops = new Set([...ids].map((id) => id.split(".")[0]));
  for (const id of topLevelIds) if (!tops.has(id)) missing(`${id} of the contract has no row.`);
  const endpoints = new Set(rows.flatMap((row) => row.endpoints));
  for (const operation of sources.operations)
    if (!endpoints.has(operation)) missing(`No row of the contract names the endpoint ${operation}.`);
  for (const code of sources.codes)
    if (!ids.has(`errors.${code}`)) missing(`The error code ${code} has no row: add errors.${code}.`);

  const known = [...ids];
  for (const { file, ids: cited, line, name } of tests.flatMap(citingTests))
    for (const id of cited)
      if (!known.some((each) => covers(id, each)))
        findings.push({ file, line, message: `"${name}" cites ${id}, which has no row.` });
  return findings;
};
