import { Effect } from "effect";
import { arrayOf, instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../database/TenantColumns.ts";
import { table, workspaceIs, workspaceStatements } from "../database/WorkspaceGroups.ts";
import { eventDeltasSql } from "../deltas/DeltasSql.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { CampaignKey, DeviceKey, LocationKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { deviceColumns, lockedDevicesSql, type StoredRow } from "./LockedDevicesSql.ts";
import type { TransitionType, TriggerSpan } from "./Transition.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { triggerMatchSql, visitGoalsSql } from "./TriggerMatchSql.ts";

/** A location, with the trigger type of the events there. */
export interface EventLocation extends TenantKey {
  readonly locationId: string;
  readonly trigger: TriggerType;
}

/** An enter or exit as stored. Instants are epoch milliseconds. */
interface EventRow extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly id: string;
  readonly type: TransitionType;
  /** Null for an unknown location. */
  readonly locationKey: LocationKey | null;
  readonly occurredAt: number;
  readonly receivedAt: number;
}

/**
 * A row of a location, or of a name of custom events (`ord`, from 1): with a notification that can fire, or
 * without any.
 */
export type LookupRow = {
  readonly ord: number;
  /** Of a location. */
  readonly location_key?: LocationKey;
  /** The campaigns whose goal an enter there meets (contract U5); null for none. */
  readonly goal_campaigns?: ReadonlyArray<CampaignKey> | null;
  /** The order of the rows of a location. */
  readonly attached_at?: Date | null;
  readonly attachment_id?: string | null;
} & (TriggerMatch | { readonly campaign_id: null });

const eventColumns = {
  ...deviceColumns,
  id: ["uuid", (event: EventRow) => event.id],
  type: ["text", (event: EventRow) => event.type],
  location_key: ["int4", (event: EventRow) => event.locationKey],
  occurred_at: ["timestamptz", (event: EventRow) => event.occurredAt],
} as const;

