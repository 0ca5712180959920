import { assert, describe, it } from "@effect/vitest";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { ownLength, sourcesOf, type SourceStatement, statementsOf } from "./SourceStatements.ts";
import type { RecordedStatement } from "./RecordStatements.ts";

/** Statements that run on a cluster, or in a process of their own. */
const runsElsewhere = /^src\/database\/(citus\/|ServerConnections[.]ts$)/;

/** The JavaScript type of a column by the id of its type in PostgreSQL. Any column may be null. */
const columnTypes: Readonly<Record<number, string>> = {
  16: "boolean",
  17: "Uint8Array",
  19: "string",
  20: "bigint",
  21: "number",
  23: "number",
  25: "string",
  26: "number",
  114: "unknown",
  700: "number",
  701: "number",
  1043: "string",
  1082: "string",
  1184: "Date",
  2950: "string",
  2278: "unknown",
  3802: "unknown",
  1000: "ReadonlyArray<boolean | null>",
  1001: "ReadonlyArray<Uint8Array | null>",
  1005: "ReadonlyArray<number | null>",
  1007: "ReadonlyArray<number | null>",
  1009: "ReadonlyArray<string | null>",
  1016: "ReadonlyArray<bigint | null>",
  1022: "ReadonlyArray<number | null>",
  2951: "ReadonlyArray<string | null>",
};

const typeOf = ({ columns }: RecordedStatement): string =>
  `{ ${columns
    .map(
      ([name, type]) => `readonly ${JSON.stringify(name)}: ${columnTypes[type] ?? `"type ${type}"`} | null`,
    )
    .join("; ")} }`;

const root = join(import.meta.dirname, "../..");

const recordedStatements = (): ReadonlyArray<RecordedStatement> => {
  const folder = inject("testServer").statements;
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedStatement),
  );
};

/**
 * A declared row has the columns of the statement and no others, and each can have the column's values. An
 * optional property is a column that not every statement with this row has.
 */
const checked = `
type Known<Row> = Row extends unknown ? keyof Row : never;
type Needed<Row> = { [Name in keyof Row]-?: {} extends Pick<Row, Name> ? never : Name }[keyof Row];
type CheckedRow<
  Row extends Partial<Columns> & { readonly [Undeclared in Exclude<keyof Columns, Known<Row>>]: never } & {
    readonly [Missing in Exclude<Needed<Row>, keyof Columns>]: never },
  Columns,
> = Row;`;

/** Checks the types of a copy of src/ in which each declared row is compared with the columns it had. */
const typeErrors = (columns: ReadonlyMap<SourceStatement, ReadonlySet<string>>): string => {
  const copy = mkdtempSync(join(tmpdir(), "waypost-rows-"));
  try {
    for (const name of ["src", "package.json", "tsconfig.json"])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const changed = Map.groupBy(columns.keys(), ({ file }) => file);
    // Only files with declared rows are checked: to check all takes three times as long.
    for (const file of globSync("src/**/*.ts", { cwd: copy })) {
      const text = readFileSync(join(copy, file), "utf8");
      if (!changed.has(file) && !text.startsWith("#!"))
        writeFileSync(join(copy, file), `// @ts-nocheck\n${text}`);
    }
    for (const [file, statements] of changed) {
      let text = readFileSync(join(root, file), "utf8");
      for (const statement of statements.toSorted((a, b) => (b.row?.[0] ?? 0) - (a.row?.[0] ?? 0))) {
        if (statement.row === null) continue;
        const [start, end] = statement.row;
        const row = [...(columns.get(statement) ?? [])].reduce(
          (inner, type) => `CheckedRow<${inner}, ${type}>`,
          text.slice(start, end),
        );
        text = text.slice(0, start) + row + text.slice(end);
      }
      writeFileSync(join(copy, file), `${text}\n${checked}\n`);
    }
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["-p", copy, "--pretty", "false"], { encoding: "utf8", cwd: copy });
    return stdout;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

describe("declared rows", () => {
  const statements = globSync("{src,test}/**/*.ts", { cwd: root }).flatMap((file) =>
    statementsOf(join(root, file)).map((statement) => ({ ...statement, file })),
  );
  const declared = statements.filter(({ file, row }) => row !== null && file.startsWith("src/"));
  const columns = new Map<SourceStatement, Set<string>>();
  const wasRun = new Set<SourceStatement>();
  for (const recorded of recordedStatements()) {
    const [source, other, ...rest] = sourcesOf(statements, recorded.text);
    for (const each of [source, other, ...rest]) if (each !== undefined) wasRun.add(each);
    // Of two with equally long texts it could be either.
    if (source === undefined || (other !== undefined && ownLength(source) === ownLength(other))) continue;
    if (!declared.includes(source)) continue;
    const types = columns.get(source) ?? new Set();
    columns.set(source, types.add(typeOf(recorded)));
  }

  it("a statement that declares a row has text of its own, by which it is recognized", () => {
    const short = declared.filter((each) => ownLength(each) < 12).map(({ file, line }) => `${file}:${line}`);
    assert.deepStrictEqual(short, []);
  });

  it("tests run every statement that declares a row", () => {
    const missing = declared.filter((each) => !wasRun.has(each) && !runsElsewhere.test(each.file));
    assert.deepStrictEqual(
      missing.map(({ file, line }) => `${file}:${line}`),
      [],
    );
  });

  it("declared rows have the columns that PostgreSQL gives, by name and type", () => {
    assert.strictEqual(typeErrors(columns), "");
  });
});
