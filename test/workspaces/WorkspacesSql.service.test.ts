import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { WorkspacesSql } from "../../src/workspaces/WorkspacesSql.ts";
import { TestStatements } from "../database/TestStatements.ts";
import { newTenants, suiteStart as now } from "../TestTenants.ts";

layer(TestStatements.layer)("WorkspacesSql", (it) => {
  it.effect("scheduling a deletion again keeps the first instant", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspacesSql;
      const { id } = (yield* newTenants).sandbox.workspace;
      for (const at of [now, now + 60_000]) {
        const row = yield* workspaces.update(id, { deletion_scheduled: true }, at);
        assert.strictEqual(row?.workspace.deletion_scheduled_at, "2026-11-21T12:00:00+00:00");
      }
    }),
  );
});
