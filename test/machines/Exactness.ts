import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { messageIds } from "../../src/sending/deliveries/MessageId.ts";
import type { LocalService } from "../sending/push/PushServers.ts";
import { asker } from "../TestWaypost.ts";
import { ok } from "../given/Given.ts";
import { type Machine, secretKey, until } from "./Machines.ts";
import { crowd, longitudes, type SharedWorkspace } from "./SharedWorkspace.ts";
import type { Traffic } from "./Traffic.ts";
import type { DeviceKey } from "../../src/wire/Ids.ts";

const ids = messageIds(secretKey);

/** The message ids of pushes that were attempted and are not settled: a new worker repeats these. */
export const uncertainPushes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly sourceId: bigint; readonly key: DeviceKey }>`
    SELECT source_id AS "sourceId", device_key AS key FROM delivery
    WHERE attempts > 0 AND settled_at IS NULL`;
  return new Set(rows.map(({ key, sourceId }) => ids.idOf({ sourceId, deviceKey: key })));
});

/** Every send reached every device once, and no batch or push is left. */
const assertSends = Effect.fnUntraced(function* (
  workspace: SharedWorkspace,
  { phones }: Traffic,
  count: number,
) {
  const sql = yield* SqlClient.SqlClient;
  const everybody = crowd.pushed + crowd.silent + phones.length;
  const each = { status: "done", targeted: everybody, delivered: everybody };
  assert.deepStrictEqual(
    yield* workspace.sends,
    Array.from({ length: count }, () => each),
  );
  const [counts] = yield* sql`
    SELECT count(*)::int AS rows, count(DISTINCT (notification_key, device_key))::int AS reached
    FROM delivery WHERE trigger_type = 'fixed_time'`;
  assert.deepStrictEqual(counts, { rows: count * everybody, reached: count * everybody });
  assert.lengthOf(yield* sql`SELECT FROM send_batch UNION ALL SELECT FROM push_queue`, 0);
});

/** The ids that a set does not have. */
const lacking = (known: { readonly has: (id: string) => boolean }, all: Iterable<string>) =>
  [...all].filter((id) => !known.has(id));

/** Every message reached the push service, and more than once only where it was uncertain. */
const assertPushes = Effect.fnUntraced(function* (service: LocalService, uncertain: ReadonlySet<string>) {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql<{ readonly sourceId: bigint; readonly key: DeviceKey }>`
    SELECT source_id AS "sourceId", device_key AS key FROM delivery WHERE transport = 'fcm'`;
  const arrivals = new Map<string, number>();
  for (const { id } of service.ledger) arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  const expected = new Set(rows.map(({ key, sourceId }) => ids.idOf({ sourceId, deviceKey: key })));
  const repeated = [...arrivals].filter(([, times]) => times > 1).map(([id]) => id);
  assert.deepStrictEqual(lacking(arrivals, expected), [], "lost pushes");
  assert.deepStrictEqual(lacking(expected, arrivals.keys()), [], "pushes without a delivery");
  assert.deepStrictEqual(lacking(uncertain, repeated), [], "pushes repeated without need");
  assert.deepStrictEqual(service.complaints, []);
  return repeated.length;
});

/** Every event of a phone is stored once, and every message is in its inbox once. */
const assertTraffic = Effect.fnUntraced(function* (
  machine: Machine,
  { done, phones }: Traffic,
  sends: number,
) {
  const sql = yield* SqlClient.SqlClient;
  for (const phone of phones) {
    const device = asker(`${machine.origin}/device/v1`, phone.token);
    const inbox: Array<string> = [];
    let cursor: string | null = null;
    do {
      const page: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = yield* device(`/messages?limit=100${page}`);
      for (const { id } of body.data) inbox.push(id);
      cursor = body.meta.next_cursor;
    } while (cursor !== null);
    assert.lengthOf(inbox, phone.entered + sends, phone.installation);
    assert.strictEqual(new Set(inbox).size, inbox.length);
  }
  const [counts] = yield* sql`
    SELECT (SELECT count(*)::int FROM geofence_event
        WHERE environment = 'production' AND type = 'enter') AS entered,
      (SELECT count(*)::int FROM geofence_event WHERE environment = 'production' AND type = 'exit') AS left,
      (SELECT count(*)::int FROM location WHERE environment = 'production') AS locations,
      (SELECT count(*)::int FROM campaign) AS campaigns`;
  const sum = (field: "entered" | "left") => phones.reduce((total, phone) => total + phone[field], 0);
  assert.deepStrictEqual(counts, {
    entered: sum("entered"),
    left: sum("left"),
    locations: longitudes.length + 3 * done.imports,
    campaigns: 2 + done.campaigns,
  });
  assert.isAbove(Math.min(done.imports, done.campaigns, ...phones.map(({ entered }) => entered)), 1);
});

