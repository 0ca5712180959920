import { assert, describe, it } from "@effect/vitest";
import type { DistributionState } from "../../src/database/citus/Distribution.ts";
import { distributedTables } from "../../src/database/citus/DistributedTables.ts";
import { distributionOutcomes } from "../../src/doctor/DistributionHealthCheck.ts";

const whole: DistributionState = {
  version: "13.2-1",
  nodes: [
    { name: "one", port: 5432, active: true },
    { name: "two", port: 5432, active: true },
  ],
  recoverySeconds: 5,
  hasCoordinator: true,
  tables: distributedTables.map((name) => ({ name, column: "workspace_id", colocation: 1, shards: 32 })),
};

const verdictsOf = (state: DistributionState) => distributionOutcomes(state).map(({ verdict }) => verdict);

describe("The doctor on Citus", () => {
  it("a whole distribution and a cluster without one are fine (running.citus)", () => {
    assert.deepStrictEqual(verdictsOf(whole), ["ok"]);
    assert.deepStrictEqual(verdictsOf({ ...whole, tables: [] }), ["ok"]);
  });

  it("a table that is left out, elsewhere or by another column, and a node that is down are problems", () => {
    const [first, second] = whole.tables;
    if (first === undefined || second === undefined) throw new Error("There are no tables");
    const others = whole.tables.slice(1);
    const wrong: ReadonlyArray<DistributionState> = [
      { ...whole, tables: others },
      { ...whole, tables: [{ ...first, colocation: 2 }, ...others] },
      { ...whole, tables: [{ ...first, column: "environment" }, ...others] },
      { ...whole, nodes: [{ name: "one", port: 5432, active: false }] },
    ];
    for (const state of wrong) assert.deepStrictEqual(verdictsOf(state), ["problem"]);
    assert.deepStrictEqual(verdictsOf({ ...whole, version: "12.1-1" }), ["warning"]);
  });

  it("a long time until prepared transactions are committed is a warning (running.citus)", () => {
    const [outcome] = distributionOutcomes({ ...whole, recoverySeconds: 60 });
    assert.strictEqual(outcome?.verdict, "warning");
    assert.include(JSON.stringify(outcome), "citus.recover_2pc_interval = '5s'");
  });
});
