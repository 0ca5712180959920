import { assert, describe, it } from "@effect/vitest";
import * as fc from "fast-check";
import { statementsOf } from "../../../src/database/migrations/SqlScript.ts";

describe("statementsOf", () => {
  it("statementsOf splits at semicolons and drops empty statements and comments", () => {
    assert.deepStrictEqual(statementsOf("SELECT 1; ;\n-- nothing; here\nSELECT 2 /* ; */;/* end; */ -- x"), [
      "SELECT 1",
      "-- nothing; here\nSELECT 2 /* ; */",
    ]);
    assert.deepStrictEqual(statementsOf(" \n-- only; a comment"), []);
  });

  it.each([
    ["a text", "SELECT 'a;b'"],
    ["a doubled quote", "SELECT 'it''s; here'"],
    ["a backslash that is just one", String.raw`SELECT 'a\' AS x`],
    ["an escaped quote", String.raw`SELECT E'a\';b'`],
    ["an identifier", 'SELECT 1 AS "a;b"'],
    ["a doubled identifier quote", 'SELECT 1 AS "a"";b"'],
    ["a dollar-quoted text", "SELECT $$a;b'$$"],
    ["a tagged dollar-quoted text", "SELECT $fn$ a; $$ ; $other$ ; $fn$"],
    ["a function", "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $body$ BEGIN RETURN 1; END; $body$"],
    ["nested comments", "SELECT /* a; /* b; */ c; */ 1"],
    ["a rule's list", "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)"],
    ["a dollar inside a name", "SELECT a$b, c$d"],
    ["a parameter-like name", "SELECT $1"],
    ["a word that ends in e before a text", String.raw`SELECT 1 AS one, date'\'`],
  ])("statementsOf does not split %s", (_, statement) => {
    assert.deepStrictEqual(statementsOf(`${statement};\nSELECT 2;`), [statement, "SELECT 2"]);
  });

  it("statementsOf returns any joined statements", () => {
    const piece = fc.constantFrom(
      "'x;y'",
      '"q;"',
      "$$;$$",
      "$t$;'$t$",
      "a$b",
      "E'\\';'",
      "(1;2)",
      "/*;*/",
      "7",
      ",",
      "\n",
    );
    const statement = fc
      .array(piece, { minLength: 1, maxLength: 8 })
      .map((pieces) => `s ${pieces.join(" ")} e`);
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 6 }), (statements) => {
        assert.deepStrictEqual(statementsOf(statements.join(" ;\n")), statements);
      }),
    );
  });
});
