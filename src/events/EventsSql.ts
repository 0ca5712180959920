import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import type { Transport } from "../devices/PushAddress.ts";
import type { ContentMedia } from "../media/MediaAddress.ts";
import type { NotificationType } from "../notifications/MessageContent.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { Question } from "../notifications/Survey.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { TransitionType } from "./Transition.ts";

/** A location of a tenant, and what happened there as campaigns call it. */
export interface EventLocation {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly locationId: string;
  readonly trigger: TriggerType;
}

/** One notification that can fire at a place; instants are epoch milliseconds, null for an open end. */
export interface TriggerMatch {
  readonly campaign_id: string;
  readonly campaign_key: number;
  readonly timezone: TimeZoneName;
  readonly campaign_starts: number;
  readonly campaign_ends: number | null;
  readonly cap: FrequencyCap | null;
  readonly notification_id: string;
  readonly notification_key: number;
  readonly window_starts: number | null;
  readonly window_ends: number | null;
  readonly content_key: number;
  readonly type: NotificationType;
  readonly headline: string;
  readonly body: string;
  readonly media: ContentMedia | null;
  readonly cta_label: string | null;
  readonly cta_url: string | null;
  readonly questions: ReadonlyArray<Question>;
}

/** A row of a place (`ord`, from 1): its location, with one of the notifications that can fire there, if any can. */
export type TriggerMatchRow = { readonly ord: number; readonly location_key: number } & (
  TriggerMatch | { readonly campaign_id: null }
);

/** An event as its key knows it. */
export interface EventKey {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly deviceKey: number;
  readonly id: string;
}

/** An event as it is stored; instants are epoch milliseconds. */
export interface EventRow extends EventKey {
  readonly type: TransitionType;
  readonly locationKey: number;
  readonly occurredAt: number;
  readonly receivedAt: number;
}

/** What became of an event in its place (`ord`, from 1), and its device as it is now. */
export interface Recorded {
  readonly ord: number;
  readonly is_new: boolean;
  readonly approved: boolean;
  readonly transport: Transport;
  readonly address_gone: boolean;
}

