import { PgClient } from "@effect/sql-pg";
import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { Statement } from "effect/sql";
import {
  inForm,
  inWorkspace,
  nextOf,
  table,
  workspaceIs,
} from "../../../src/database/citus/StatementParts.ts";

const sql = Statement.make(
  Effect.die("Nothing is sent"),
  PgClient.makeCompiler(),
  [],
  undefined,
) as never as Parameters<typeof inForm>[0];

const statement = sql`
  INSERT INTO ${table.delivery} AS p (source_id) SELECT ${nextOf("delivery_source_id", "k.ord")}
  FROM ${table.device} d JOIN k ON ${workspaceIs("d", "k")} JOIN ${table.delivery} o ON ${inWorkspace("o")}
  WHERE d.note LIKE '5%' AND 'FROM device' <> ${"a"}`;

describe("The parts of a statement that differ on Citus", () => {
  it("on one PostgreSQL a statement says of which workspace its rows are (running.citus)", () => {
    assert.deepStrictEqual(statement.compile(), [
      `
  INSERT INTO delivery AS p (source_id) SELECT nextval('delivery_source_id')
  FROM device d JOIN k ON d.workspace_id = k.workspace_id JOIN delivery o ON true
  WHERE d.note LIKE '5%' AND 'FROM device' <> $1`,
      ["a"],
    ]);
  });

  it("a statement of one workspace names it, and keeps its tables (running.citus)", () => {
    const [text, parameters] = inForm(sql, { workspaceId: 7, tables: null, ids: [] }, statement).compile();
    assert.include(
      text,
      "FROM device d JOIN k ON d.workspace_id = $2 JOIN delivery o ON o.workspace_id = $3",
    );
    assert.include(text, "LIKE '5%' AND 'FROM device' <> $4");
    assert.deepStrictEqual(parameters.slice(1), [7, 7, "a"]);
  });

  it("for a shard each distributed table has a number, and other text does not (running.citus)", () => {
    const tables: Array<string> = [];
    const [text, parameters] = inForm(sql, { workspaceId: 7, tables, ids: [5n, 6n] }, statement).compile();
    assert.deepStrictEqual(tables, ["delivery", "device"]);
    assert.strictEqual(
      text,
      `
  INSERT INTO %1$s AS p (source_id) SELECT ($1)[k.ord]
  FROM %2$s d JOIN k ON d.workspace_id = $2 JOIN %1$s o ON o.workspace_id = $3
  WHERE d.note LIKE '5%%' AND 'FROM device' <> $4`,
    );
    assert.deepStrictEqual(parameters.slice(1), [7, 7, "a"]);
  });
});
