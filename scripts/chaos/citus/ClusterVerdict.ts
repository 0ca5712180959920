/** Checks after nodes of a cluster were killed: nothing is lost, and nothing is there twice. */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { messageIds } from "../../../src/sending/deliveries/MessageId.ts";
import { send as request, secretKey } from "../../bench/ServiceApi.ts";
import { type Faults, without } from "../ChaosRun.ts";
import type { EventLedger } from "../EventLedger.ts";
import type { PushLedger } from "../PushLedger.ts";
import type { PlannedSend } from "../PlannedSends.ts";
import type { WriteWorld } from "./WriteLoad.ts";
import type { DeviceKey } from "../../../src/wire/Ids.ts";

const add = (faults: Faults, name: string, count: number): void => {
  faults[name] = (faults[name] ?? 0) + Math.abs(count);
};

const report = <A>(origin: string, token: string, name: string) =>
  Effect.promise(() => request<A>("GET", `${origin}/platform/v1/reports/${name}`, token));

interface Summary {
  readonly totals: Readonly<
    Record<"delivered" | "geofence_entries" | "geofence_exits" | "registered_devices", number>
  >;
}

/** A workspace with sends. */
export interface SendWorld {
  readonly token: string;
  readonly workspaceId: number;
  readonly planned: ReadonlyArray<PlannedSend>;
}

/** Compares the deliveries of sends with the devices that must have one, and with what arrived. */
export const checkSends = Effect.fnUntraced(function* (
  origin: string,
  worlds: ReadonlyArray<SendWorld>,
  pushes: PushLedger,
  webhooks: EventLedger,
  faults: Faults,
) {
  const sql = yield* SqlClient.SqlClient;
  const ids = messageIds(secretKey);
  const pushed = new Set<string>();
  const delivered = new Set<string>();
  let found = 0;
  for (const { planned, token, workspaceId } of worlds) {
    let expected = 0;
    for (const send of planned) {
      const [row] = yield* sql<{
        readonly key: number;
        readonly status: string;
        readonly targeted: number;
        readonly delivered: number;
      }>`SELECT campaign_key AS key, status, targeted, delivered FROM send
        WHERE workspace_id = ${workspaceId} AND campaign_id = ${send.campaignId}::uuid`;
      if (row === undefined) return yield* Effect.die(new Error("A send is missing"));
      const [counts] = yield* sql<Record<"rows" | "devices" | "open", number>>`
        SELECT count(*)::int AS rows, count(DISTINCT device_key)::int AS devices,
          count(*) FILTER (WHERE status <> 'delivered')::int AS open
        FROM delivery
        WHERE workspace_id = ${workspaceId} AND environment = 'production' AND campaign_key = ${row.key}`;
      const { devices, open, rows } = counts ?? { rows: 0, devices: 0, open: 0 };
      expected += send.expected;
      found += rows;
      add(faults, "deliveries of sends lost", send.expected - devices);
      add(faults, "deliveries of sends doubled", rows - devices);
      add(faults, "deliveries of sends without an outcome", open);
      const isRight =
        row.status === "done" && row.targeted === send.expected && row.delivered === send.expected;
      add(faults, "sends with wrong figures", isRight ? 0 : 1);
    }
    const rows = yield* sql<{
      readonly sourceId: bigint;
      readonly deviceKey: DeviceKey;
      readonly push: boolean;
    }>`
      SELECT source_id AS "sourceId", device_key AS "deviceKey", transport = 'fcm' AS push FROM delivery
      WHERE workspace_id = ${workspaceId} AND environment = 'production'`;
    for (const row of rows) {
      const id = ids.idOf(row);
      delivered.add(id);
      if (row.push) pushed.add(id);
    }
    const { totals } = yield* report<Summary>(origin, token, "summary");
    add(faults, "deliveries of sends, report less rows", totals.delivered - expected);
  }
  add(faults, "pushes that never arrived", without(pushed, pushes.arrivals));
  add(faults, "pushes without a delivery", without(pushes.arrivals.keys(), pushed));
  webhooks.check("message.delivered", delivered, faults);
  return { found, pushed: pushed.size };
});

