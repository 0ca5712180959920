import { SqlService } from "../database/SqlService.ts";
import { epochMillis, unnested } from "../database/Rows.ts";
import { tenantColumns } from "../database/TenantColumns.ts";
import { workspaceIs, workspaceStatements } from "../database/WorkspaceGroups.ts";
import type { Statement } from "effect/sql";
import type { Dwell, Visit } from "./Dwell.ts";
import { isOfDeviceSql, keyColumns } from "./DwellsSql.ts";

/** Statements that tell at the minute of a dwell what has happened since its event. Bound: 500 dwells. */
export class VisitsSql extends SqlService<VisitsSql>("waypost/events/VisitsSql")((sql) => {
  const { byWorkspace } = workspaceStatements(sql);
  const isOfDevice = isOfDeviceSql(sql);
  /** The events of the visit's device at its location, `q` being the dwell. */
  const eventsOf = (alias: string): Statement.Fragment =>
    sql`${sql.literal(`geofence_event ${alias} WHERE`)} ${isOfDevice(alias)}
        AND ${sql.literal(`${alias}.location_key = q.location_key`)}`;
  return {
    /**
     * Returns the state of the visits of dwells, in their order. Needs the locks of their devices. Whether an
     * exit at the instant of the enter came after it, the device's latest event says if it is of that
     * instant. Otherwise the one received later came later; of one request it is the exit, as for a later
     * enter. Of enters at one instant only one is the first.
     */
    visits: (all: ReadonlyArray<Dwell>) =>
      byWorkspace(all)(
        (dwells) => sql<Visit>`
          SELECT
            (q.exits_at_once OR COALESCE((
              SELECT e.type = 'exit' FROM ${eventsOf("e")} AND e.occurred_at < q.entered_at
              ORDER BY e.occurred_at DESC, e.received_at DESC, e.type DESC LIMIT 1), true))
            AND NOT EXISTS (
              SELECT FROM dwell o
              WHERE ${isOfDevice("o")} AND o.attachment_id = q.attachment_id
                AND o.location_key = q.location_key AND o.entered_at = q.entered_at
                AND o.event_id < q.event_id) AS "isFirst",
            ((q.exits_at_once AND q.exits_after) OR EXISTS (
              SELECT FROM ${eventsOf("e")} AND e.type = 'exit'
                AND e.occurred_at > q.entered_at AND e.occurred_at < q.due_at)) AS "hasEnded",
            EXISTS (
              SELECT FROM dwell o
              WHERE ${isOfDevice("o")}
                AND o.attachment_id = q.attachment_id AND o.location_key = q.location_key
                AND o.decided_at IS NOT NULL AND o.entered_at >= q.entered_at
                AND NOT EXISTS (
                  SELECT FROM ${eventsOf("e")} AND e.type = 'exit'
                    AND e.occurred_at > q.entered_at AND e.occurred_at <= o.entered_at)) AS "isDecided",
            CASE WHEN q.max_silence_minutes IS NOT NULL THEN GREATEST(
              (SELECT ${epochMillis("f.recorded_at")} FROM device_position f
                WHERE ${isOfDevice("f")} AND f.recorded_at > '-infinity'),
              (SELECT ${epochMillis("max(p.changed_at)")} FROM device_location p
                WHERE ${isOfDevice("p")})) END AS "heardAt"
          FROM (
            SELECT q.*, EXISTS (
                SELECT FROM ${eventsOf("e")} AND e.type = 'exit' AND e.occurred_at = q.entered_at
              ) AS exits_at_once, COALESCE((
                SELECT NOT p.inside FROM device_location p
                WHERE ${isOfDevice("p")}
                  AND p.location_key = q.location_key AND p.changed_at = q.entered_at
              ), EXISTS (
                SELECT FROM ${eventsOf("e")} AND e.type = 'exit' AND e.occurred_at = q.entered_at
                  AND e.received_at >= q.recorded_at
              )) AS exits_after
            FROM ${unnested("q", dwells, {
              ...keyColumns,
              location_key: ["int4", ({ locationKey }) => locationKey],
              max_silence_minutes: ["int4", ({ maxSilenceMinutes }) => maxSilenceMinutes],
              entered_at: ["timestamptz", ({ enteredAt }) => enteredAt],
              recorded_at: ["timestamptz", ({ recordedAt }) => recordedAt],
              due_at: ["timestamptz", ({ dueAt }) => dueAt],
            })}
            OFFSET 0
          ) AS q
          ORDER BY q.ord`,
      ),

    /** Whether the event that stops the message of each custom event has come (`ord`, from 1). */
    stopped: (all: ReadonlyArray<Dwell>) =>
      byWorkspace(all)(
        (dwells) => sql<{ readonly ord: number }>`
          SELECT q.ord::int AS ord
          FROM ${unnested("q", dwells, {
            ...tenantColumns,
            unit: ["int4", ({ event }) => event?.unit ?? null],
            name: ["text", ({ event }) => event?.unless ?? null],
            entered_at: ["timestamptz", ({ enteredAt }) => enteredAt],
          })}
          WHERE EXISTS (
            SELECT FROM custom_event e WHERE ${workspaceIs("e", "q")} AND e.environment = q.environment
              AND e.unit = q.unit AND e.name = q.name AND e.occurred_at > q.entered_at)`,
      ),
  };
}) {}
