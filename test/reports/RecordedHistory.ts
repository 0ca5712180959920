import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { idAt } from "../../src/wire/Ids.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { testStart } from "../TestWaypost.ts";
import type { ReportHistory } from "./ReportHistory.ts";

/** The ids of what was recorded, in the order of the history's lists. */
export interface RecordedIds {
  readonly locations: ReadonlyArray<string>;
  readonly groups: ReadonlyArray<string>;
  readonly notifications: ReadonlyArray<string>;
  readonly campaigns: ReadonlyArray<string>;
}

const ids = (of: ReadonlyArray<unknown>): ReadonlyArray<string> => of.map(() => idAt(testStart));
const at = <A>(list: ReadonlyArray<A>, place: number): A => {
  const found = list[place];
  if (found === undefined) throw new Error(`Nothing at ${place}`);
  return found;
};

/** Writes a history into the base tables, then deletes what it says was deleted. */
export const record = Effect.fnUntraced(function* (
  workspaceId: number,
  environment: Environment,
  history: Partial<ReportHistory>,
) {
  const sql = yield* SqlClient.SqlClient;
  const tenant = { workspace_id: workspaceId, environment };
  const now = new Date(testStart);
  const dated = { created_at: now, updated_at: now };

  const insert = (table: string, rows: ReadonlyArray<Record<string, unknown>>) =>
    rows.length === 0
      ? Effect.void
      : sql`INSERT INTO ${sql(table)} ${sql.insert(rows.map((row) => ({ ...tenant, ...row })) as never)}`;

  /** The internal numbers of rows by their ids. */
  const numbers = (table: string, of: ReadonlyArray<string>) =>
    Effect.map(
      of.length === 0
        ? Effect.succeed([])
        : sql<{
            readonly id: string;
            readonly key: number;
          }>`SELECT id, key FROM ${sql(table)} WHERE ${sql.in("id", of)}`,
      (rows) => of.map((id) => rows.find((row) => row.id === id)?.key ?? -1),
    );

  const known: RecordedIds = {
    locations: ids(history.locations ?? []),
    groups: ids(history.groups ?? []),
    notifications: ids(history.notifications ?? []),
    campaigns: ids(history.campaigns ?? []),
  };
  yield* insert(
    "device",
    (history.devices ?? []).map(({ unregistered }, place) => ({
      key: place + 1,
      id: idAt(testStart),
      installation_id: `installation ${place}`,
      platform: "other",
      transport: "inbox",
      token_digest: new Uint8Array(32),
      registered_at: now,
      last_seen_at: now,
      unregistered_at: unregistered ? now : null,
    })),
  );
  yield* insert(
    "location",
    known.locations.map((id, place) => ({
      id,
      name: history.locations?.[place]?.name,
      type: "circle",
      latitude: 52,
      longitude: 5,
      radius_meters: 100,
      ...dated,
    })),
  );
  yield* insert(
    "location_group",
    known.groups.map((id, place) => ({ id, name: `Group ${place}`, ...dated })),
  );
  yield* insert(
    "location_group_member",
    (history.groups ?? []).flatMap(({ members }, group) =>
      members.map((member) => ({
        group_id: at(known.groups, group),
        location_id: at(known.locations, member),
      })),
    ),
  );
  const campaigns = history.campaigns ?? [];
  yield* insert(
    "campaign",
    campaigns.map(({ endsAt, name, paused, startsAt, type }, place) => ({
      id: at(known.campaigns, place),
      name,
      type,
      timezone: "UTC",
      starts_at: new Date(startsAt),
      ends_at: endsAt === null ? null : new Date(endsAt),
      paused,
      ...dated,
    })),
  );
  yield* insert(
    "campaign_location",
    campaigns.flatMap((campaign, place) =>
      campaign.locations.map((location, position) => ({
        campaign_id: at(known.campaigns, place),
        location_id: at(known.locations, location),
        position,
      })),
    ),
  );
  yield* insert(
    "campaign_location_group",
    campaigns.flatMap((campaign, place) =>
      campaign.groups.map((group, position) => ({
        campaign_id: at(known.campaigns, place),
        group_id: at(known.groups, group),
        position,
      })),
    ),
  );
  for (const [place, { name, type }] of (history.notifications ?? []).entries()) {
    const id = at(known.notifications, place);
    const questions = type === "survey" ? "[]" : null;
    const [content] = yield* sql<{ readonly key: number }>`
      INSERT INTO content ${sql.insert({ ...tenant, notification_id: id, type, headline: "H", body: "B", questions, created_at: now })}
      RETURNING key`;
    yield* insert("notification", [{ id, name, type, content_key: content?.key, ...dated }]);
  }
  yield* insert(
    "campaign_notification",
    campaigns.flatMap(({ notifications }, place) =>
      notifications.map(({ notification, trigger }) => ({
        campaign_id: at(known.campaigns, place),
        notification_id: at(known.notifications, notification),
        id: idAt(testStart),
        trigger_type: trigger,
        send_at: trigger === "fixed_time" ? "12:00" : null,
        attached_at: now,
        updated_at: now,
      })),
    ),
  );
  const campaignNumbers = yield* numbers("campaign", known.campaigns);
  const locationNumbers = yield* numbers("location", known.locations);
  const notificationNumbers = yield* numbers("notification", known.notifications);
  yield* insert(
    "delivery",
    (history.deliveries ?? []).map((each, place) => ({
      source_id: place + 1,
      device_key: each.device + 1,
      campaign_key: at(campaignNumbers, each.campaign),
      // A history that names no notification has deliveries of one that is gone.
      notification_key: notificationNumbers[each.notification] ?? 0,
      content_key: 1,
      content_type: each.type,
      trigger_type: each.trigger,
      location_key: each.trigger === "fixed_time" ? null : 1,
      transport: "inbox",
      status: each.status,
      created_at: new Date(each.settledAt),
      settled_at: each.status === "delivered" || each.status === "failed" ? new Date(each.settledAt) : null,
    })),
  );
  yield* insert(
    "geofence_event",
    (history.events ?? []).map((each) => ({
      device_key: each.device + 1,
      id: idAt(testStart),
      type: each.type,
      location_key: at(locationNumbers, each.location),
      occurred_at: new Date(each.occurredAt),
      received_at: new Date(each.occurredAt),
    })),
  );
  const gone = (
    table: string,
    of: ReadonlyArray<string>,
    things: ReadonlyArray<{ readonly deleted: boolean }>,
  ) =>
    Effect.forEach(
      of.filter((_, place) => things[place]?.deleted === true),
      (id) => sql`DELETE FROM ${sql(table)} WHERE id = ${id}`,
    );
  yield* gone("campaign", known.campaigns, campaigns);
  yield* gone("location", known.locations, history.locations ?? []);
  yield* gone("notification", known.notifications, history.notifications ?? []);
  return known;
}, Effect.orDie);
