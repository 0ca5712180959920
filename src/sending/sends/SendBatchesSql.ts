import { Effect } from "effect";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { audienceSql } from "../../devices/SegmentRuleSql.ts";
import { sameTenant, tenantIs, tenantIsIn } from "../../database/TenantColumns.ts";
import { recordedSendsSql } from "../../outbox/RecordedEventsSql.ts";
import type { Environment } from "../../workspaces/Environment.ts";
import { isTargetSql } from "./batches/BatchDevicesSql.ts";
import { batchColumns, isOneOfSends, sourceColumns, type TakenBatch } from "./batches/BatchLeasesSql.ts";
import type { SendAudience, StartedSend } from "./Send.ts";

/** Deliveries that a batch adds to the figures of its send. */
export interface AddedFigures extends StartedSend {
  readonly targeted: number;
  readonly delivered: number;
  readonly failed: number;
  readonly held: number;
  readonly dropped: number;
}

/** A send that is done, with the public id of its workspace. */
export interface FinishedSend {
  readonly environment: Environment;
  readonly workspace: string;
  readonly id: string;
  readonly campaignId: string;
  readonly targeted: number;
  readonly delivered: number;
  readonly failed: number;
}

/** The keys of devices that one array holds while an audience is split, which bounds its memory. */
const maxKeysTogether = 1_000_000;

