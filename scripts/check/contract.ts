import type { Finding, SourceFile } from "./finding.ts";

/** One row of the contract: a requirement, where it holds, and the tests that hold it. */
interface Requirement {
  readonly id: string;
  readonly endpoints: ReadonlyArray<string>;
  readonly tests: ReadonlyArray<string>;
  readonly file: string;
  readonly line: number;
}

/** What the rows are held against. */
export interface ContractGround {
  /** docs/contract.md, which lists what is not built yet, and the pages with the tables. */
  readonly index: SourceFile;
  readonly pages: ReadonlyArray<SourceFile>;
  readonly tests: ReadonlyArray<SourceFile>;
  /** Every operation of the three interfaces, as `GET /campaigns/{campaign}`: each must have a row. */
  readonly operations: ReadonlySet<string>;
  /** Every error code of the platform API. */
  readonly codes: ReadonlySet<string>;
}

/** How many numbers the contract has under each letter. */
const numbers = { A: 5, B: 6, C: 2, D: 5, E: 12, F: 8, G: 6, H: 4, I: 2, J: 3, K: 9, L: 9 };
const letters = Object.entries(numbers).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
);

const heading = "| id | requirement | endpoint | test |";
const ruler = "| --- | --- | --- | --- |";
const idPattern = /^(?:[A-L]\d{1,2}(?:\.\d{1,2})?|[a-z][a-z-]*\.[a-z0-9_]+)$/;

/** Without the backslashes that Markdown and string literals need. */
const plain = (text: string): string => text.replaceAll("\\", "");

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const parts = (cell: string): ReadonlyArray<string> => cell.split("<br>").map((part) => part.trim());

/** The names of a test file: the texts that stand first in a call, but for those of groups. */
const namesOf = ({ text }: SourceFile): ReadonlySet<string> => {
  const calls = /(?<!\bdescribe)\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`),(?!\s*\(it\b)/g;
  return new Set([...text.matchAll(calls)].map(([, quoted, template]) => plain(quoted ?? template ?? "")));
};

/** The areas under "Not built yet", each with its line. */
const notBuilt = ({ text }: SourceFile): ReadonlyMap<string, number> => {
  const areas = new Map<string, number>();
  let isThere = false;
  for (const [at, line] of text.split("\n").entries()) {
    if (line.startsWith("## ")) isThere = line === "## Not built yet";
    const area = /^- \*\*([a-z ]+)\*\*/.exec(line)?.[1];
    if (isThere && area !== undefined) areas.set(area, at + 1);
  }
  return areas;
};

const readPage = (page: SourceFile, report: (line: number, message: string) => void) => {
  const rows: Array<Requirement> = [];
  for (const [at, text] of page.text.split("\n").entries()) {
    if (!text.startsWith("|") || text === heading || text === ruler) continue;
    const cells = cellsOf(text);
    const [id = "", requirement = "", endpoint = "", test = ""] = cells;
    if (cells.length !== 4 || text !== `| ${cells.join(" | ")} |`) {
      report(at + 1, "A row has four cells, with one blank around each: id, requirement, endpoint, test.");
      continue;
    }
    if (!idPattern.test(id))
      report(at + 1, `The id "${id}" is neither a number such as E3.1 nor an area such as campaigns.w4.`);
    if (requirement === "" || endpoint === "") report(at + 1, `${id} says not what holds, or not where.`);
    const tests = test === "" ? [] : parts(test);
    rows.push({ id, endpoints: parts(endpoint), tests, file: page.path, line: at + 1 });
  }
  return rows;
};

/** The numbers that the name of a test cites in parentheses, such as (E3, J1–J3). */
const cited = (name: string): ReadonlyArray<string> =>
  [...name.matchAll(/\(([^()]*)\)/g)].flatMap(([, inside = ""]) =>
    [...inside.matchAll(/\b[A-L]\d{1,2}\b/g)].map(([number]) => number),
  );

/**
 * Holds the tables of the contract: every requirement has tests that exist, or belongs to an area that is listed as not built
 * yet; every number, endpoint and error code has a row.
 */
export const contractFindings = (ground: ContractGround): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [];
  const rows = ground.pages.flatMap((page) =>
    readPage(page, (line, message) => findings.push({ file: page.path, line, message })),
  );
  const files = new Map(
    ground.tests.map((file) => [file.path.split("/").at(-1) ?? "", namesOf(file)] as const),
  );
  const areas = notBuilt(ground.index);
  const ids = new Set<string>();
  const usedAreas = new Set<string>();

  for (const { endpoints, file, id, line, tests } of rows) {
    const found = (message: string) => findings.push({ file, line, message });
    if (ids.has(id)) found(`There is another row ${id}: an id stands once.`);
    ids.add(id);
    if (tests.length === 0) found(`${id} has no test: name one, as File.test.ts › its exact name.`);
    let isBuilt = true;
    for (const test of tests) {
      const area = /^not built: (.+)$/.exec(test)?.[1];
      if (area !== undefined) {
        isBuilt = false;
        usedAreas.add(area);
        if (!areas.has(area))
          found(`"${area}" is not listed as not built yet (docs/contract.md): name the test.`);
        continue;
      }
      const [name = "", ...rest] = test.split(" › ");
      const known = files.get(name);
      if (known === undefined) found(`${id} names ${name}, and there is no such test file.`);
      else if (!known.has(plain(rest.join(" › "))))
        found(`${id} names a test that is not in ${name}: ${rest.join(" › ")}`);
    }
    for (const endpoint of endpoints) {
      if (isBuilt && /^[A-Z]+ \//.test(endpoint) && !ground.operations.has(endpoint))
        found(`${id} names the endpoint ${endpoint}, which is in no document of openapi/.`);
    }
  }

  const missing = (message: string, line = 1) => findings.push({ file: ground.index.path, line, message });
  const tops = new Set([...ids].map((id) => id.split(".")[0]));
  for (const number of letters) if (!tops.has(number)) missing(`The contract's ${number} has no row.`);
  for (const [area, line] of areas)
    if (!usedAreas.has(area)) missing(`Every row of "${area}" has its test: take it off the list.`, line);
  const endpoints = new Set(rows.flatMap((row) => row.endpoints));
  for (const operation of ground.operations)
    if (!endpoints.has(operation)) missing(`No row of the contract is about ${operation}.`);
  for (const code of ground.codes)
    if (!ids.has(`errors.${code}`)) missing(`The error code ${code} has no row errors.${code}.`);
  const all = new Set(letters);
  for (const file of ground.tests) {
    // These quote rows and names that must not be right.
    if (file.path.startsWith("test/guards/")) continue;
    for (const name of namesOf(file))
      for (const number of cited(name))
        if (!all.has(number))
          findings.push({
            file: file.path,
            line: 1,
            message: `"${name}" cites ${number}, which there is not.`,
          });
  }
  return findings;
};
