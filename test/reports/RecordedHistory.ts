import { Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { idAt } from "../../src/wire/Ids.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { testStart } from "../TestWaypost.ts";
import type { ReportHistory } from "./ReportHistory.ts";
import { writeDeliveries, writeDevices, writeEvents } from "../SourceRows.ts";

/** The ids of recorded items, in the order of the history's lists. */
export interface RecordedIds {
  readonly locations: ReadonlyArray<string>;
  readonly groups: ReadonlyArray<string>;
  readonly notifications: ReadonlyArray<string>;
  readonly campaigns: ReadonlyArray<string>;
}

const newIds = (items: ReadonlyArray<unknown>): ReadonlyArray<string> => items.map(() => idAt(testStart));
const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index];
  if (found === undefined) throw new Error(`There is nothing at index ${index}`);
  return found;
};

/** Writes a history into the source tables, then deletes the items that it has as deleted. */
export const record = Effect.fnUntraced(function* (
  workspaceId: number,
  environment: Environment,
  history: Partial<ReportHistory>,
) {
  const sql = yield* SqlClient.SqlClient;
  const tenant = { workspace_id: workspaceId, environment };
  const now = new Date(testStart);
  const dated = { created_at: now, updated_at: now };

  const inserted = (table: string, rows: ReadonlyArray<Record<string, unknown>>) =>
    sql`INSERT INTO ${sql(table)} ${sql.insert(rows.map((row) => ({ ...tenant, ...row })) as never)}`;
  const insert = (table: string, rows: ReadonlyArray<Record<string, unknown>>) =>
    rows.length === 0 ? Effect.void : inserted(table, rows);
  /** Inserts source rows with their deltas. */
  const insertSource = (
    table: string,
    rows: ReadonlyArray<Record<string, unknown>>,
    write: (statement: Statement.Fragment) => Effect.Effect<void, never, SqlClient.SqlClient>,
  ) => (rows.length === 0 ? Effect.void : write(inserted(table, rows)));

  /** The internal keys of rows by their ids. */
  const keysOf = (table: string, ids: ReadonlyArray<string>) =>
    Effect.map(
      ids.length === 0
        ? Effect.succeed([])
        : sql<{ readonly id: string; readonly key: number }>`
            SELECT id, key FROM ${sql(table)} WHERE ${sql.in("id", ids)}`,
      (rows) => ids.map((id) => rows.find((row) => row.id === id)?.key ?? -1),
    );

  const ids: RecordedIds = {
    locations: newIds(history.locations ?? []),
    groups: newIds(history.groups ?? []),
    notifications: newIds(history.notifications ?? []),
    campaigns: newIds(history.campaigns ?? []),
  };
  yield* insertSource(
    "device",
    (history.devices ?? []).map(({ unregistered }, index) => ({
      key: index + 1,
      id: idAt(testStart),
      installation_id: `installation ${index}`,
      platform: "other",
      transport: "inbox",
      token_digest: new Uint8Array(32),
      registered_at: now,
      last_seen_at: now,
      unregistered_at: unregistered ? now : null,
    })),
    (statement) => writeDevices(statement, 1),
  );
  yield* insert(
    "location",
    ids.locations.map((id, index) => ({
      id,
      name: history.locations?.[index]?.name,
      type: "circle",
      latitude: 52,
      longitude: 5,
      radius_meters: 100,
      ...dated,
    })),
  );
  yield* insert(
    "location_group",
    ids.groups.map((id, index) => ({ id, name: `Group ${index}`, ...dated })),
  );
  yield* insert(
    "location_group_member",
    (history.groups ?? []).flatMap(({ members }, group) =>
      members.map((member) => ({
        group_id: at(ids.groups, group),
        location_id: at(ids.locations, member),
      })),
    ),
  );
  const campaigns = history.campaigns ?? [];
  yield* insert(
    "campaign",
    campaigns.map(({ endsAt, name, paused, startsAt, type }, index) => ({
      id: at(ids.campaigns, index),
      name,
      type,
      timezone: "UTC",
      starts_at: new Date(startsAt),
      ends_at: endsAt === null ? null : new Date(endsAt),
      paused,
      ...dated,
    })),
  );
  for (const [table, column, name] of [
    ["campaign_location", "location_id", "locations"],
    ["campaign_location_group", "group_id", "groups"],
  ] as const)
    yield* insert(
      table,
      campaigns.flatMap((campaign, index) =>
        campaign[name].map((each, position) => ({
          campaign_id: at(ids.campaigns, index),
          [column]: at(ids[name], each),
          position,
        })),
      ),
    );
  for (const [index, { name, type }] of (history.notifications ?? []).entries()) {
    const id = at(ids.notifications, index);
    const questions = type === "survey" ? "[]" : null;
    const content = { notification_id: id, type, headline: "H", body: "B", questions, created_at: now };
    const [row] = yield* sql<{ readonly key: number }>`
      INSERT INTO content ${sql.insert({ ...tenant, ...content })} RETURNING key`;
    yield* insert("notification", [{ id, name, type, content_key: row?.key, ...dated }]);
  }
  yield* insert(
    "campaign_notification",
    campaigns.flatMap(({ notifications }, index) =>
      notifications.map(({ notification, trigger }) => ({
        campaign_id: at(ids.campaigns, index),
        notification_id: at(ids.notifications, notification),
        id: idAt(testStart),
        trigger_type: trigger,
        send_at: trigger === "fixed_time" ? "12:00" : null,
        dwell_minutes: trigger === "on_dwell" ? 10 : null,
        attached_at: now,
        updated_at: now,
      })),
    ),
  );
  const campaignKeys = yield* keysOf("campaign", ids.campaigns);
  const locationKeys = yield* keysOf("location", ids.locations);
  const notificationKeys = yield* keysOf("notification", ids.notifications);
  yield* insertSource(
    "delivery",
    (history.deliveries ?? []).map((each, index) => ({
      source_id: index + 1,
      device_key: each.device + 1,
      campaign_key: at(campaignKeys, each.campaign),
      // Without notifications in the history, deliveries are of a deleted one.
      notification_key: notificationKeys[each.notification] ?? 0,
      content_key: 1,
      content_type: each.type,
      trigger_type: each.trigger,
      location_key: each.trigger === "fixed_time" ? null : 1,
      transport: "inbox",
      status: each.status,
      created_at: new Date(each.settledAt),
      settled_at: each.status === "delivered" || each.status === "failed" ? new Date(each.settledAt) : null,
      opened_at: each.openedAt === null ? null : new Date(each.openedAt),
      clicked_at: each.clickedAt === null ? null : new Date(each.clickedAt),
    })),
    writeDeliveries,
  );
  yield* insertSource(
    "geofence_event",
    (history.events ?? []).map((each) => ({
      device_key: each.device + 1,
      id: idAt(testStart),
      type: each.type,
      location_key: at(locationKeys, each.location),
      occurred_at: new Date(each.occurredAt),
      received_at: new Date(each.occurredAt),
    })),
    writeEvents,
  );
  const remove = (
    table: string,
    idsOfItems: ReadonlyArray<string>,
    items: ReadonlyArray<{ readonly deleted: boolean }>,
  ) =>
    Effect.forEach(
      idsOfItems.filter((_, index) => items[index]?.deleted === true),
      (id) => sql`DELETE FROM ${sql(table)} WHERE id = ${id}`,
    );
  yield* remove("campaign", ids.campaigns, campaigns);
  yield* remove("location", ids.locations, history.locations ?? []);
  yield* remove("notification", ids.notifications, history.notifications ?? []);
  return ids;
}, Effect.orDie);
