import { epochMillis, instant, moment } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { anyRow, firstRow } from "../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { DeliveryStatus } from "../deliveries/Delivery.ts";
import { type ExplainedCampaign, isTargetSql } from "./ExplanationsSql.ts";

/** The last report of a device about the locations of a campaign; one that it is inside of goes first. */
export interface PastVisit {
  readonly type: "enter" | "exit";
  readonly locationKey: number;
  readonly receivedAt: number;
  /** When the next report at the location came; null for none. */
  readonly nextAt: number | null;
}

/** An occasion for a message: what was made for it came at `from` or later, and before `until`. */
export interface Occasion {
  readonly from: number;
  readonly until: number;
  readonly locationKey: number | null;
}

/** A message that a device was sent. Instants are epoch milliseconds. */
export interface PastDelivery {
  readonly status: DeliveryStatus;
  readonly error: string | null;
  readonly createdAt: number;
  readonly heldUntil: number | null;
}

/** The statements that explain the past of a device. Test sends do not count. */
export class PastExplanationsSql extends SqlService<PastExplanationsSql>(
  "waypost/sending/PastExplanationsSql",
)((sql) => ({
  // Bound: 1 row; reads the events of the device, which retention limits.
  /** The last report until an instant at one of the locations that the campaign has now. */
  visit: (tenant: Tenant, deviceKey: DeviceKey, { id }: ExplainedCampaign, at: number) =>
    firstRow(sql<PastVisit>`
        WITH seen AS MATERIALIZED (
          SELECT DISTINCT ON (e.location_key) e.* FROM geofence_event e
          WHERE ${tenantIs("e", tenant)} AND e.device_key = ${deviceKey} AND e.occurred_at <= ${instant(at)}
          ORDER BY e.location_key, e.occurred_at DESC, e.received_at DESC, e.type DESC
        ), last AS MATERIALIZED (
          SELECT e.* FROM seen e
          JOIN location l ON ${sameTenant("l", "e")} AND l.key = e.location_key
          WHERE ${isTargetSql(sql, sql`${id}`)}
          ORDER BY e.type = 'enter' DESC, e.occurred_at DESC LIMIT 1
        )
        SELECT e.type, e.location_key AS "locationKey", ${epochMillis("e.received_at")} AS "receivedAt", (
            SELECT ${epochMillis("min(f.received_at)")} FROM geofence_event f
            WHERE ${tenantIs("f", tenant)} AND f.device_key = ${deviceKey}
              AND f.location_key = e.location_key AND f.occurred_at > e.occurred_at) AS "nextAt"
        FROM last e`),

  /** The message of an occasion: the last one until an instant, else the first one after it. */
  delivery: (
    tenant: Tenant,
    deviceKey: DeviceKey,
    { key }: ExplainedCampaign,
    { from, locationKey, until }: Occasion,
    at: number,
  ) =>
    firstRow(sql<PastDelivery>`
        SELECT d.status, d.last_error AS error, ${epochMillis("d.created_at")} AS "createdAt",
          ${epochMillis("d.held_until")} AS "heldUntil"
        FROM delivery d
        WHERE ${tenantIs("d", tenant)} AND d.device_key = ${deviceKey} AND d.campaign_key = ${key}
          AND d.created_at >= ${moment(sql, from)} AND d.created_at < ${moment(sql, until)} AND NOT d.test
          AND (${locationKey}::int IS NULL OR d.location_key = ${locationKey})
        ORDER BY abs(extract(epoch FROM d.created_at - ${instant(at)})
          + CASE WHEN d.created_at > ${instant(at)} THEN 1e9 ELSE 0 END) LIMIT 1`),

  /** Whether the unit of the device was enrolled as held out until an instant. */
  isHeldOut: (tenant: Tenant, deviceKey: DeviceKey, { key }: ExplainedCampaign, at: number) =>
    anyRow(sql`
        SELECT FROM device v
        JOIN enrolment e ON ${sameTenant("e", "v")} AND e.campaign_key = ${key}
          AND e.unit_key = COALESCE(-v.user_key, v.key) AND e.notification_key = 0
        WHERE ${tenantIs("v", tenant)} AND v.key = ${deviceKey} AND ${tenantIs("e", tenant)}
          AND e.arm = 'holdout' AND e.enrolled_at <= ${instant(at)}`),
})) {}
