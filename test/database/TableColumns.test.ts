import { assert, it } from "vitest";
import { PgClient } from "@effect/sql-pg";
import {
  columnAssignments,
  columnNames,
  columnParameters,
  type Columns,
  columnsOfRow,
  selectedColumns,
} from "../../src/database/TableColumns.ts";

const columns = {
  name: "text",
  startsAt: ["starts_at", "timestamptz"],
  share: "float8",
} as const satisfies Columns<{ name: string; startsAt: number | null; share: number }>;

const compiler = PgClient.makeCompiler();
const textOf = (fragment: Parameters<typeof compiler.compile>[0]) => compiler.compile(fragment, false)[0];

it("every statement on a noun names its columns in one order, and reads them by their fields", () => {
  const values = { name: "Opening", startsAt: 1_764_000_000_000, share: 0.5 };
  assert.strictEqual(textOf(columnNames(columns)), "name, starts_at, share");
  assert.strictEqual(textOf(columnsOfRow(columns, "c")), "c.name, c.starts_at, c.share");
  assert.strictEqual(textOf(columnParameters(columns, values)), "$1::text, $2::timestamptz, $3::float8");
  assert.strictEqual(
    textOf(columnAssignments(columns, values)),
    "name = $1::text, starts_at = $2::timestamptz, share = $3::float8",
  );
  assert.strictEqual(
    textOf(selectedColumns(columns, "c")),
    `c.name, (extract(epoch FROM c.starts_at) * 1000)::float8 AS "startsAt", c.share::float8 AS "share"`,
  );
});
