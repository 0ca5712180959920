import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../src/database/Rows.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { asker } from "../TestWaypost.ts";
import { ok } from "../given/Given.ts";
import { end, machines, operatorOf, until } from "./Machines.ts";
import { crowd, makeSharedWorkspace } from "./SharedWorkspace.ts";

const ahead = 2 * 3_600_000;

layer(TestDatabase.layer, { excludeTestServices: true })("A machine whose clock is two hours ahead", (it) => {
  it.effect(
    "a process whose machine's clock is two hours ahead sends each push once, starts no send early, and " +
      "shares its rate windows (I1.1, L2.1, L5.2, L7)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const service = yield* localServices.fcm;
        const { start, startAhead } = yield* machines;
        const api = yield* start("api");
        const worker = yield* startAhead("api,worker", ahead);
        const workspace = yield* makeSharedWorkspace(api, service, 2);

        // The second send is due in an hour: by the machine's clock, that was an hour ago.
        yield* workspace.startSend;
        const now = yield* Clock.currentTimeMillis;
        yield* sql`
          UPDATE send SET due_at = ${instant(now + ahead / 2)}
          WHERE status = 'scheduled' AND due_at > ${instant(now)}`;
        yield* until(workspace.sends, ([first]) => first?.status === "done");
        const everybody = crowd.pushed + crowd.silent;
        assert.deepStrictEqual(yield* workspace.sends, [
          { status: "done", targeted: everybody, delivered: everybody },
        ]);
        assert.strictEqual(new Set(service.ledger.map(({ id }) => id)).size, crowd.pushed);
        assert.lengthOf(service.ledger, crowd.pushed);
        const [times] = yield* sql<{ readonly started: number; readonly settled: number }>`
          SELECT (extract(epoch FROM min(started_at)) * 1000)::float8 AS started,
            (SELECT (extract(epoch FROM max(settled_at)) * 1000)::float8 FROM delivery) AS settled FROM send`;
        assert.isBelow(times?.started ?? Infinity, now + ahead / 4);
        assert.isBelow(times?.settled ?? Infinity, now + ahead / 4);

        // A sandbox window that the machine opened ends within a minute for every process.
        const { id } = ok(yield* operatorOf(api)("/workspaces", { body: { name: "Limited" } }));
        const issued = { name: "Test", environment: "sandbox", abilities: ["campaigns:read"] };
        const { token } = ok(yield* operatorOf(api)(`/workspaces/${id}/tokens`, { body: issued }));
        for (const each of [worker, api]) {
          const { headers, status } = yield* asker(`${each.origin}/sandbox/platform/v1`, token)("/me");
          assert.strictEqual(status, 200);
          const reset = Number(headers.get("x-ratelimit-reset")) * 1_000;
          assert.isBelow(reset, now + ahead / 4);
        }
        for (const each of [worker, api]) assert.strictEqual((yield* end(each, "SIGTERM")).code, 0);
      }).pipe(Effect.scoped),
  );
});
