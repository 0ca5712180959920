import { Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { cursorSnapshot, type OpenCursor } from "../database/RowCursor.ts";
import { epochMillis, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantIs } from "../database/TenantColumns.ts";
import { isApprovedSql } from "../devices/ObstacleSql.ts";
import type { TextSource } from "../notifications/templates/MessageTexts.ts";
import { deliveredVariantSql } from "../notifications/variants/VariantSql.ts";
import type { KeptFacts, KeptRecipient } from "../sending/rendering/KeptFacts.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { DeviceKey } from "../wire/Ids.ts";

/** A message to a device of a person, without its id, which is made from the key. */
export interface PersonMessage {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
  readonly headline: string;
  readonly body: string;
  /** The source of its words; null for one with the words of its content. */
  readonly rendered: (KeptRecipient & { readonly content: TextSource; readonly recipient: KeptFacts }) | null;
}

/**
 * The statements that read what is held about a person. A person may have any number of devices, and the
 * planner may expect one: rows are joined by an index of theirs, never with `own` by a key of another table.
 * Bound: a cursor's 250.
 */
export class PeopleSql extends SqlService<PeopleSql>("waypost/people/PeopleSql")((sql) => {
  /** The devices of a person, also unregistered ones. */
  const own = (tenant: Tenant, userId: string) => sql`
    WITH own AS MATERIALIZED (
      SELECT * FROM device WHERE ${inTenant(tenant)} AND user_id = ${userId}
    )`;
  /** The key of a person; null for one without. */
  const keyOf = (tenant: Tenant, userId: string) => sql`(
    SELECT u.key FROM device_user u WHERE ${tenantIs("u", tenant)} AND u.user_id = ${userId})`;
  /** The same as the unit of events and enrolments. */
  const unitOf = (tenant: Tenant, userId: string) => sql`-${keyOf(tenant, userId)}`;
  /** The units of events and enrolments of a person: their devices, and the person. */
  const units = (tenant: Tenant, userId: string) => sql`(
    SELECT key, id FROM own UNION ALL SELECT ${unitOf(tenant, userId)}, NULL) AS u`;
  const cursor =
    <Row extends object>(query: Statement.Fragment) =>
    (open: OpenCursor) =>
      open<Row>(query);

  return {
    /** Opens the snapshot that cursors of the person read. */
    snapshot: Effect.provideService(cursorSnapshot, SqlClient.SqlClient, sql),

    /** Whether the person has a device, or messages or custom events of when they had one. */
    exists: Effect.fnUntraced(function* (tenant: Tenant, userId: string) {
      for (const one of [
        sql`FROM device WHERE ${inTenant(tenant)} AND user_id = ${userId}`,
        sql`FROM delivery d WHERE ${tenantIs("d", tenant)} AND d.user_key = ${keyOf(tenant, userId)}`,
        sql`FROM custom_event e WHERE ${tenantIs("e", tenant)} AND e.unit = ${unitOf(tenant, userId)}`,
      ])
        if (yield* anyRow(sql`SELECT ${one} LIMIT 1`)) return true;
      return false;
    }),

    devices: (tenant: Tenant, userId: string) =>
      cursor<object>(sql`${own(tenant, userId)}
        SELECT id, installation_id, platform, transport, address,
            address_gone_at IS NOT NULL AS address_gone, ${isApprovedSql(sql)} AS approved, attributes,
            locale, timezone, app_version, user_id, subscribed,
          ${utc("registered_at")} AS registered_at, ${utc("last_seen_at")} AS last_seen_at,
          ${utc("unregistered_at")} AS unregistered_at
        FROM own ORDER BY id`),

    /** Messages that were made for them (contract X31), or for their devices without a person. */
    messages: (tenant: Tenant, userId: string) =>
      cursor<PersonMessage>(sql`${own(tenant, userId)}, sent AS MATERIALIZED (
          SELECT d.*, v.id FROM delivery d JOIN device v ON ${tenantIs("v", tenant)} AND v.key = d.device_key
          WHERE ${tenantIs("d", tenant)} AND d.user_key = ${keyOf(tenant, userId)}
          UNION ALL
          SELECT d.*, v.id FROM own v JOIN delivery d ON ${tenantIs("d", tenant)} AND d.device_key = v.key
          WHERE d.user_key IS NULL
        )
        SELECT d.source_id AS "sourceId", d.device_key AS "deviceKey", d.id AS device_id,
          COALESCE(k.id, g.id) AS campaign_id, c.notification_id, COALESCE(l.id, f.id) AS location_id,
          d.trigger_type, d.transport, d.status, d.attempts::int AS attempts, d.last_error,
            COALESCE(w.words ->> 'headline', c.headline) AS headline,
            COALESCE(w.words ->> 'body', c.body) AS body, d.variant,
            CASE WHEN d.recipient IS NOT NULL THEN jsonb_build_object(
              'content', to_jsonb(c) || jsonb_build_object('questions', '[]'::jsonb, 'variantTexts', w.words),
              'recipient', d.recipient, 'madeAt', ${epochMillis("d.created_at")}) END AS rendered,
            ${utc("d.created_at")} AS created_at,
          CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END AS delivered_at,
          ${utc("d.opened_at")} AS opened_at, ${utc("d.clicked_at")} AS clicked_at
        FROM sent d
        JOIN content c ON ${sameTenant("c", "d")} AND c.key = d.content_key
        CROSS JOIN LATERAL (SELECT ${deliveredVariantSql("c", "d")} AS words) AS w
        LEFT JOIN campaign k ON ${sameTenant("k", "d")} AND k.key = d.campaign_key
        LEFT JOIN deleted_campaign g ON ${sameTenant("g", "d")} AND g.key = d.campaign_key
        LEFT JOIN location l ON ${sameTenant("l", "d")} AND l.key = d.location_key
        LEFT JOIN deleted_location f ON ${sameTenant("f", "d")} AND f.key = d.location_key
        ORDER BY d.id, d.created_at, d.source_id`),

    events: (tenant: Tenant, userId: string) =>
      cursor<object>(sql`${own(tenant, userId)}
        SELECT e.id, v.id AS device_id, e.type, COALESCE(l.id, f.id) AS location_id,
          ${utc("e.occurred_at")} AS occurred_at, ${utc("e.received_at")} AS received_at
        FROM own v
        JOIN geofence_event e ON ${tenantIs("e", tenant)} AND e.device_key = v.key
        LEFT JOIN location l ON ${sameTenant("l", "e")} AND l.key = e.location_key
        LEFT JOIN deleted_location f ON ${sameTenant("f", "e")} AND f.key = e.location_key
        ORDER BY v.id, e.occurred_at, e.id`),

    /** The custom events of the person (contract Z27), and of their devices without a person. */
    customEvents: (tenant: Tenant, userId: string) =>
      cursor<object>(sql`${own(tenant, userId)}
        SELECT e.id, v.id AS device_id, e.name, e.properties, ${utc("e.occurred_at")} AS occurred_at,
          ${utc("e.received_at")} AS received_at
        FROM ${units(tenant, userId)}
        JOIN custom_event e ON ${tenantIs("e", tenant)} AND e.unit = u.key
        LEFT JOIN device v ON ${tenantIs("v", tenant)} AND v.key = e.device_key AND v.user_id = ${userId}
        ORDER BY e.key`),

    /** Returns the arms of experiments of the person, and of their devices before. */
    enrolments: (tenant: Tenant, userId: string) =>
      cursor<object>(sql`${own(tenant, userId)}
        SELECT k.id AS campaign_id, n.id AS notification_id, u.id AS device_id, e.arm,
          ${utc("e.enrolled_at")} AS enrolled_at, ${utc("e.converted_at")} AS converted_at
        FROM campaign k
        CROSS JOIN ${units(tenant, userId)}
        JOIN enrolment e ON ${sameTenant("e", "k")} AND e.campaign_key = k.key AND e.unit_key = u.key
        LEFT JOIN notification n ON ${sameTenant("n", "e")} AND n.key = e.notification_key
        WHERE ${tenantIs("k", tenant)}
          AND EXISTS (SELECT FROM enrolment x WHERE ${sameTenant("x", "k")} AND x.campaign_key = k.key)
        ORDER BY e.enrolled_at, k.id, u.id, n.id`),

    /** Returns the last positions of devices: the instant, and the locations they were in. */
    positions: (tenant: Tenant, userId: string) =>
      cursor<object>(sql`${own(tenant, userId)}
        SELECT v.id AS device_id, ${utc("p.recorded_at")} AS recorded_at, ARRAY (
          SELECT l.id::text FROM device_location i
          JOIN location l ON ${sameTenant("l", "i")} AND l.key = i.location_key
          WHERE ${tenantIs("i", tenant)} AND i.device_key = v.key AND i.inside ORDER BY l.id) AS inside
        FROM own v
        LEFT JOIN device_position p ON ${tenantIs("p", tenant)} AND p.device_key = v.key
        WHERE p.device_key IS NOT NULL OR EXISTS (
          SELECT FROM device_location i WHERE ${tenantIs("i", tenant)} AND i.device_key = v.key)
        ORDER BY v.id`),

    answers: (tenant: Tenant, userId: string) =>
      cursor<object>(sql`${own(tenant, userId)}, answered AS (
          SELECT r.workspace_id, r.environment, v.id, r.campaign_key, r.content_key, r.answers,
            r.first_answered_at, r.answered_at
          FROM own v
          JOIN survey_response r ON ${tenantIs("r", tenant)} AND r.device_key = v.key
          UNION ALL
          SELECT t.workspace_id, t.environment, v.id, d.campaign_key, t.content_key, t.answers,
            t.answered_at, t.answered_at
          FROM own v
          JOIN test_response t ON ${tenantIs("t", tenant)} AND t.device_key = v.key
          LEFT JOIN delivery d ON ${sameTenant("d", "t")} AND d.source_id = t.source_id
            AND d.device_key = t.device_key
        )
        SELECT r.id AS device_id, COALESCE(k.id, g.id) AS campaign_id, c.notification_id,
          ${utc("r.first_answered_at")} AS first_answered_at, ${utc("r.answered_at")} AS answered_at, (
            SELECT jsonb_agg(jsonb_build_object('question_id', a.answer -> 'question_id',
              'question_text', q.question ->> 'question_text', 'value', a.answer -> 'value', 'choices', (
                SELECT jsonb_agg(h ->> 'text') FROM jsonb_array_elements(q.question -> 'choices') AS h
                WHERE a.answer -> 'value' @> (h -> 'id'))) ORDER BY a.ord)
            FROM jsonb_array_elements(r.answers) WITH ORDINALITY AS a (answer, ord)
            LEFT JOIN LATERAL (
              SELECT each AS question FROM jsonb_array_elements(c.questions) AS each
              WHERE each ->> 'id' = a.answer ->> 'question_id') AS q ON true) AS answers
        FROM answered r
        JOIN content c ON ${sameTenant("c", "r")} AND c.key = r.content_key
        LEFT JOIN campaign k ON ${sameTenant("k", "r")} AND k.key = r.campaign_key
        LEFT JOIN deleted_campaign g ON ${sameTenant("g", "r")} AND g.key = r.campaign_key
        ORDER BY r.id, r.first_answered_at, r.campaign_key, c.notification_id`),
  };
}) {}
