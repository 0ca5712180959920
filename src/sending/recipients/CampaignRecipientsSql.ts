import { Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { rowCursor } from "../../database/RowCursor.ts";
import { arrayOf, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues, firstRow } from "../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import { hasPartSql } from "../../database/TextPart.ts";
import { isOnNodes } from "../../database/WorkspaceGroups.ts";
import { obstacles } from "../../devices/Obstacle.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { DeliveryKey } from "../deliveries/MessageId.ts";
import type { CampaignRecipient, RecipientOutcome } from "./RecipientsApi.ts";

/** A campaign whose recipients are listed. */
export interface SentCampaign {
  readonly id: string;
  readonly key: number;
}

/** Which recipients a list has. */
export interface RecipientSelection {
  /** Undefined for all. */
  readonly outcome: RecipientOutcome | undefined;
  /** A pattern of `searchPattern` for the installation id or the user id; null for all. */
  readonly search: string | null;
}

/** A recipient without the id of its delivery, which is made from the key. */
export interface RecipientRow extends Omit<CampaignRecipient, "delivery_id">, DeliveryKey {}

/**
 * The statements on the recipients of a campaign. `schema/0026_recipients.sql` has their indexes, and
 * `schema/0034_event_deliveries.sql` that of custom events. Bound: a page of 101, 1,000 devices of a
 * search, or batches of 250 of a cursor.
 */
export class CampaignRecipientsSql extends SqlService<CampaignRecipientsSql>(
  "waypost/sending/CampaignRecipientsSql",
)((sql) => {
  /** Conditions of deliveries without a send, each with an index of its own. */
  const withoutSend = [
    sql`(d.location_key IS NOT NULL OR d.test)`,
    sql`d.trigger_type = 'on_event' AND NOT d.test`,
  ];
  const answeredAt = (tenant: Tenant) => sql`CASE WHEN d.test THEN (
      SELECT t.answered_at FROM test_response t
      WHERE ${tenantIs("t", tenant)} AND t.source_id = d.source_id AND t.device_key = d.device_key)
    ELSE (
      SELECT r.answered_at FROM survey_response r
      WHERE ${tenantIs("r", tenant)} AND r.notification_key = d.notification_key
        AND r.campaign_key = d.campaign_key AND r.device_key = d.device_key
        AND r.answered_at >= d.created_at) END`;

  /** Condition: an id of the device `v`, which is not erased, has a part. */
  const hasPart = (pattern: string) => sql`v.erased_at IS NULL
    AND (${hasPartSql(sql, "v.installation_id", pattern)} OR ${hasPartSql(sql, "v.user_id", pattern)})`;

  const conditionsOf = (tenant: Tenant): Readonly<Record<RecipientOutcome, Statement.Fragment>> => ({
    delivered: sql`d.status = 'delivered'`,
    opened: sql`d.opened_at IS NOT NULL`,
    clicked: sql`d.clicked_at IS NOT NULL`,
    answered: sql`d.status = 'delivered' AND ${answeredAt(tenant)} IS NOT NULL`,
    held: sql`d.status = 'held'`,
    failed: sql`d.status = 'failed'`,
    queued: sql`d.status IN ('queued', 'handed_over')`,
  });

  const recipients = (
    tenant: Tenant,
    campaign: SentCampaign,
    { outcome, search }: RecipientSelection,
    devices: ReadonlyArray<DeviceKey> | null,
    before: DeliveryKey | null,
    limit: number | null,
    isDistributed: boolean,
  ) => {
    const conditions = conditionsOf(tenant);
    const isBehind =
      before === null
        ? sql`true`
        : sql`(d.source_id, d.device_key) < (${before.sourceId}::bigint, ${before.deviceKey}::int)`;
    const isFound =
      search === null
        ? sql`true`
        : // A subselect in a comparison stays one: as a join, it would read all devices first.
          sql`(SELECT ${hasPart(search)} FROM device v
            WHERE ${tenantIs("v", tenant)} AND v.key = d.device_key) IS TRUE`;
    const isAnswered = outcome === "answered" ? conditions.answered : sql`true`;
    const rest = sql`AND ${isBehind} AND ${isFound} AND ${isAnswered}
      ORDER BY d.source_id DESC, d.device_key DESC LIMIT ${limit}`;

    /** Deliveries of the campaign by a condition that an index has in their order. */
    const indexed = (condition: Statement.Fragment) => sql`(
      SELECT d.* FROM delivery d
      WHERE ${tenantIs("d", tenant)} AND d.campaign_key = ${campaign.key} AND ${condition} ${rest})`;
    const ofEvents = (status: string) =>
      withoutSend.map((condition) => indexed(sql`d.status = ${sql.literal(`'${status}'`)} AND ${condition}`));
    /**
     * Deliveries of the campaign's sends by a condition, from a table that has them by source and device: a
     * page of each send. Several nodes take no limit for each row of a plain table, and get a list of sends.
     */
    const ofSends = (
      from: Statement.Fragment,
      source: Statement.Fragment,
      condition: Statement.Fragment,
      isSend = sql`true`,
    ) => {
      const sends = sql`SELECT s.source_id FROM send s
        WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaign.id} AND ${isSend}`;
      const some = (isOfSend: Statement.Fragment) => sql`
        SELECT d.* FROM ${from} WHERE ${tenantIs("d", tenant)} AND ${isOfSend} AND ${condition} ${rest}`;
      return isDistributed
        ? sql`(${some(sql`${source} IN (${sends})`)})`
        : sql`(
            SELECT d.* FROM (${sends}) AS s
            CROSS JOIN LATERAL (${some(sql`${source} = s.source_id`)}) AS d)`;
    };

    const delivered = [
      ...ofEvents("delivered"),
      ofSends(sql`delivery d`, sql`d.source_id`, conditions.delivered, sql`s.delivered > 0`),
    ];
    const queued = [
      ...ofEvents("queued"),
      ...ofEvents("handed_over"),
      ofSends(
        sql`push_queue q JOIN delivery d ON ${sameTenant("d", "q")}
          AND d.source_id = q.source_id AND d.device_key = q.device_key`,
        sql`q.source_id`,
        sql`${tenantIs("q", tenant)} AND ${conditions.queued}`,
      ),
    ];
    const [held, failed] = [indexed(conditions.held), indexed(conditions.failed)];
    const all = [...delivered, ...queued, held, failed];
    const parts = {
      delivered,
      opened: [indexed(conditions.opened)],
      clicked: [indexed(conditions.clicked)],
      answered: delivered,
      held: [held],
      failed: [failed],
      queued,
    };
    const ofDevices = (keys: ReadonlyArray<DeviceKey>) =>
      indexed(sql`d.device_key = ANY (${arrayOf("int4", keys)})
        AND ${outcome === undefined ? sql`true` : conditions[outcome]}`);
    const chosen = devices === null ? (outcome === undefined ? all : parts[outcome]) : [ofDevices(devices)];
    return sql`
      SELECT d.source_id AS "sourceId", d.device_key AS "deviceKey",
        CASE WHEN v.erased_at IS NULL THEN v.id END AS device_id,
        CASE WHEN v.erased_at IS NULL THEN v.installation_id END AS installation_id, v.user_id,
        c.notification_id, d.status, CASE d.status WHEN 'held' THEN ${obstacles.quiet_hours}
          WHEN 'delivered' THEN NULL ELSE d.last_error END AS reason,
        ${utc("COALESCE(d.settled_at, d.created_at)")} AS at, ${utc("d.opened_at")} AS opened_at,
        ${utc("d.clicked_at")} AS clicked_at, ${utc("d.answered_at")} AS answered_at, d.test
      FROM (
        SELECT d.*, ${answeredAt(tenant)} AS answered_at FROM (
          SELECT * FROM (${sql.join(" UNION ALL ", false)(chosen)}) AS d
          ORDER BY d.source_id DESC, d.device_key DESC LIMIT ${limit}
        ) AS d
      ) AS d
      JOIN content c ON ${sameTenant("c", "d")} AND c.key = d.content_key
      JOIN device v ON ${tenantIs("v", tenant)} AND v.key = d.device_key
      ORDER BY d.source_id DESC, d.device_key DESC`;
  };

  return {
    campaign: (tenant: Tenant, id: string) =>
      firstRow(sql<SentCampaign>`
        SELECT c.id, c.key FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${id}`),

    /** Devices with a part in an id, up to so many. */
    searched: (tenant: Tenant, pattern: string, limit: number) =>
      columnValues(sql<{ readonly key: DeviceKey }>`
        SELECT v.key FROM device v WHERE ${tenantIs("v", tenant)} AND ${hasPart(pattern)} LIMIT ${limit}`),

    /** Devices that answered a survey of the campaign, up to so many. */
    answered: (tenant: Tenant, { key }: SentCampaign, limit: number) =>
      columnValues(sql<{ readonly key: DeviceKey }>`
        (SELECT r.device_key AS key FROM survey_response r
          WHERE ${tenantIs("r", tenant)} AND r.campaign_key = ${key} LIMIT ${limit})
        UNION
        (SELECT t.device_key AS key FROM test_response t
          JOIN delivery d ON ${sameTenant("d", "t")} AND d.source_id = t.source_id
            AND d.device_key = t.device_key
          WHERE ${tenantIs("t", tenant)} AND d.campaign_key = ${key} LIMIT ${limit})
        LIMIT ${limit}`),

    /** A page, after the delivery `before`. `devices` is null for those of any. */
    page: (
      tenant: Tenant,
      campaign: SentCampaign,
      selection: RecipientSelection,
      devices: ReadonlyArray<DeviceKey> | null,
      before: DeliveryKey | null,
      limit: number,
    ) =>
      Effect.flatMap(isOnNodes(sql), (isDistributed) =>
        Effect.orDie(sql<RecipientRow>`/* page of recipients */
          ${recipients(tenant, campaign, selection, devices, before, limit, isDistributed)}`),
      ),

    /** All of them, in the order of the pages; in batches. */
    all: (
      tenant: Tenant,
      campaign: SentCampaign,
      selection: RecipientSelection,
      devices: ReadonlyArray<DeviceKey> | null,
    ) =>
      Effect.flatMap(isOnNodes(sql), (isDistributed) =>
        rowCursor<RecipientRow>(recipients(tenant, campaign, selection, devices, null, null, isDistributed)),
      ).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
  };
}) {}