/** Statements that run started sends. Bound: 500 sends; batches of 10,000 keys, of 1,000,000 at a time. */
export class SendBatchesSql extends SqlService<SendBatchesSql>("waypost/sending/SendBatchesSql")((sql) => {
  const sendIs = (send: StartedSend) => sql`${tenantIs("s", send)} AND s.source_id = ${send.sourceId}`;
  const isOneOf = isOneOfSends(sql);

  /** Whether a device `d` is in zones; those without a zone belong to them if they have the rest. */
  const isIn = ({ hasRest, zones }: { readonly zones: ReadonlyArray<string>; readonly hasRest: boolean }) =>
    sql`(d.timezone = ANY (${arrayOf("text", zones)}) OR (${hasRest}::boolean AND d.timezone IS NULL))`;

  /**
   * Of a part of a send at a local time: the device is in its zones and in no earlier part, or can be in a
   * later one. Batches of one campaign's parts run one part after another, so that the earlier deliveries are
   * there.
   */
  const isInPart = (tenant: StartedSend, { local, perUser }: SendAudience) =>
    local === undefined
      ? sql`true`
      : sql`(${isIn(local)} ${perUser === true && local.later ? sql`OR ${isIn(local.later)}` : sql``})
        AND NOT EXISTS (
          SELECT FROM delivery x
          WHERE ${tenantIs("x", tenant)} AND (x.device_key = d.key ${
            perUser === true ? sql`OR x.user_key = d.user_key` : sql``
          }) AND x.source_id = ANY (${arrayOf("int8", local.earlier.map(BigInt))}))`;

  return {
    /** Allows the statements of this transaction five minutes: a large audience may take that. */
    allowLongStatements: Effect.orDie(sql`SET LOCAL statement_timeout = 300000`),

    /**
     * Finds the devices of an audience and lists them in batches. One device of each person is the one
     * that was seen last, and of several the one with the first id (contract Q1), which may be in a later
     * part; the batches name the people, so that each is in one batch, whatever person a device has
     * meanwhile.
     */
    splitAudience: (taken: TakenBatch, audience: SendAudience, size: number, now: number) => {
      const perUser = audience.perUser === true;
      const chosen = perUser && audience.local !== undefined ? sql`WHERE ${isIn(audience.local)}` : sql``;
      const unit = sql`COALESCE(d.user_key, -d.key)`;
      // Slices of sorted arrays: numbering the devices one by one would take as long as finding them.
      const slice = sql`[f.first : f.first + ${size}::int - 1]`;
      const batch = sql`p.part * ${Math.ceil(maxKeysTogether / size)}::int
        + (f.first - 1) / ${size}::int + 1`;
      return Effect.orDie(sql`
        WITH started AS MATERIALIZED (
          SELECT s.* FROM send s WHERE ${sendIs(taken)}
        ), listed AS MATERIALIZED (
          SELECT ${batch} AS batch, p.devices${slice} AS devices,
            ${perUser ? sql`p.users${slice}` : sql`NULL::int[]`} AS users
          FROM (
            SELECT d.key / ${maxKeysTogether}::int AS part, array_agg(d.key ORDER BY d.key) AS devices
              ${perUser ? sql`, array_agg(d.user_key ORDER BY d.key) AS users` : sql``}
            FROM (
              SELECT ${perUser ? sql`DISTINCT ON (${unit})` : sql``} d.key, d.user_key, d.timezone
              FROM started s
              JOIN device d ON ${tenantIs("d", taken)}
              WHERE ${isTargetSql(sql)} AND (${audienceSql(sql, audience, "d", { tenant: taken, now })})
                AND ${isInPart(taken, audience)}
              ${perUser ? sql`ORDER BY ${unit}, d.last_seen_at DESC, d.id` : sql``}
            ) AS d
            ${chosen}
            GROUP BY part
          ) AS p
          CROSS JOIN LATERAL generate_series(1, cardinality(p.devices), ${size}::int) AS f (first)
        )
        INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped,
          quiet_hours, devices, users)
        SELECT s.workspace_id, s.environment, s.source_id, l.batch, s.campaign_key,
          s.cap_count IS NOT NULL OR s.parent_id IS NOT NULL OR s.experiment, s.quiet_hours,
          l.devices, l.users
        FROM listed l CROSS JOIN started s`);
    },

    /**
     * Adds to the figures of sends and locks them until the end of the transaction, in the order of their
     * source ids. No row for a send that was stopped.
     */
    count: (added: ReadonlyArray<AddedFigures>) => {
      const ordered = added.toSorted((a, b) => Number(a.sourceId - b.sourceId));
      return Effect.orDie(sql<{ readonly id: string }>`
        WITH held AS MATERIALIZED (
          SELECT a.* FROM ${unnested("a", ordered, {
            ...sourceColumns,
            targeted: ["int4", ({ targeted }) => targeted],
            delivered: ["int4", ({ delivered }) => delivered],
            failed: ["int4", ({ failed }) => failed],
            held: ["int4", ({ held }) => held],
            dropped: ["int4", ({ dropped }) => dropped],
          })}
          CROSS JOIN LATERAL (
            SELECT s.id FROM send s
            WHERE ${sameTenant("s", "a")} AND s.source_id = a.source_id AND s.status = 'running'
            FOR NO KEY UPDATE
          ) AS s
        )
        UPDATE send s SET targeted = s.targeted + h.targeted, delivered = s.delivered + h.delivered,
          failed = s.failed + h.failed, held = s.held + h.held, dropped = s.dropped + h.dropped
        FROM held h
        WHERE ${sameTenant("s", "h")} AND s.source_id = h.source_id
        RETURNING s.id`);
    },

    /** Removes batches that have run. No row for one that was lost. */
    close: (taken: ReadonlyArray<TakenBatch>) =>
      Effect.orDie(sql<{ readonly batch: number }>`
        DELETE FROM send_batch b USING ${unnested("t", taken, batchColumns)}
        WHERE ${sameTenant("b", "t")} AND b.source_id = t.source_id AND b.batch = t.batch
          AND b.fence = t.fence AND ${isOneOf("b", taken)}
        RETURNING b.batch`),

    /**
     * Ends those sends that have no open batch and an outcome for every delivery, except for held ones. No
     * row for one that does not end.
     */
    finish: (sends: ReadonlyArray<StartedSend>, now: number) =>
      Effect.orDie(sql<FinishedSend>`
        WITH done AS (
          UPDATE send s SET status = 'done', finished_at = ${instant(now)}
          WHERE ${isOneOf("s", sends)}
            AND ${tenantIsIn("s", sends)}
            AND s.status = 'running' AND s.delivered + s.failed + s.held = s.targeted
            AND NOT EXISTS (
              SELECT FROM send_batch b
              WHERE ${sameTenant("b", "s")} AND b.source_id = s.source_id OFFSET 0
            )
          RETURNING s.*
        ), ${recordedSendsSql(sql, "done", now)}
        SELECT s.environment, s.id, s.campaign_id AS "campaignId", s.targeted, s.delivered, s.failed,
          (SELECT w.public_id FROM workspace w WHERE w.id = s.workspace_id) AS workspace
        FROM done s`),
  };
}) {}
