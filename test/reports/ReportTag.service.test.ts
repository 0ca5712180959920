import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../TestWaypost.ts";
import { campaign, delivery, devices } from "./ReportHistory.ts";
import { reporting } from "./Reporting.ts";
import { writeDevices } from "../SourceRows.ts";

layer(TestWaypost.shared)("The ETag of a report", (it) => {
  it.effect("a report is answered 304 to a client that has it, and in full once it has changed", () =>
    Effect.gen(function* () {
      const { sandbox, workspace, workspaceId } = yield* reporting({
        devices: devices(2),
        campaigns: [campaign("One")],
        deliveries: [delivery(0, 0)],
      });
      const { operator } = yield* TestWaypost;
      const sql = yield* SqlClient.SqlClient;
      for (const report of ["summary", "campaigns", "locations", "notifications", "surveys"]) {
        const first = yield* sandbox(`/reports/${report}`);
        const etag = first.headers.get("etag") ?? "";
        assert.match(etag, /^"[\w-]{43}"$/);
        assert.strictEqual(first.headers.get("cache-control"), "no-store");
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const headers = { "if-none-match": known };
          for (const again of [
            yield* sandbox(`/reports/${report}`, { headers }),
            yield* operator(`/workspaces/${workspace.id}/sandbox/reports/${report}`, { headers }),
          ]) {
            assert.deepStrictEqual([again.status, again.body], [304, ""], `${report} to ${known}`);
            assert.strictEqual(again.headers.get("etag"), etag);
            assert.isString(again.headers.get("x-request-id"));
          }
        }
        const other = yield* sandbox(`/reports/${report}`, { headers: { "if-none-match": '"other"' } });
        assert.deepStrictEqual([other.status, other.body], [200, first.body]);
        const range = yield* sandbox(`/reports/${report}?start=2026-11-20`, {
          headers: { "if-none-match": etag },
        });
        assert.strictEqual(range.status, 200);
      }
      const before = yield* sandbox("/reports/summary");
      yield* writeDevices(
        sql`
        UPDATE device SET unregistered_at = registered_at WHERE workspace_id = ${workspaceId} AND key = 2`,
        -1,
      );
      const headers = { "if-none-match": before.headers.get("etag") ?? "" };
      const after = yield* sandbox("/reports/summary", { headers });
      assert.deepStrictEqual([after.status, after.body.data.totals.registered_devices], [200, 1]);
    }),
  );
});