/** Every statement on geofence events. */
export class EventsSql extends Context.Service<EventsSql>()("waypost/events/EventsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const millis = (column: string) => sql.literal(`(extract(epoch FROM ${column}) * 1000)::float8`);
    const keys = (events: ReadonlyArray<EventKey>) =>
      sql`${arrayOf(
        "int4",
        events.map((event) => event.workspaceId),
      )}, ${arrayOf(
        "text",
        events.map((event) => event.environment),
      )}, ${arrayOf(
        "int4",
        events.map((event) => event.deviceKey),
      )}, ${arrayOf(
        "uuid",
        events.map((event) => event.id),
      )}`;

    const happenings = (events: ReadonlyArray<EventRow>) =>
      sql`${arrayOf(
        "text",
        events.map((event) => event.type),
      )}, ${arrayOf(
        "int4",
        events.map((event) => event.locationKey),
      )}, ${arrayOf(
        "timestamptz",
        events.map((event) => event.occurredAt),
      )}`;

    return {
      /**
       * For each place that exists the location's number, with the notifications on campaigns that target it, directly or by a
       * group, are not paused and overlap the span (epoch milliseconds); older notifications first.
       */
      places: (places: ReadonlyArray<EventLocation>, span: { readonly from: number; readonly to: number }) =>
        Effect.orDie(sql<TriggerMatchRow>`
          SELECT p.ord::int AS ord, l.key AS location_key, f.*
          FROM unnest(
            ${arrayOf(
              "int4",
              places.map((place) => place.workspaceId),
            )}, ${arrayOf(
              "text",
              places.map((place) => place.environment),
            )}, ${arrayOf(
              "uuid",
              places.map((place) => place.locationId),
            )}, ${arrayOf(
              "text",
              places.map((place) => place.trigger),
            )}
          ) WITH ORDINALITY AS p (workspace_id, environment, location_id, trigger_type, ord)
          JOIN location l
            ON l.workspace_id = p.workspace_id AND l.environment = p.environment AND l.id = p.location_id
          LEFT JOIN LATERAL (
            SELECT c.id AS campaign_id, c.key AS campaign_key, c.timezone, ${millis("c.starts_at")} AS campaign_starts,
              ${millis("c.ends_at")} AS campaign_ends,
              CASE WHEN c.frequency_cap_count IS NOT NULL THEN
                jsonb_build_object('count', c.frequency_cap_count, 'period', c.frequency_cap_period) END AS cap,
              n.id AS notification_id, n.key AS notification_key, ${millis("a.starts_at")} AS window_starts,
              ${millis("a.ends_at")} AS window_ends, k.key AS content_key, k.type, k.headline, k.body, k.cta_label, k.cta_url,
              CASE WHEN m.id IS NOT NULL THEN jsonb_build_object('id', m.id, 'type', m.kind, 'key', m.key) END AS media,
              COALESCE(k.questions, '[]') AS questions, a.attached_at, a.id AS attachment_id
            FROM (
              SELECT t.campaign_id FROM campaign_location t
              WHERE t.workspace_id = p.workspace_id AND t.environment = p.environment AND t.location_id = p.location_id
              UNION
              SELECT t.campaign_id FROM location_group_member m
              JOIN campaign_location_group t
                ON t.workspace_id = m.workspace_id AND t.environment = m.environment AND t.group_id = m.group_id
              WHERE m.workspace_id = p.workspace_id AND m.environment = p.environment AND m.location_id = p.location_id
            ) AS target
            JOIN campaign c
              ON c.workspace_id = p.workspace_id AND c.environment = p.environment AND c.id = target.campaign_id
            JOIN campaign_notification a
              ON a.workspace_id = c.workspace_id AND a.environment = c.environment AND a.campaign_id = c.id
            JOIN notification n
              ON n.workspace_id = a.workspace_id AND n.environment = a.environment AND n.id = a.notification_id
            JOIN content k
              ON k.workspace_id = n.workspace_id AND k.environment = n.environment AND k.key = n.content_key
            LEFT JOIN media_file m
              ON m.workspace_id = n.workspace_id AND m.environment = n.environment AND m.id = n.media_id
            WHERE c.type = 'geo' AND NOT c.paused AND a.trigger_type = p.trigger_type
              AND c.starts_at <= ${instant(span.to)} AND (c.ends_at IS NULL OR c.ends_at >= ${instant(span.from)})
          ) AS f ON true
          ORDER BY p.ord, f.attached_at, f.attachment_id`),

      /**
       * Which of these events, in their places from 1, are known already. Packed ones have no id: they are the same if the device was
       * seen to come or go there in the same millisecond.
       */
      known: (events: ReadonlyArray<EventRow>) =>
        Effect.orDie(sql<{ readonly ord: number }>`
          WITH k AS (
            SELECT * FROM unnest(${keys(events)}, ${happenings(events)}) WITH ORDINALITY
              AS k (workspace_id, environment, device_key, id, type, location_key, occurred_at, ord)
          )
          SELECT k.ord::int AS ord FROM k JOIN geofence_event e USING (workspace_id, environment, device_key, id)
          UNION
          SELECT k.ord::int
          FROM k JOIN compacted_event p ON p.workspace_id = k.workspace_id AND p.environment = k.environment
              AND p.day = date_bin('1 day', k.occurred_at, 'epoch'),
            unnest(p.millis, p.device_keys, p.location_keys, p.enters) AS e (millis, device_key, location_key, enters)
          WHERE e.device_key = k.device_key AND e.location_key = k.location_key AND e.enters = (k.type = 'enter')
            AND p.day + e.millis * interval '1 millisecond' = k.occurred_at`),

      /**
       * Holds the devices until the end of the transaction, always in the same order, and stores the events that are new. The
       * latest one of a device at a place says whether it is there (contract L9), of several of one moment the last given. An
       * event of a device that has unregistered has no row. No event may be given twice.
       */
      record: (events: ReadonlyArray<EventRow>) =>
        Effect.orDie(sql<Recorded>`
          WITH e AS (
            SELECT * FROM unnest(${keys(events)}, ${happenings(events)}, ${arrayOf(
              "timestamptz",
              events.map((event) => event.receivedAt),
            )}) WITH ORDINALITY AS e (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at, ord)
          ), held AS MATERIALIZED (
            SELECT d.workspace_id, d.environment, d.key AS device_key, d.approved, d.transport,
              d.address_gone_at IS NOT NULL AS address_gone
            FROM device d
            WHERE (d.workspace_id, d.environment, d.key) IN (SELECT workspace_id, environment, device_key FROM e)
              AND d.unregistered_at IS NULL
            ORDER BY d.workspace_id, d.environment, d.key
            FOR NO KEY UPDATE OF d
          ), fresh AS (
            INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at)
            SELECT workspace_id, environment, device_key, e.id, e.type, e.location_key, e.occurred_at, e.received_at
            FROM e JOIN held USING (workspace_id, environment, device_key)
            ON CONFLICT DO NOTHING
            RETURNING workspace_id, environment, device_key, id
          ), moved AS (
            INSERT INTO device_location AS p (workspace_id, environment, device_key, location_key, inside, changed_at)
            SELECT DISTINCT ON (workspace_id, environment, device_key, e.location_key)
              workspace_id, environment, device_key, e.location_key, e.type = 'enter', e.occurred_at
            FROM e JOIN fresh USING (workspace_id, environment, device_key, id)
            ORDER BY workspace_id, environment, device_key, e.location_key, e.occurred_at DESC, e.ord DESC
            ON CONFLICT (workspace_id, environment, device_key, location_key)
              DO UPDATE SET inside = EXCLUDED.inside, changed_at = EXCLUDED.changed_at
              WHERE p.changed_at <= EXCLUDED.changed_at
          )
          SELECT e.ord::int AS ord, f.id IS NOT NULL AS is_new, h.approved, h.transport, h.address_gone
          FROM e
          JOIN held h USING (workspace_id, environment, device_key)
          LEFT JOIN fresh f USING (workspace_id, environment, device_key, id)`),
    };
  }),
}) {
  static readonly layer = Layer.effect(EventsSql, EventsSql.make);
}
