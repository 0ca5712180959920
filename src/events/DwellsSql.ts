import { Effect } from "effect";
import type { SqlClient, Statement } from "effect/sql";
import { epochMillis, instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { dueWorkspaces } from "../database/DueWorkspaces.ts";
import { columnValues, rowCount, run } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import {
  workspaceStatements,
  inWorkspace,
  type OneWorkspace,
  workspaceIs,
  workspacesWithWork,
} from "../database/WorkspaceGroups.ts";
import type { QuietHours } from "../workspaces/QuietHours.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { DueDwell, Dwell } from "./Dwell.ts";
import { deviceColumns, type LockedDevice, lockedDevicesSql } from "./LockedDevicesSql.ts";

/** The registered device of a dwell (`ord`, from 1), locked until the transaction ends. */
export interface DwellDevice extends LockedDevice {
  readonly ord: number;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly registeredAt: number;
  readonly defaultCap: FrequencyCap | null;
  readonly defaultQuietHours: QuietHours | null;
  readonly isPaced: boolean;
  /** The workspace is scheduled for deletion. */
  readonly closing: boolean;
}

/** The columns of the key of a dwell. */
export const keyColumns = {
  ...deviceColumns,
  event_id: ["uuid", (dwell: Dwell) => dwell.eventId],
  attachment_id: ["uuid", (dwell: Dwell) => dwell.attachmentId],
} as const;

const dwellColumns = {
  ...keyColumns,
  location_key: ["int4", ({ locationKey }: Dwell) => locationKey],
  content_key: ["int4", ({ contentKey }: Dwell) => contentKey],
  content_type: ["text", ({ contentType }: Dwell) => contentType],
  max_silence_minutes: ["int4", ({ maxSilenceMinutes }: Dwell) => maxSilenceMinutes],
  entered_at: ["timestamptz", ({ enteredAt }: Dwell) => enteredAt],
  recorded_at: ["timestamptz", ({ recordedAt }: Dwell) => recordedAt],
  due_at: ["timestamptz", ({ dueAt }: Dwell) => dueAt],
  unit: ["int4", ({ event }: Dwell) => event?.unit ?? null],
  user_key: ["int4", ({ event }: Dwell) => event?.userKey ?? null],
  properties: ["jsonb", ({ event }: Dwell) => event?.properties ?? null],
  unless_event: ["text", ({ event }: Dwell) => event?.unless ?? null],
} as const;

/** Condition: the row of an alias is of the environment and the device of the dwell `q`. */
export const isOfDeviceSql =
  (sql: SqlClient.SqlClient) =>
  (alias: string): Statement.Fragment => sql`${workspaceIs(alias, "q")}
    AND ${sql.literal(`${alias}.environment = q.environment AND ${alias}.device_key = q.device_key`)}`;

/** Statements on visits that on_dwell notifications wait for. Bound: 500 dwells, or a batch. */
export class DwellsSql extends SqlService<DwellsSql>("waypost/events/DwellsSql")((sql) => {
  const { byWorkspace, ofWorkspace } = workspaceStatements(sql);

  const stored = sql.csv(Object.keys(dwellColumns).map((name) => sql.literal(name)));
  const columns = sql`w.workspace_id AS "workspaceId", w.environment, w.device_key AS "deviceKey",
    w.event_id AS "eventId", w.attachment_id AS "attachmentId", w.location_key AS "locationKey",
    w.content_key AS "contentKey", w.content_type AS "contentType",
    w.max_silence_minutes AS "maxSilenceMinutes", ${epochMillis("w.entered_at")} AS "enteredAt",
    ${epochMillis("w.recorded_at")} AS "recordedAt", ${epochMillis("w.due_at")} AS "dueAt",
    l.id AS "locationId", CASE WHEN w.unit IS NOT NULL THEN jsonb_build_object('unit', w.unit,
      'userKey', w.user_key, 'properties', w.properties, 'unless', w.unless_event) END AS event`;
  const location = sql`LEFT JOIN location l ON ${sameTenant("l", "w")} AND l.key = w.location_key`;

  const isOfDevice = isOfDeviceSql(sql);
  const isKey = sql`${isOfDevice("w")} AND w.event_id = q.event_id AND w.attachment_id = q.attachment_id`;
  /** Of those that are due at once, the older notification first (contract L4). */
  const inOrder = sql`ORDER BY w.due_at, w.attachment_id`;
  const withLocations = (dwells: Statement.Fragment) =>
    Effect.orDie(sql<DueDwell>`
      WITH w AS MATERIALIZED (${dwells}) SELECT ${columns} FROM w ${location} ${inOrder}`);
  /** The dwells of a workspace that have been due longest. */
  const due = (workspaceId: number, now: number, limit: number) => sql`
    SELECT w.* FROM dwell w
    WHERE w.workspace_id = ${workspaceId} AND w.decided_at IS NULL AND w.due_at <= ${instant(now)}
    ${inOrder} LIMIT ${limit}`;

  return {
    /** Stores dwells in the transaction of their enters. */
    begin: (dwells: ReadonlyArray<Dwell>) =>
      run(sql`
        INSERT INTO dwell (${stored}) SELECT ${stored} FROM ${unnested("w", dwells, dwellColumns)}
        ON CONFLICT DO NOTHING`),

    /** Ends slow statements of this transaction early: workspaces that share it then go on alone. */
    hurry: run(sql`SET LOCAL statement_timeout = 2000`),

    /** The workspaces that have due dwells, the longest due first. */
    dueWorkspaces: (now: number) =>
      dueWorkspaces(sql, { table: "dwell", at: "due_at", condition: "decided_at IS NULL" }, now),

    /** The dwells of a workspace that have been due longest, without locks. */
    due: (workspaceId: number, now: number, limit: number) => withLocations(due(workspaceId, now, limit)),

    /** As `due`, locked until the transaction ends; leaves out those that other processes have locked. */
    take: (workspaceId: number, now: number, limit: number) =>
      withLocations(sql`${due(workspaceId, now, limit)} FOR UPDATE OF w SKIP LOCKED`),

    /** Locks one dwell that is still due; none if another process has it or has decided it. */
    takeOne: (dwell: Dwell) =>
      withLocations(sql`
        SELECT w.* FROM dwell w
        WHERE ${tenantIs("w", dwell)} AND w.device_key = ${dwell.deviceKey}
          AND w.event_id = ${dwell.eventId} AND w.attachment_id = ${dwell.attachmentId}
          AND w.decided_at IS NULL
        FOR UPDATE OF w SKIP LOCKED`),

    /** Locks the registered devices of dwells until the transaction ends, always in the same order. */
    lockDevices: (all: ReadonlyArray<Dwell>) =>
      byWorkspace(all)(
        (dwells) => sql<DwellDevice>`
        WITH held AS MATERIALIZED (${lockedDevicesSql(sql, unnested("q", dwells, deviceColumns))})
        SELECT q.ord::int AS ord, h.transport, h.obstacle, h.timezone, h.device_id AS id, h.user_id,
          h.user_key,
          ${epochMillis("h.registered_at")} AS "registeredAt",
          CASE WHEN w.default_cap_count IS NOT NULL THEN jsonb_build_object('count', w.default_cap_count,
            'period', w.default_cap_period) END AS "defaultCap", w.quiet_hours AS "defaultQuietHours",
          w.max_per_minute IS NOT NULL AS "isPaced", w.deletion_scheduled_at IS NOT NULL AS closing
        FROM ${unnested("q", dwells, keyColumns)}
        JOIN held h ON ${sameTenant("h", "q")} AND h.device_key = q.device_key
        JOIN workspace w ON w.id = q.workspace_id`,
      ),

    /** Marks locked dwells as decided. */
    decide: (all: ReadonlyArray<Dwell>, now: number) =>
      byWorkspace(all)(
        (dwells) => sql`
        UPDATE dwell w SET decided_at = ${instant(now)}
        FROM ${unnested("q", dwells, keyColumns)} WHERE ${isKey}`,
      ),

    /** Deletes locked dwells. */
    drop: (all: ReadonlyArray<Dwell>) =>
      byWorkspace(all)(
        (dwells) => sql`
        DELETE FROM dwell w USING ${unnested("q", dwells, keyColumns)} WHERE ${isKey}`,
      ),

    /** The workspaces of the dwells that were decided before an instant, of the first ones. */
    decidedWorkspaces: (before: number, limit: number) =>
      workspacesWithWork(
        sql,
        columnValues(sql<{ readonly id: number }>`
        SELECT DISTINCT d.workspace_id AS id FROM (
          SELECT w.workspace_id FROM dwell w WHERE w.decided_at < ${instant(before)}
          ORDER BY w.decided_at LIMIT ${limit}
        ) AS d`),
      ),

    /** Deletes dwells of a workspace that were decided before an instant, up to so many; gives how many. */
    deleteDecided: (workspaceId: OneWorkspace, before: number, limit: number) =>
      rowCount(
        ofWorkspace(workspaceId)(sql`
        WITH q AS MATERIALIZED (
          SELECT d.workspace_id, d.environment, d.device_key, d.event_id, d.attachment_id FROM dwell d
          WHERE ${inWorkspace("d")} AND d.decided_at < ${instant(before)}
          ORDER BY d.decided_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM dwell w USING q WHERE ${isKey} RETURNING 1`),
      ),
  };
}) {}
