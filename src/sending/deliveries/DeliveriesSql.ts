import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../../database/TenantColumns.ts";
import { workspaceStatements, nextOf, ofBatch, table } from "../../database/WorkspaceGroups.ts";
import { deliveryDeltasSql, plainDeliveryDeltasSql } from "../../deltas/DeltasSql.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { EnrolledUnits } from "../arms/EnrolmentMetrics.ts";
import { enrolledCountSql, enrolledSql } from "../arms/ArmsSql.ts";
import type { DueDelivery, InitialStatus } from "./Delivery.ts";
import { permit } from "../pacing/Pace.ts";
import { isCoolingSql, usedCapSql } from "./ReceiverSql.ts";

/** A delivery that the caps and cooldowns allow (`ord`, from 1); each row has all that are enrolled. */
interface AllowedDelivery extends EnrolledUnits {
  readonly ord: number;
  readonly sourceId: bigint;
}

/** Statements that create deliveries triggered by events. Bound: those of 1 transaction. */
export class DeliveriesSql extends SqlService<DeliveriesSql>("waypost/sending/DeliveriesSql")((sql) => {
  const { onShard } = workspaceStatements(sql);

  /** The allowed deliveries that are settled at once, with more columns. */
  const settled = (columns: Statement.Fragment) =>
    sql`SELECT *, now AS settled_at ${columns} FROM allowed WHERE status IN ('delivered', 'failed')`;

  /** The parts of `insertWithinCaps` for deliveries of which some belong to experiments, and for others. */
  const noArms = {
    columns: sql``,
    values: sql``,
    deltas: plainDeliveryDeltasSql(sql, settled(sql``)),
    enrolled: sql``,
    found: sql``,
  };
  const arms: typeof noArms = {
    columns: sql`, variant, winner, enrolled`,
    values: sql`, variant, winner, unit_key IS NOT NULL`,
    deltas: deliveryDeltasSql(sql, settled(sql`, unit_key IS NOT NULL AS enrolled`)),
    enrolled: sql`, ${enrolledSql(
      sql,
      sql`SELECT *, row_number() OVER (PARTITION BY campaign_key, unit_key ORDER BY ord) AS rank
        FROM allowed WHERE status <> 'dropped' AND unit_key IS NOT NULL`,
    )}`,
    found: sql`, ${enrolledCountSql(sql)}`,
  };

  return {
    /** Locks people until the transaction ends, always in the same order. */
    lockUsers: (people: ReadonlyArray<TenantKey & { readonly userKey: number }>) =>
      Effect.orDie(sql`
        SELECT FROM device_user u
        JOIN ${unnested("p", people, {
          ...tenantColumns,
          key: ["int4", ({ userKey }) => userKey],
        })} ON ${sameTenant("u", "p")} AND u.key = p.key
        ORDER BY u.key FOR NO KEY UPDATE OF u`),

    /**
     * Inserts the deliveries that the caps and cooldowns allow and queues their pushes. A delivery counts
     * against the caps of those after it; no two may have the same cooldown. Enrols the units of
     * experiments. Returns the position (`ord`, from 1) and source id of each inserted one, and of those that
     * quiet hours drop or whose units are held out.
     */
    insertWithinCaps: (all: ReadonlyArray<DueDelivery & InitialStatus>) =>
      Effect.map(
        onShard(all)((due) => {
          const isExperiment = due.some(({ arm }) => arm !== null);
          const { columns, deltas, enrolled, found, values } = isExperiment ? arms : noArms;
          return sql<AllowedDelivery>`
        WITH due AS (
          SELECT * FROM ${ofBatch(
            unnested("d", due, {
              ...tenantColumns,
              device_key: ["int4", (d) => d.deviceKey],
              user_key: ["int4", (d) => d.userKey],
              shared_by: ["int4", (d) => d.sharedBy],
              transport: ["text", (d) => d.transport],
              campaign_key: ["int4", (d) => d.campaignKey],
              notification_key: ["int4", (d) => d.notificationKey],
              content_key: ["int4", (d) => d.contentKey],
              content_type: ["text", (d) => d.contentType],
              trigger_type: ["text", (d) => d.triggerType],
              location_key: ["int4", (d) => d.locationKey],
              now: ["timestamptz", (d) => d.now],
              cap_count: ["int4", (d) => d.cap?.count ?? null],
              cap_since: ["timestamptz", (d) => d.cap?.since ?? null],
              cooldown_since: ["timestamptz", (d) => d.cooldownSince],
              status: ["text", (d) => d.status],
              held_until: ["timestamptz", (d) => d.quiet?.until ?? null],
              last_error: ["text", (d) => d.lastError],
              recipient: ["jsonb", (d) => d.recipient],
              permit: ["int4", (d) => (d.isPaced ? permit.held : permit.none)],
              ...(isExperiment && {
                unit_key: ["int4", (d) => (d.arm?.enrols === true ? d.arm.unitKey : null)],
                goal: ["text", (d) => d.arm?.goal ?? null],
                goal_hours: ["int4", (d) => d.arm?.goalHours ?? null],
                held_out: ["bool", (d) => d.arm?.isHeldOut ?? false],
                variant: ["text", (d) => d.arm?.variant ?? null],
                winner: ["text", (d) => d.arm?.winner ?? null],
              }),
            }),
          )}
        ), ranked AS MATERIALIZED (
          SELECT due.*,
            count(*) FILTER (WHERE status NOT IN ('failed', 'dropped', 'held_out')) OVER (
              PARTITION BY workspace_id, environment, shared_by,
                CASE WHEN shared_by IS NULL THEN device_key END, campaign_key, cap_since
              ORDER BY ord ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS before_it,
            ${usedCapSql(sql, "due")} AS counted
          FROM due WHERE NOT ${isCoolingSql(sql, "due")}
        ), allowed AS MATERIALIZED (
          SELECT ${nextOf("delivery_source_id", "ordered.ord")} AS source_id, ordered.*
          FROM (
            SELECT * FROM ranked WHERE cap_count IS NULL OR counted + before_it < cap_count ORDER BY ord
          ) AS ordered
        ), created AS (
          INSERT INTO ${table.delivery} (workspace_id, environment, source_id, device_key, user_key,
            campaign_key,
            notification_key, content_key, content_type, trigger_type, location_key, transport, status,
              last_error, created_at, held_until, recipient, settled_at ${columns})
          SELECT workspace_id, environment, source_id, device_key, user_key, campaign_key,
            notification_key, content_key, content_type, trigger_type, location_key, transport, status,
              last_error, now, held_until, recipient,
              CASE WHEN status IN ('delivered', 'failed') THEN now END ${values}
          FROM allowed WHERE status NOT IN ('dropped', 'held_out')
        ), queued AS (
          INSERT INTO ${table.push_queue} (workspace_id, environment, source_id, device_key, transport,
            due_at, permit)
          SELECT workspace_id, environment, source_id, device_key, transport, now, permit
          FROM allowed WHERE status = 'queued'
        ), ${deltas} ${enrolled}
        SELECT ord::int AS ord, source_id AS "sourceId" ${found} FROM allowed`;
        }),
        // On a shard a bigint is a number.
        (rows) => rows.map((row) => ({ ...row, sourceId: BigInt(row.sourceId as bigint | number) })),
      ),
  };
}) {}
