import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantColumns } from "../../database/TenantColumns.ts";
import { workspaceStatements } from "../../database/WorkspaceGroups.ts";
import { addedDeliveryDeltasSql } from "../../deltas/DeltasSql.ts";
import { variantCountsSql } from "../../deltas/ExperimentCountsSql.ts";
import type { Transport } from "../../devices/PushAddress.ts";
import { recordedDeliveriesOfSql } from "../../outbox/RecordedEventsSql.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { armRulesSql, armSql, enrolledFirstSql, enrolledSql, type SendArms } from "../arms/ArmsSql.ts";
import type { EnrolledUnits } from "../arms/EnrolmentMetrics.ts";
import { type BatchParts, batchParts } from "./batches/BatchDevicesSql.ts";
import { sourceColumns, type TakenBatch } from "./batches/BatchLeasesSql.ts";
import type { FirstStatus, InitialStatus } from "../deliveries/Delivery.ts";
import { usedCapSql } from "../deliveries/ReceiverSql.ts";
import type { StartedSend } from "./Send.ts";
import type { QuietZone } from "./holding/SendQuietHours.ts";
import { keptFactsSql, type SendFacts } from "../rendering/KeptFactsSql.ts";

/**
 * How the deliveries of an environment begin: by transport, and of messages for the inbox that a worker has
 * to render first (`rendered`).
 */
export interface TransportStatus extends TenantKey, InitialStatus {
  readonly route: Transport | "rendered";
}

/** How many deliveries of a send were created with a transport and a status, or dropped. */
export interface CreatedDeliveries extends StartedSend {
  readonly transport: Transport;
  readonly status: FirstStatus;
  readonly count: number;
}

interface EnrolledRow {
  readonly status: "enrolled";
  readonly transport: keyof EnrolledUnits;
  readonly count: number;
}

const isEnrolled = (row: CreatedDeliveries | EnrolledRow): row is EnrolledRow => row.status === "enrolled";

/** The deliveries that batches made, and how many units they enrolled. */
const outcomesOf = (rows: ReadonlyArray<CreatedDeliveries | EnrolledRow>) => {
  const unitsOf = (arm: keyof EnrolledUnits) =>
    rows.reduce((sum, row) => sum + (isEnrolled(row) && row.transport === arm ? row.count : 0), 0);
  const created = rows.filter((row): row is CreatedDeliveries => !isEnrolled(row));
  return { created, enrolled: { holdout: unitsOf("holdout"), all: unitsOf("all") } };
};

const isSettled = ({ status }: TransportStatus): boolean => status === "delivered" || status === "failed";

const isSameTenant = (one: TenantKey, other: TenantKey): boolean =>
  one.workspaceId === other.workspaceId && one.environment === other.environment;

