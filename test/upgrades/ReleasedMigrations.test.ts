import { assert, describe, it } from "@effect/vitest";
import { digestsOf, migrationFindings } from "../../scripts/check/releasedMigrations.ts";

const [one, two, three] = ["0001_one.sql", "0002_two.sql", "0003_three.sql"].map((name) => ({
  name,
  text: `CREATE TABLE ${name};\n`,
})) as [any, any, any];
const digests = digestsOf([one, two]);

describe("the check of released migrations", () => {
  it("migrations are added after those of releases (upgrades.migrations)", () => {
    assert.deepStrictEqual(migrationFindings(digests, [one, two]), []);
    assert.deepStrictEqual(migrationFindings(digests, [one, two, three]), []);
    const crlf = { ...one, text: one.text.replace("\n", "\r\n") };
    assert.deepStrictEqual(migrationFindings(digests, [crlf, two]), []);
  });

  it("a changed, missing or earlier one is a finding (upgrades.migrations)", () => {
    const put = (name: string) =>
      `schema/${name} is released and never changes: put it back, and add a migration.`;
    assert.deepStrictEqual(migrationFindings(digests, [{ ...one, text: "SELECT 1;" }, two]), [put(one.name)]);
    assert.deepStrictEqual(migrationFindings(digests, [one, three]), [put(two.name)]);
    const between = { name: "0001_other.sql", text: "" };
    assert.deepStrictEqual(migrationFindings(digests, [one, between, two]), [
      "schema/0001_other.sql must come after 0002_two.sql, the last released migration.",
    ]);
  });
});