/** Compares what devices reported and people wrote with what is stored and what reports say. */
export const checkWrites = Effect.fnUntraced(function* (
  worlds: ReadonlyArray<WriteWorld>,
  webhooks: EventLedger,
  faults: Faults,
) {
  const sql = yield* SqlClient.SqlClient;
  const ids = messageIds(secretKey);
  const expected = { enter: new Set<string>(), exit: new Set<string>() };
  const openedEvents = new Set<string>();
  for (const world of worlds) {
    const { workspaceId } = world;
    const tenant = sql`workspace_id = ${workspaceId} AND environment = 'production'`;
    const events = yield* sql<{ readonly id: string; readonly type: "enter" | "exit" }>`
      SELECT id, type FROM geofence_event WHERE ${tenant}`;
    const stored = new Set(events.map(({ id }) => id));
    add(faults, "events lost", without(world.events.keys(), stored));
    add(faults, "events of nothing", without(stored, world.events));
    add(faults, "events counted again for a repeated request", world.countedTwice);
    for (const { id, type } of events) expected[type].add(id);
    const enters = events.filter(({ type }) => type === "enter").length;

    const deliveries = yield* sql<{
      readonly sourceId: bigint;
      readonly deviceKey: DeviceKey;
      readonly test: boolean;
      readonly opened: boolean;
    }>`SELECT source_id AS "sourceId", device_key AS "deviceKey", test, opened_at IS NOT NULL AS opened
      FROM delivery WHERE ${tenant}`;
    const idsOf = (rows: typeof deliveries) => new Set(rows.map((row) => ids.idOf(row)));
    const tests = idsOf(deliveries.filter(({ test }) => test));
    const opened = idsOf(deliveries.filter((row) => row.opened));
    add(faults, "messages of enters, more or less", deliveries.length - tests.size - enters);
    add(faults, "test messages lost", without(world.tests, tests));
    add(faults, "test messages doubled", without(tests, world.tests));
    add(faults, "opens lost", without(world.opened, opened));
    add(faults, "opens of nothing", without(opened, world.opened));
    for (const id of world.opened) openedEvents.add(id);

    const names = yield* sql<{ readonly name: string }>`
      SELECT name FROM campaign WHERE ${tenant} UNION ALL SELECT name FROM segment WHERE ${tenant}`;
    const named = new Set(names.map(({ name }) => name));
    add(faults, "campaigns and segments lost", without(world.names, named));
    add(faults, "campaigns and segments doubled", names.length - named.size + without(named, world.names));
    const [activity] = yield* sql<{ readonly count: number }>`
      SELECT count(*)::int AS count FROM activity WHERE ${tenant} AND resource_type = 'device'`;
    // The device of each test was approved before.
    const approvals = world.approvals.reduce((sum, count) => sum + count, world.tests.size);
    add(faults, "approvals, recorded less made", (activity?.count ?? 0) - approvals);
    const devices = yield* sql<{ readonly name: string; readonly approved: boolean; readonly id: string }>`
      SELECT installation_id AS name, id, approved FROM device WHERE ${tenant}`;
    for (const [writer, count] of world.approvals.entries()) {
      const device = devices.find(({ id }) => id === world.phones[writer]?.id);
      add(faults, "approvals with the wrong result", device?.approved === (count % 2 === 1) ? 0 : 1);
    }
    const installed = new Set(devices.map(({ name }) => name));
    add(faults, "devices lost", without(world.installations, installed));
    add(faults, "devices doubled", devices.length - world.installations.size);

    const { totals } = yield* report<Summary>(world.origin, world.token, "summary");
    add(faults, "enters, report less rows", totals.geofence_entries - enters);
    add(faults, "exits, report less rows", totals.geofence_exits - (events.length - enters));
    add(faults, "messages, report less rows", totals.delivered - enters);
    add(faults, "devices, report less rows", totals.registered_devices - devices.length);
    const rows = yield* report<ReadonlyArray<{ readonly opened: number }>>(
      world.origin,
      world.token,
      "interactions",
    );
    const shown = rows.reduce((sum, row) => sum + row.opened, 0);
    add(faults, "opens, report less rows", shown - opened.size);
  }
  webhooks.check("location.entered", expected.enter, faults);
  webhooks.check("location.exited", expected.exit, faults);
  webhooks.check("message.opened", openedEvents, faults);
});