/** Reports equal the counts of plain SQL. */
const assertReports = Effect.fnUntraced(function* (machine: Machine, { token }: SharedWorkspace) {
  const sql = yield* SqlClient.SqlClient;
  const reports = asker(`${machine.origin}/platform/v1/reports`, token);
  /** The rows of a report with something to count, by id: their figures with these names. */
  const rowsOf = (path: string, names: ReadonlyArray<string>) =>
    Effect.map(reports(path), (answer) =>
      (ok(answer) as Array<Record<string, any>>)
        .filter((row) => row[names[0] ?? ""] > 0)
        .map((row) => Object.fromEntries(["id", ...names].map((name) => [name, row[name]])))
        .toSorted((a, b) => (a["id"] < b["id"] ? -1 : 1)),
    );
  const { totals } = ok(yield* reports("/summary"));
  const [counted] = yield* sql`
    SELECT (SELECT count(*)::int FROM delivery WHERE status = 'delivered') AS delivered,
      (SELECT count(DISTINCT device_key)::int FROM delivery WHERE status = 'delivered') AS devices_reached,
      (SELECT count(*)::int FROM geofence_event
        WHERE environment = 'production' AND type = 'enter') AS geofence_entries,
      (SELECT count(*)::int FROM geofence_event
        WHERE environment = 'production' AND type = 'exit') AS geofence_exits,
      (SELECT count(*)::int FROM device
        WHERE environment = 'production' AND unregistered_at IS NULL) AS registered_devices`;
  assert.deepInclude(totals, counted);
  const byCampaign = yield* sql`
    SELECT k.id, count(*)::int AS delivered FROM delivery d JOIN campaign k ON k.key = d.campaign_key
    WHERE d.status = 'delivered' GROUP BY k.id ORDER BY k.id`;
  assert.deepStrictEqual(yield* rowsOf("/campaigns", ["delivered"]), byCampaign);
  const byLocation = yield* sql`
    SELECT l.id, (count(*) FILTER (WHERE e.type = 'enter'))::int AS entries,
      (count(*) FILTER (WHERE e.type = 'exit'))::int AS exits
    FROM geofence_event e JOIN location l ON l.key = e.location_key
    WHERE e.environment = 'production' GROUP BY l.id ORDER BY l.id`;
  assert.deepStrictEqual(yield* rowsOf("/locations", ["entries", "exits"]), byLocation);
});

/**
 * The rollups hold what the source rows hold: the reports are the same over rollups with their pending
 * deltas, over source rows after the rollups were invalidated, and over the rollups that the workers have
 * rebuilt.
 */
const assertRollups = Effect.fnUntraced(function* (machine: Machine, { token }: SharedWorkspace) {
  const sql = yield* SqlClient.SqlClient;
  const ask = asker(`${machine.origin}/platform/v1/reports`, token);
  const reports = Effect.forEach(["/summary", "/campaigns", "/locations", "/notifications"], (path) =>
    Effect.map(ask(path), ok),
  );
  const isComplete = until(
    sql`SELECT FROM rollup_state WHERE rolled_up_from > '-infinity' OR timezone = ''`,
    (rows) => rows.length === 0,
  );
  yield* until(sql`SELECT FROM event_delta`, (rows) => rows.length === 0);
  // Deltas of deliveries are added only every ten seconds: some are pending.
  yield* until(sql`SELECT FROM delivery_rollup`, (rows) => rows.length > 0);
  yield* isComplete;
  const rolledUp = yield* reports;
  yield* sql`UPDATE rollup_state SET timezone = ''`;
  assert.deepStrictEqual(yield* reports, rolledUp);
  yield* isComplete;
  assert.deepStrictEqual(yield* reports, rolledUp);
});

/** Fails if anything was lost or done twice. Returns the number of repeated pushes. */
export const assertExact = Effect.fnUntraced(function* (
  machine: Machine,
  workspace: SharedWorkspace,
  clients: Traffic,
  service: LocalService,
  options: { readonly sends: number; readonly uncertain: ReadonlySet<string> },
) {
  const sql = yield* SqlClient.SqlClient;
  yield* until(sql`SELECT FROM push_queue`, (rows) => rows.length === 0);
  yield* assertSends(workspace, clients, options.sends);
  const repeated = yield* assertPushes(service, options.uncertain);
  yield* assertTraffic(machine, clients, options.sends);
  yield* assertReports(machine, workspace);
  yield* assertRollups(machine, workspace);
  yield* assertReports(machine, workspace);
  return repeated;
});
