import { assert, describe, it } from "@effect/vitest";
import { saysNoBound, statementBounds, tableKeys } from "../../scripts/check/bounds.ts";

const keys = tableKeys(`
CREATE TABLE campaign (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  id           uuid NOT NULL,
  PRIMARY KEY (workspace_id, environment, id)
);
CREATE TABLE tenant (
  workspace_id integer NOT NULL,
  environment  text NOT NULL,
  PRIMARY KEY (workspace_id, environment)
);
CREATE TABLE send_batch (
  source_id bigint NOT NULL,
  batch     integer NOT NULL,
  PRIMARY KEY (source_id, batch)
);
CREATE TABLE api_token (
  id     uuid PRIMARY KEY,
  digest bytea NOT NULL UNIQUE
);
`);

const linesFound = (text: string): ReadonlyArray<number> =>
  statementBounds({ path: "src/campaigns/CampaignsSql.ts", text }, keys).map(({ line }) => line);

/** A file with one statement, at line 1. */
const found = (statement: string): boolean => linesFound(`const a = sql\`${statement}\`;\n`).length > 0;

describe("bounds of statements", () => {
  it("a statement that can touch any number of rows says its bound", () => {
    for (const statement of [
      "SELECT c.name FROM campaign c WHERE ${tenantIs('c', tenant)}",
      "SELECT count(*) FROM campaign",
      "DELETE FROM send_batch WHERE source_id = ${sourceId}",
      "UPDATE campaign SET paused = true WHERE id = ANY (${ids})",
      "SELECT c.id FROM campaign c JOIN send_batch b ON true WHERE c.id = ${id}",
      "SELECT id FROM campaign LIMIT 5000",
      "INSERT INTO campaign (id) SELECT id FROM ${sql(other)}",
      "WITH one AS (SELECT id FROM campaign LIMIT ${n}) SELECT * FROM one, send_batch",
      "SELECT t.id FROM ${unnested('t', all, columns)} JOIN campaign c USING (id)",
      "SELECT FROM tenant t WHERE ${tenantIs('t', tenant)} OR t.environment = ${other}",
    ])
      assert.isTrue(found(statement), statement);
  });

  it("a bound that the statement shows needs no words", () => {
    for (const statement of [
      "SELECT name FROM campaign c WHERE ${tenantIs('c', tenant)} AND c.id = ${id}",
      "SELECT id FROM api_token WHERE digest = ${digest}",
      "DELETE FROM send_batch WHERE source_id = ${a} AND batch = ${b}",
      "UPDATE tenant t SET last_device_key = 1 WHERE ${tenantIs('t', tenant)}",
      "INSERT INTO campaign (id, name) VALUES (${id}, ${name})",
      "SELECT id FROM campaign ORDER BY id DESC LIMIT ${limit}",
      "SELECT id FROM campaign LIMIT 500 FOR UPDATE SKIP LOCKED",
      "DELETE FROM campaign WHERE ctid = ANY (ARRAY (SELECT ctid FROM campaign LIMIT ${page})) RETURNING id",
      "SELECT current_setting('server_version')",
      "SELECT * FROM earlier",
    ])
      assert.isFalse(found(statement), statement);
  });

  it("a comment says the bound of the declaration below, and a line of its own that of its block", () => {
    const statement = "sql`SELECT id FROM campaign`";
    const text = `
/** Statements. Bound: a page of 101. */
export const all = {
  first: ${statement},
};

/** Others. Bound: few. */
export const others = {
  // Bound: 20 webhooks.
  second: ${statement},

  third: ${statement},
};

export const parts = {
  /** Bound: none for parts. */
  fourth: () =>
    ${statement},

  fifth: ${statement},
};
`;
    assert.deepStrictEqual(linesFound(text), [20]);
    assert.isTrue(saysNoBound({ path: "", text }));
    assert.isFalse(saysNoBound({ path: "", text: text.replace("none for", "1,000") }));
  });
});
