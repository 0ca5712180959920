import { Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { rowCursor } from "../../database/RowCursor.ts";
import { csvFormula } from "../../http/csv/Csv.ts";
import { utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { inTenant, sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { DeliveryKey } from "./MessageId.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { DeliveryResource } from "./DeliveryResource.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** Filters of deliveries; undefined for all. Ids are UUIDs. */
export interface DeliveryFilters {
  readonly campaign?: string | undefined;
  readonly notification?: string | undefined;
  readonly device?: string | undefined;
  readonly status?: DeliveryResource["status"] | undefined;
}

/** A delivery without its id, which is made from `sourceId` and `device_key`. */
export interface DeliveryRow extends Omit<DeliveryResource, "id"> {
  readonly sourceId: bigint;
  readonly device_key: DeviceKey;
}

/** A line of the CSV file without its id, which is made from the key. */
export interface DeliveryLine extends DeliveryKey {
  readonly line: string;
}

/** The statement on single deliveries. Bound: a page of 101, or a cursor's 250. */
export class DeliveryListSql extends SqlService<DeliveryListSql>("waypost/sending/DeliveryListSql")((sql) => {
  /** The deliveries that the filters select, in descending order of the primary key. */
  const deliveries = (
    columns: Statement.Fragment,
    tenant: Tenant,
    filters: DeliveryFilters,
    isBehind: Statement.Fragment,
  ) => {
    const { campaign = null, device = null, notification = null, status = null } = filters;
    const own = inTenant(tenant);
    return sql`
        SELECT ${columns}
        FROM delivery d
        JOIN content c ON ${sameTenant("c", "d")} AND c.key = d.content_key
        JOIN device v ON ${sameTenant("v", "d")} AND v.key = d.device_key
        LEFT JOIN campaign k ON ${sameTenant("k", "d")} AND k.key = d.campaign_key
        LEFT JOIN deleted_campaign g ON ${sameTenant("g", "d")} AND g.key = d.campaign_key
        LEFT JOIN send s ON ${sameTenant("s", "d")} AND s.source_id = d.source_id
        LEFT JOIN location l ON ${sameTenant("l", "d")} AND l.key = d.location_key
        LEFT JOIN deleted_location f ON ${sameTenant("f", "d")} AND f.key = d.location_key
        WHERE ${tenantIs("d", tenant)}
          AND ${isBehind}
          AND (${campaign}::uuid IS NULL OR d.campaign_key = (
            SELECT key FROM campaign WHERE ${own} AND id = ${campaign}
            UNION ALL SELECT key FROM deleted_campaign WHERE ${own} AND id = ${campaign}))
          AND (${notification}::uuid IS NULL OR c.notification_id = ${notification})
          AND (${device}::uuid IS NULL
            OR d.device_key = (SELECT key FROM device WHERE ${own} AND id = ${device}))
          AND (${status}::text IS NULL OR d.status = ${status})
        ORDER BY d.source_id DESC, d.device_key DESC`;
  };

  const shown = sql`d.source_id AS "sourceId", d.device_key, COALESCE(s.parent_id, s.id) AS send_id,
    COALESCE(k.id, g.id) AS campaign_id, c.notification_id, v.id AS device_id, d.trigger_type,
    COALESCE(l.id, f.id) AS location_id, d.transport, d.status, d.attempts::int AS attempts, d.last_error,
    COALESCE(d.cut, '[]') AS cut, d.test, ${utc("d.created_at")} AS created_at,
    ${utc("d.held_until")} AS held_until,
    CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END AS delivered_at, d.variant`;

  // As `csvCell`, always in quotes. No other column can have a character that needs them.
  const { inner, number, start } = csvFormula;
  const errorCell = sql.literal(String.raw`CASE WHEN d.last_error IS NULL THEN '' ELSE '"' || replace(
      CASE WHEN d.last_error ~ '${start.source}' AND d.last_error !~ '${number.source}' THEN '''' ELSE '' END
      || regexp_replace(d.last_error, '${inner.source}', '\1''', 'g'), '"', '""') || '"' END`);
  const line = sql`concat_ws(',', COALESCE(s.parent_id::text, s.id::text, ''), COALESCE(k.id, g.id),
    c.notification_id, v.id, d.trigger_type, COALESCE(COALESCE(l.id, f.id)::text, ''), d.transport,
    d.status, d.attempts, ${errorCell}, CASE WHEN d.cut IS NULL THEN '' ELSE (
      SELECT string_agg(c.field, '; ' ORDER BY c.ord)
      FROM jsonb_array_elements_text(d.cut) WITH ORDINALITY AS c (field, ord)) END,
    d.test::text, ${utc("d.created_at")},
    COALESCE(${utc("d.held_until")}, ''),
    COALESCE(CASE WHEN d.status = 'delivered' THEN ${utc("d.settled_at")} END, ''),
    COALESCE(d.variant, '')) AS line,
    d.source_id AS "sourceId", d.device_key AS "deviceKey"`;

  return {
    /** A page, after the delivery `before`. */
    page: (tenant: Tenant, before: DeliveryKey | null, limit: number, filters: DeliveryFilters) => {
      const isBehind = sql`(${before === null} OR (d.source_id, d.device_key) <
        (${before?.sourceId ?? 0n}::bigint, ${before?.deviceKey ?? 0}::int))`;
      return Effect.orDie(sql<DeliveryRow>`
        /* page of deliveries */ ${deliveries(shown, tenant, filters, isBehind)} LIMIT ${limit}`);
    },

    /**
     * All of them, each as a `line` of CSV, in the order of the pages; in batches. The database makes the
     * lines: of millions of rows, the process would take twice as long.
     */
    lines: (tenant: Tenant, filters: DeliveryFilters) =>
      Effect.provideService(
        rowCursor<DeliveryLine>(deliveries(line, tenant, filters, sql`true`)),
        SqlClient.SqlClient,
        sql,
      ),
  };
}) {}
