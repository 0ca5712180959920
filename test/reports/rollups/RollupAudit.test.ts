import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { DeviceTally } from "../../../src/reports/rollups/encoding/DeviceSet.ts";
import { type Difference, RollupAudit } from "../../../src/reports/rollups/RollupAudit.ts";
import { Retention } from "../../../src/reports/retention/Retention.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import type { LocationVisits } from "../../../src/reports/rollups/RollupTypes.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupLimits.ts";
import {
  type PackedVisits,
  packVisits,
  unpackVisits,
} from "../../../src/reports/rollups/encoding/LocationBlock.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { history, zones } from "../AnyHistory.ts";
import { record } from "../RecordedHistory.ts";
import { campaign, delivery, devices, event, locations, notification } from "../ReportHistory.ts";

const audited = Effect.gen(function* () {
  const differences: Array<Difference> = [];
  const audit = yield* RollupAudit;
  const summary = yield* audit.audit({
    found: (difference) => void differences.push(difference),
    progress: () => undefined,
  });
  return { ...summary, differences };
}).pipe(Effect.provide(RollupAudit.layer));

const rollup = Effect.gen(function* () {
  const { step } = yield* Rollups;
  while (yield* step);
});

layer(TestWaypost.layer)("An audit of rollups", (it) => {
  it.effect(
    "names each kind of row that was corrupted, and has it made anew (running.audit)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const { workspace } = yield* waypost.tenant();
        const { workspaceId } = yield* Effect.orDie(workspaces.find(workspace.id));
        // In a month that is over, so that it has rows too.
        const day = 86_400_000;
        yield* record(workspaceId, "sandbox", {
          devices: devices(9),
          locations: locations(2),
          notifications: [notification("Hello")],
          campaigns: [campaign("Spring", { notifications: [{ notification: 0, trigger: "on_enter" }] })],
          deliveries: [
            delivery(0, 1, { settledAt: testStart - 50 * day }),
            delivery(0, 2, { settledAt: testStart - 50 * day }),
            delivery(0, 3, { settledAt: testStart - 50 * day, status: "failed" }),
          ],
          events: [
            event(0, 1, { type: "enter", occurredAt: testStart - 50 * day }),
            event(0, 1, { type: "exit", occurredAt: testStart - 50 * day + 3_600_000 }),
            event(1, 2, { type: "enter", occurredAt: testStart - 50 * day }),
          ],
        });
        yield* rollup;
        const tables = [
          "delivery_rollup",
          "event_rollup",
          "delivery_delta",
          "event_delta",
          "delivery",
          "geofence_event",
        ];
        for (const table of tables)
          yield* sql`CREATE TABLE ${sql(`kept_${table}`)} AS TABLE ${sql(table)}`.unprepared;
        const mine = sql`workspace_id = ${workspaceId}`;
        const own = sql`${mine} AND campaign_key <> 0`;
        const total = sql`${mine} AND campaign_key = 0 AND content_type = '' AND trigger_type = ''`;
        const tally = new DeviceTally();
        for (const key of [7, 8]) tally.add(key);
        const others = tally.toSet();

        /** Changes what the blocks of a day or a month hold of each location. */
        const visits = (span: string, change: (each: LocationVisits) => LocationVisits) =>
          Effect.gen(function* () {
            for (const { block, ...row } of yield* sql<PackedVisits & { readonly block: number }>`
              SELECT block, visits, devices FROM event_rollup WHERE ${mine} AND span = ${span}`) {
              const other = packVisits(unpackVisits(row).map(change));
              yield* sql`
                UPDATE event_rollup SET visits = ${other.visits}, devices = ${other.devices}
                WHERE ${mine} AND span = ${span} AND block = ${block}`;
            }
          });

        const kinds: ReadonlyArray<
          readonly [change: Effect.Effect<unknown, unknown>, span: string, row: RegExp, figure: string]
        > = [
          [
            sql`UPDATE delivery_rollup SET delivered = delivered + 5 WHERE ${own} AND span = 'day'`,
            "day",
            /^deliveries of campaign "Spring" \(.*\) and notification "Hello" \(.*\), message, on_enter$/,
            "delivered",
          ],
          [
            sql`UPDATE delivery_rollup SET failed = 0 WHERE ${own} AND span = 'day'`,
            "day",
            /"Spring"/,
            "failed",
          ],
          [
            sql`UPDATE delivery_rollup SET reached = 9 WHERE ${total} AND span = 'day'`,
            "day",
            /^deliveries of all campaigns$/,
            "devices reached (as noted)",
          ],
          [
            sql`UPDATE delivery_rollup SET devices = ${others} WHERE ${own} AND span = 'day'`,
            "day",
            /"Spring"/,
            "devices that are others",
          ],
          [
            sql`DELETE FROM delivery_rollup WHERE ${total} AND span = 'day'`,
            "day",
            /^deliveries of all campaigns$/,
            "delivered",
          ],
          [
            sql`INSERT INTO delivery_rollup SELECT (jsonb_populate_record(r, '{"starts_on": "2024-02-29"}')).* FROM delivery_rollup r
               WHERE ${own} AND span = 'day'`,
            "day",
            /"Spring"/,
            "delivered",
          ],
          [
            sql`UPDATE delivery_rollup SET delivered = delivered + 5 WHERE ${own} AND span = 'month'`,
            "month",
            /"Spring"/,
            "delivered",
          ],
          [
            sql`UPDATE delivery_rollup SET devices = ${others} WHERE ${total} AND span = 'month'`,
            "month",
            /^deliveries of all campaigns$/,
            "devices that are others",
          ],
          [
            sql`DELETE FROM delivery_rollup WHERE ${own} AND span = 'month'`,
            "month",
            /"Spring"/,
            "delivered",
          ],
          [
            visits("day", (each) => (each.locationKey === 0 ? { ...each, entries: each.entries + 1 } : each)),
            "day",
            /^events of all locations$/,
            "entries",
          ],
          [
            visits("day", (each) => (each.locationKey > 0 ? { ...each, exits: 0 } : each)),
            "day",
            /^events at location ".*" \(/,
            "exits",
          ],
          [visits("day", (each) => ({ ...each, stays: 0 })), "day", /^events at location/, "stays"],
          [
            visits("day", (each) => (each.stays > 0 ? { ...each, stayed: each.stayed + 1n } : each)),
            "day",
            /^events at location/,
            "microseconds stayed",
          ],
          [
            visits("day", (each) => (each.locationKey > 0 ? { ...each, devices: others } : each)),
            "day",
            /^events at location/,
            "devices",
          ],
          [
            visits("month", (each) => ({ ...each, stays: each.stays + 1 })),
            "month",
            /^events at location/,
            "stays",
          ],
          [
            sql`DELETE FROM event_rollup WHERE ${mine} AND span = 'month'`,
            "month",
            /^events of all locations$/,
            "entries",
          ],
          [
            sql`INSERT INTO delivery_delta (workspace_id, environment, quarter, campaign_key, notification_key, content_type, trigger_type, status, device_keys)
               SELECT workspace_id, environment, settled_at, campaign_key, notification_key, content_type, trigger_type, status, ARRAY[5]
               FROM delivery WHERE ${mine} AND status = 'delivered' LIMIT 1`,
            "day",
            /"Spring"/,
            "devices",
          ],
          [sql`DELETE FROM delivery WHERE ${mine} AND status = 'failed'`, "day", /"Spring"/, "failed"],
          [
            sql`DELETE FROM geofence_event WHERE ${mine} AND type = 'exit'`,
            "day",
            /^events at location/,
            "stays",
          ],
        ];
        for (const [change, span, row, figure] of kinds) {
          yield* Effect.orDie(change);
          const { differences, differing } = yield* audited;
          const about = JSON.stringify(differences);
          assert.isTrue(
            differences.some((each) => each.span === span && row.test(each.row) && each.figure === figure),
            `${span}, ${String(row)}, ${figure}: ${about}`,
          );
          assert.isTrue(differences.every((each) => each.workspace === workspace.id));
          assert.deepStrictEqual(
            differing.map((each) => each.workspaceId),
            [workspaceId],
          );
          for (const table of tables) {
            yield* sql`DELETE FROM ${sql(table)} WHERE ${mine}`;
          }
          for (const table of ["delivery_rollup", "event_rollup"])
            yield* sql`INSERT INTO ${sql(table)} SELECT * FROM ${sql(`kept_${table}`)} WHERE ${mine}`;
          for (const table of ["delivery", "geofence_event"])
            yield* sql`INSERT INTO ${sql(table)} SELECT * FROM ${sql(`kept_${table}`)} WHERE ${mine}`;
          // Base rows that come again feed the rollups again: they are there already.
          for (const table of ["delivery_delta", "event_delta"])
            yield* sql`DELETE FROM ${sql(table)} WHERE ${mine}`;
        }

        yield* Effect.orDie(visits("day", (each) => ({ ...each, entries: 99 })));
        const audit = yield* Effect.provide(RollupAudit, RollupAudit.layer);
        yield* audit.rebuild((yield* audited).differing);
        const meanwhile = yield* audited;
        assert.deepStrictEqual(meanwhile.differences, []);
        assert.deepInclude(meanwhile.incomplete, { workspace: workspace.id, environment: "sandbox" });
        yield* rollup;
        const after = yield* audited;
        assert.deepStrictEqual(after.differences, []);
        assert.deepStrictEqual(
          after.incomplete.filter((each) => each.workspace === workspace.id),
          [],
        );
      }),
    300_000,
  );

  it.effect(
    "finds no difference, whatever is rolled up, in the feed, late, packed, or in another zone (running.audit)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const { step } = yield* Rollups;
        const little = Effect.provideService(step, RollupSizes, {
          deliveries: 9,
          events: 7,
          build: 9,
          times: 2,
          rows: 9,
          bytes: 9_000,
        });
        let days = 0;
        for (const [number, past] of fc.sample(history, { numRuns: 1, seed: 21_112_026 }).entries()) {
          const { workspace } = yield* waypost.tenant({
            timezone: zones[(number + 1) % zones.length] ?? "UTC",
          });
          const { workspaceId } = yield* Effect.orDie(workspaces.find(workspace.id));
          yield* record(workspaceId, "sandbox", past);
          const verify = Effect.fnUntraced(function* (moment: string) {
            const found = yield* audited;
            assert.deepStrictEqual(found.differences, [], `history ${number}, ${moment}`);
            days += found.days;
          });
          yield* little;
          yield* verify("being rolled up");
          yield* rollup;
          yield* verify("rolled up");
          yield* sql`
            INSERT INTO delivery
            SELECT (jsonb_populate_record(d, jsonb_build_object('source_id', source_id + 100000))).* FROM delivery d
            WHERE workspace_id = ${workspaceId}`;
          yield* sql`
            INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at)
            SELECT workspace_id, environment, device_key, gen_random_uuid(), CASE type WHEN 'enter' THEN 'exit' ELSE 'enter' END,
              location_key, occurred_at - interval '7 minutes', received_at
            FROM geofence_event WHERE workspace_id = ${workspaceId}`;
          yield* little;
          yield* verify("some of it rolled up");
          yield* rollup;
          yield* verify("all of it rolled up");
          const retention = yield* Effect.provide(Retention, Retention.layer);
          let packed = 0;
          for (const what of ["deliveries", "events"] as const)
            packed += yield* retention.pack(what, testStart - 5 * 86_400_000);
          assert.isAbove(packed, 0);
          yield* verify("packed");
        }
        assert.isAbove(days, 50);
      }),
    300_000,
  );
});
