import { assert, describe, it } from "@effect/vitest";
import { distributedTables } from "../../src/database/citus/DistributedTables.ts";
import { ownMigrations } from "../upgrades/NextVersion.ts";

/** Migrations up to this one run before the tables are distributed. */
const lastBeforeDistribution = "0019_citus.sql";

const distributed = `(?:${distributedTables.join("|")})`;

/** Commands that Citus refuses in a migration of a distributed table, with what to write instead. */
const refusedForms = [
  {
    form: new RegExp(
      `ALTER TABLE ${distributed}\\b[^;]*ADD COLUMN[^,;]*\\b(CHECK|UNIQUE|PRIMARY|REFERENCES)\\b`,
      "i",
    ),
    instead: "a constraint of a new column is added by ADD CONSTRAINT with a name",
  },
  {
    form: new RegExp(`ALTER TABLE ${distributed}\\b[^;]*ADD (CHECK|UNIQUE|PRIMARY|FOREIGN)\\b`, "i"),
    instead: "a constraint has a name",
  },
  {
    form: new RegExp(
      `ALTER TABLE ${distributed}\\b[^;]*` +
        "(,\\s*ADD CONSTRAINT\\b|\\bADD CONSTRAINT\\b[^;]*,\\s*(ADD|ALTER|DROP)\\b)",
      "i",
    ),
    instead: "a constraint is added by a command of its own",
  },
  {
    form: new RegExp(`ALTER TABLE ${distributed}\\b[^;]*\\bREFERENCES (?!${distributed}\\b)`, "i"),
    instead: "a foreign key refers to a distributed table",
  },
  {
    form: new RegExp(`CREATE (CONSTRAINT )?TRIGGER [^;]*\\bON ${distributed}\\b`, "i"),
    instead: "the statements that write rows do the work of a trigger",
  },
];

const problemsOf = (text: string): ReadonlyArray<string> =>
  refusedForms.flatMap(({ form, instead }) => (form.test(text.replaceAll(/--.*$/gm, "")) ? [instead] : []));

describe("Migrations of distributed tables", () => {
  it("a migration does nothing with a distributed table that Citus refuses (running.citus)", () => {
    const later = ownMigrations.filter(({ name }) => name > lastBeforeDistribution);
    for (const { name, text } of later) assert.deepStrictEqual(problemsOf(text), [], name);
  });

  it.each([
    ["ALTER TABLE device ADD COLUMN a text NOT NULL DEFAULT '' CHECK (a <> '');", 1],
    ["ALTER TABLE device ADD COLUMN a text;\nALTER TABLE device ADD CHECK (a <> '');", 1],
    ["ALTER TABLE delivery ADD CONSTRAINT a FOREIGN KEY (campaign_key) REFERENCES campaign (key);", 1],
    ["CREATE TRIGGER a AFTER INSERT ON delivery EXECUTE FUNCTION f();", 1],
    ["ALTER TABLE campaign ADD COLUMN a text CHECK (a <> '');", 0],
    ["ALTER TABLE device ADD COLUMN a text, ADD CONSTRAINT device_a CHECK (a <> '');", 1],
    ["ALTER TABLE device ADD CONSTRAINT device_a CHECK (a <> ''), DROP CONSTRAINT device_b;", 1],
    ["ALTER TABLE device ADD CONSTRAINT device_a CHECK (a IN ('b', 'c')) NOT VALID;", 0],
    ["CREATE INDEX delivery_a ON delivery (workspace_id, settled_at);", 0],
  ] as const)("the check of migrations reads %s (running.citus)", (text, count) => {
    assert.lengthOf(problemsOf(text), count);
  });
});
