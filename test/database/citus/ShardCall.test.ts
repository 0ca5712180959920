import { assert, describe, it } from "@effect/vitest";
import { shardText } from "../../../src/database/citus/ShardCall.ts";

describe("The text of a statement for a shard", () => {
  it("each distributed table has a number, and other names do not (running.citus)", () => {
    const { statement, tables } = shardText(
      `WITH device_rows AS (SELECT d.* FROM device d WHERE d.device = 'device' AND d.note LIKE '5%')
      INSERT INTO "delivery" AS p (device_key) SELECT k.key FROM device_rows k
      JOIN  device AS o ON true WHERE k.delivery.status = $1`,
    );
    assert.deepStrictEqual(tables, ["device", "delivery"]);
    assert.strictEqual(
      statement,
      `WITH device_rows AS (SELECT d.* FROM %1$s d WHERE d.device = 'device' AND d.note LIKE '5%%')
      INSERT INTO %2$s AS p (device_key) SELECT k.key FROM device_rows k
      JOIN %1$s AS o ON true WHERE k.delivery.status = $1`,
    );
  });

  it("a lock of rows names an alias and no table (running.citus)", () => {
    const { statement, tables } = shardText("SELECT FROM dwell w FOR NO KEY UPDATE OF w");
    assert.deepStrictEqual([statement, tables], ["SELECT FROM %1$s w FOR NO KEY UPDATE OF w", ["dwell"]]);
  });
});
