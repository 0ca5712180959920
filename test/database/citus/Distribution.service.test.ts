import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { inject } from "vitest";
import {
  distribute,
  distributionState,
  distributionSteps,
} from "../../../src/database/citus/Distribution.ts";
import { distributedTables } from "../../../src/database/citus/DistributedTables.ts";
import { TestDatabase } from "../TestDatabase.ts";

const { citus } = inject("testServer");

layer(TestDatabase.layer)("Distributing the database", (it) => {
  it.effect(
    citus === null
      ? "a database without Citus is not distributed, and the refusal says what it needs (running.citus)"
      : "distributing a database again does nothing (running.citus)",
    () =>
      Effect.gen(function* () {
        if (citus === null) {
          assert.isNull(yield* distributionState);
          const { message } = yield* Effect.flip(distributionSteps);
          assert.include(message, "CREATE EXTENSION citus");
          return;
        }
        const state = yield* distributionState;
        assert.sameMembers(state?.tables.map(({ name }) => name) ?? [], [...distributedTables]);
        assert.deepStrictEqual(yield* distribute, []);
      }),
  );
});