/** Statements that create the deliveries of batches. Bound: 10,000 devices of batches together. */
export class SendDeliveriesSql extends SqlService<SendDeliveriesSql>("waypost/sending/SendDeliveriesSql")(
  (sql) => {
    const { byWorkspace } = workspaceStatements(sql);
    const isWithinCap = sql`(due.cap_count IS NULL OR ${usedCapSql(sql, "due")} < due.cap_count)`;

    /** The variable parts of `deliver` while no device is in quiet hours. */
    const plain = {
      zone: sql``,
      allowed: sql``,
      rows: sql`due`,
      condition: isWithinCap,
      isKept: sql`true`,
      status: sql`g.status, g.last_error, NULL::timestamptz, g.settled_at`,
    };
    /** The same parts while some are: the rows within their caps, with the effect of quiet hours. */
    const during = (quiet: ReadonlyArray<QuietZone>, isOfSend: Statement.Fragment): typeof plain => ({
      zone: sql`, COALESCE(d.timezone, s.quiet_hours ->> 'timezone') AS zone`,
      allowed: sql`allowed AS (
        SELECT due.*, q.action, q.until FROM due
        LEFT JOIN ${unnested("q", quiet, {
          ...sourceColumns,
          zone: ["text", ({ timezone }) => timezone],
          action: ["text", ({ action }) => action],
          until: ["timestamptz", ({ until }) => until],
        })} ON ${isOfSend} q.zone = due.zone
        WHERE ${isWithinCap}
      ), `,
      rows: sql`allowed AS due`,
      condition: sql`true`,
      isKept: sql`due.action IS DISTINCT FROM 'drop'`,
      status: sql`CASE WHEN due.action IS NULL THEN g.status ELSE 'held' END,
        CASE WHEN due.action IS NULL THEN g.last_error END, due.until,
        CASE WHEN due.action IS NULL THEN g.settled_at END`,
    });

    /** The parts for sends without an experiment: all of `rows` get the message. */
    const noArms = ({ condition, rows }: typeof plain) => ({
      unit: sql``,
      assigned: sql``,
      rows,
      condition,
      columns: sql``,
      values: sql``,
      arm: sql``,
      counted: sql``,
      enrolled: sql``,
    });
    /** The same parts if some have one: the arms of `rows`, and the enrolment of those that are kept. */
    const withArms = (
      arms: ReadonlyArray<SendArms>,
      { isOfSend, ownUser }: BatchParts,
      { condition, isKept, rows }: typeof plain,
      now: number,
    ): ReturnType<typeof noArms> => ({
      unit: sql`, CASE WHEN ${ownUser} IS NULL THEN 'device:' || d.id ELSE 'user:' || d.user_id END AS unit,
        COALESCE(-${ownUser}, d.key) AS unit_key`,
      assigned: sql`${armRulesSql(sql, arms)}, assigned AS MATERIALIZED (
        SELECT due.*, ${armSql(sql)} FROM ${rows} LEFT JOIN arm_rule q ON ${isOfSend} true WHERE ${condition}
      ), ${(arms.every(({ isFirst }) => isFirst) ? enrolledFirstSql : enrolledSql)(
        sql,
        sql`SELECT due.*, ${instant(now)} AS now, 1 AS rank FROM assigned AS due
          WHERE due.enrols AND ${isKept}`,
      )}, `,
      rows: sql`assigned AS due`,
      condition: sql`NOT due.held_out`,
      columns: sql`, variant, winner, enrolled`,
      values: sql`, due.variant, due.winner, COALESCE(due.enrols, false)`,
      arm: sql`, variant, enrolled`,
      counted: sql`, ${variantCountsSql(
        sql,
        "variant_deliveries",
        sql`SELECT *, 'fixed_time' AS trigger_type, ${instant(now)} AS at, count AS delivered, 0 AS opened,
            0 AS clicked
          FROM added WHERE status = 'delivered'`,
      )}`,
      enrolled: sql`UNION ALL
        SELECT 0, '', 0::bigint, CASE WHEN notification_key = 0 THEN arm ELSE 'all' END, 'enrolled',
          sum(count)::int
        FROM enrolled_sum WHERE is_first GROUP BY 4`,
    });

    return {
      /** The time zones of the devices of batches, and maybe more; null for devices without one. */
      zones: (taken: ReadonlyArray<TakenBatch>) =>
        Effect.map(
          byWorkspace(taken)((own) => {
            const { batches, zones } = batchParts(sql, own);
            // Several nodes cannot plan the devices of batches outside of a common table expression.
            return sql<{ readonly timezone: TimeZoneName | null }>`
              WITH ${batches}, zone AS (SELECT DISTINCT d.timezone ${zones}) SELECT timezone FROM zone`;
          }),
          (rows) => [...new Set(rows.map(({ timezone }) => timezone))],
        ),

      /**
       * Creates the deliveries of batches, except for devices at their cap or held out, and enrols their
       * units. `quiet`: the zones in which quiet hours hold or drop messages now. `facts`: what the texts of
       * sends read, of those with a pace only for what is held. `arms`: of sends with an experiment.
       */
      deliver: (
        taken: ReadonlyArray<TakenBatch>,
        statuses: ReadonlyArray<TransportStatus>,
        quiet: ReadonlyArray<QuietZone>,
        facts: ReadonlyArray<SendFacts>,
        arms: ReadonlyArray<SendArms>,
        now: number,
      ) =>
        Effect.map(
          byWorkspace(taken)((own) => {
            const sends = new Set(own.map(({ sourceId }) => sourceId));
            const kept = keptFactsSql(
              sql,
              facts.filter(({ sourceId }) => sends.has(sourceId)),
            );
            const ownArms = arms.filter(({ sourceId }) => sends.has(sourceId));
            const hasArms = ownArms.length > 0;
            const parts = batchParts(sql, own, hasArms ? sql`${kept.device}, d.id, d.user_id` : kept.device);
            const { batches, created, devices, isOfTenant, order, user } = parts;
            const ownQuiet = quiet.filter(({ sourceId }) => sends.has(sourceId));
            const pacedIds = own.filter(({ paced }) => paced).map(({ sourceId }) => sourceId);
            const isPaced = (alias: string) =>
              sql`${sql(`${alias}.source_id`)} = ANY (${arrayOf("int8", pacedIds)})`;
            const waits = pacedIds.length > 0;
            const ownStatuses = statuses.filter((each) => own.some((batch) => isSameTenant(batch, each)));
            const isQuiet = ownQuiet.length > 0;
            const base = isQuiet ? during(ownQuiet, parts.isOfSend) : plain;
            const { allowed, isKept, status, zone } = base;
            const held = sql`CASE WHEN due.until IS NOT NULL OR NOT ${isPaced("due")} THEN due.recipient END`;
            const recipient = isQuiet && waits ? held : sql`due.recipient`;
            const armParts = hasArms ? withArms(ownArms, parts, base, now) : noArms(base);
            const { arm, assigned, columns, condition, counted, enrolled, rows, unit, values } = armParts;
            return sql<CreatedDeliveries | EnrolledRow>`
          WITH ${batches}, due AS (
            SELECT s.workspace_id, s.environment, s.source_id, d.key AS device_key, d.transport,
              s.campaign_key, s.notification_key, s.content_key, s.content_type, s.open_cap AS cap_count,
              s.cap_since, ${user} AS user_key,
              CASE s.cap_by WHEN 'user' THEN ${user} END AS shared_by,
                CASE WHEN (s.templated ${waits ? sql`OR ${isPaced("s")}` : sql``}) AND d.transport = 'inbox'
                  THEN 'rendered' ELSE d.transport END AS route,
                ${kept.recipient} AS recipient ${zone} ${unit}
              ${devices} ${kept.join}
          ), ${allowed} ${assigned} created AS (
            INSERT INTO delivery (workspace_id, environment, source_id, device_key, user_key,
              campaign_key, notification_key, content_key, content_type, trigger_type, location_key,
                transport, created_at, recipient, status, last_error, held_until, settled_at ${columns})
            SELECT due.workspace_id, due.environment, due.source_id, due.device_key, due.user_key,
              due.campaign_key, due.notification_key, due.content_key, due.content_type, 'fixed_time',
                NULL, due.transport, ${instant(now)}, ${recipient}, ${status} ${values}
            FROM ${rows}
            LEFT JOIN ${unnested("g", ownStatuses, {
              ...tenantColumns,
              route: ["text", ({ route }) => route],
              status: ["text", (each) => each.status],
              last_error: ["text", ({ lastError }) => lastError],
              settled_at: ["timestamptz", (each) => (isSettled(each) ? now : null)],
            })} ON ${isOfTenant} g.route = due.route
            WHERE ${condition} AND ${isKept} ${order}
            RETURNING workspace_id, environment, source_id, device_key, transport, status ${created} ${arm}
          ), added AS MATERIALIZED (
            ${parts.added(arm)}
          ), ${addedDeliveryDeltasSql(
            sql,
            sql`SELECT *, 'fixed_time' AS trigger_type FROM added WHERE status IN ('delivered', 'failed')`,
            now,
          )} ${counted}, queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport,
              due_at ${waits ? sql`, permit` : sql``})
            SELECT workspace_id, environment, source_id, device_key, transport, ${
              waits
                ? sql`CASE WHEN ${isPaced("c")} THEN 'infinity' ELSE ${instant(now)} END,
                    CASE WHEN ${isPaced("c")} THEN 1 ELSE 0 END`
                : instant(now)
            }
            FROM created c WHERE status = 'queued'
          ), ${recordedDeliveriesOfSql(sql, "created", now)}
          SELECT workspace_id AS "workspaceId", environment, source_id AS "sourceId", transport, status,
            count
          FROM added
          ${
            ownQuiet.some(({ action }) => action === "drop")
              ? sql`UNION ALL
                  SELECT workspace_id, environment, source_id, transport, 'dropped', count(*)::int
                  FROM ${rows} WHERE ${condition} AND NOT (${isKept}) GROUP BY 1, 2, 3, 4`
              : sql``
          } ${enrolled}`;
          }),
          outcomesOf,
        ),
    };
  },
) {}