/** Statements on enter and exit events. Bound: 6,400 events of a batch, with their notifications. */
export class EventsSql extends SqlService<EventsSql>("waypost/events/EventsSql")((sql) => {
  const { byWorkspace, onShard } = workspaceStatements(sql);
  const { columns, contentJoins } = triggerMatchSql(sql);

  return {
    /**
     * The keys of the locations that exist, with the campaigns whose goal is a visit there, and with the
     * notifications of campaigns that target them, directly
     * or by a group, are not paused and overlap the span (epoch milliseconds); older notifications first.
     * For enters also the on_dwell notifications of campaigns that are paused or start later: they count at
     * the minute at which they fire (contract X22). `attachmentIds` are the only ones that are wanted, null
     * for all. Bound: `limit` rows; null for those of 1 location, or of a page of dwells.
     */
    locations: (
      locations: ReadonlyArray<EventLocation>,
      span: TriggerSpan,
      {
        attachmentIds = null,
        limit = null,
      }: { attachmentIds?: ReadonlyArray<string> | null; limit?: number | null },
    ) =>
      Effect.orDie(sql<LookupRow>`
        SELECT p.ord::int AS ord, l.key AS location_key, g.goal_campaigns, f.*
        FROM ${unnested("p", locations, {
          ...tenantColumns,
          location_id: ["uuid", ({ locationId }) => locationId],
          trigger_type: ["text", ({ trigger }) => trigger],
        })}
        JOIN location l ON ${sameTenant("l", "p")} AND l.id = p.location_id
        CROSS JOIN LATERAL ${visitGoalsSql} AS g
        LEFT JOIN LATERAL (
          SELECT ${columns}, a.attached_at
          FROM (
            SELECT t.campaign_id FROM campaign_location t
            WHERE ${sameTenant("t", "p")} AND t.location_id = p.location_id
            UNION
            SELECT t.campaign_id FROM location_group_member m
            JOIN campaign_location_group t ON ${sameTenant("t", "m")} AND t.group_id = m.group_id
            WHERE ${sameTenant("m", "p")} AND m.location_id = p.location_id
          ) AS target
          JOIN campaign c ON ${sameTenant("c", "p")} AND c.id = target.campaign_id
          JOIN campaign_notification a ON ${sameTenant("a", "c")} AND a.campaign_id = c.id
          ${contentJoins}
          WHERE c.type = 'geo' AND CASE WHEN a.trigger_type = 'on_dwell'
              THEN p.trigger_type IN ('on_enter', 'on_dwell')
              ELSE a.trigger_type = p.trigger_type AND NOT c.paused AND c.starts_at <= ${instant(span.to)}
            END AND (c.ends_at IS NULL OR c.ends_at >= ${instant(span.from)})
            ${attachmentIds === null ? sql`` : sql`AND a.id = ANY (${arrayOf("uuid", attachmentIds)})`}
        ) AS f ON true
        ORDER BY p.ord, f.attached_at, f.attachment_id LIMIT ${limit}`),

    /**
     * The events (`ord`, from 1) that are recorded already. Compacted events have no id: one is the same if
     * it has the same device, location and type at the same millisecond.
     */
    recorded: (all: ReadonlyArray<EventRow>) =>
      byWorkspace(all)(
        (events) => sql<{ readonly ord: number }>`
        WITH k AS (SELECT * FROM ${unnested("k", events, eventColumns)})
        SELECT k.ord::int AS ord
        FROM k JOIN geofence_event e ON ${workspaceIs("e", "k")}
          AND e.environment = k.environment
          AND e.device_key = k.device_key AND e.id = k.id
        UNION
        SELECT k.ord::int
        FROM k JOIN compacted_event p ON ${workspaceIs("p", "k")}
            AND p.environment = k.environment AND p.day = date_bin('1 day', k.occurred_at, 'epoch'),
          unnest(p.millis, p.device_keys, p.location_keys, p.enters)
            AS e (millis, device_key, location_key, enters)
        WHERE e.device_key = k.device_key AND e.location_key = k.location_key
          AND e.enters = (k.type = 'enter')
          AND p.day + e.millis * interval '1 millisecond' = k.occurred_at`,
      ),

    /**
     * Locks the devices until the transaction ends, always in the same order, and stores the events that
     * are new. A device's latest event at a location decides whether it is there (contract L9); of several
     * at the same instant the last one given. An event of an unregistered device has no row. No event may
     * be given twice.
     */
    record: (all: ReadonlyArray<EventRow>) =>
      onShard(all)(
        (events) =>
          sql<StoredRow>`
        WITH e AS (
          SELECT * FROM ${unnested("e", events, {
            ...eventColumns,
            received_at: ["timestamptz", (event) => event.receivedAt],
          })}
        ), held AS MATERIALIZED (${lockedDevicesSql(sql, sql`e`)}
        ), fresh AS (
          INSERT INTO ${table.geofence_event} (workspace_id, environment, device_key, id, type,
            location_key,
            occurred_at, received_at)
          SELECT workspace_id, environment, device_key, e.id, e.type, e.location_key, e.occurred_at,
            e.received_at
          FROM e JOIN held USING (workspace_id, environment, device_key)
          ON CONFLICT DO NOTHING
          RETURNING workspace_id, environment, device_key, id, type, location_key, occurred_at
        ), ${eventDeltasSql(sql, sql`SELECT * FROM fresh`)}, moved AS (
          INSERT INTO ${table.device_location} AS p (workspace_id, environment, device_key,
            location_key, inside,
            changed_at)
          SELECT DISTINCT ON (workspace_id, environment, device_key, e.location_key)
            workspace_id, environment, device_key, e.location_key, e.type = 'enter', e.occurred_at
          FROM e JOIN fresh USING (workspace_id, environment, device_key, id)
          ORDER BY workspace_id, environment, device_key, e.location_key, e.occurred_at DESC, e.ord DESC
          ON CONFLICT (workspace_id, environment, device_key, location_key)
            DO UPDATE SET inside = EXCLUDED.inside, changed_at = EXCLUDED.changed_at
            WHERE p.changed_at <= EXCLUDED.changed_at
        )
        SELECT e.ord::int AS ord, f.id IS NOT NULL AS is_new, h.transport, h.obstacle, h.timezone,
          h.user_id, h.user_key
        FROM e
        JOIN held h USING (workspace_id, environment, device_key)
        LEFT JOIN fresh f USING (workspace_id, environment, device_key, id)`,
      ),
  };
}) {}
