import { Effect } from "effect";
import { arrayOf, asNumber, epochMillis } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { columnValues } from "../../../database/Statements.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { reportConditions, type ReportScope } from "../../ReportConditionsSql.ts";
import { within } from "../../SourceRowsSql.ts";
import type { LocationBlock } from "../encoding/LocationBlock.ts";
import type { RollupPart } from "../RollupKeys.ts";
import { visitChanges } from "../VisitChangesSql.ts";
import type { TransitionGroup, VisitChange } from "../RollupTypes.ts";
import { enteredDevices, entriesAndExits } from "./RawCountsSql.ts";
import { isDayOf, rowsOfParts } from "./RollupPartsSql.ts";

/** The statements that read rollups and deltas of events, in one transaction and snapshot. */
export class EventReaderSql extends SqlService<EventReaderSql>(
  "waypost/reports/rollups/reading/EventReaderSql",
)((sql) => {
  // Bound: 366 days of the plan's 10,000 locations, in time slices.
  const isInBlock = (blocks: ReadonlyArray<number>) => sql`block = ANY(${arrayOf("int4", blocks)})`;

  return {
    /** The keys of the locations that match. */
    locations: (tenant: Tenant, scope: ReportScope) =>
      columnValues(sql<{ readonly key: number }>`
        SELECT key FROM location WHERE ${reportConditions(sql, tenant, scope).locationMatches}`),

    /** Figures of each day of the range in these blocks of locations, end to end. */
    figuresOfDays: (tenant: Tenant, scope: ReportScope, blocks: ReadonlyArray<number>) =>
      Effect.orDie(sql<{ readonly date: string; readonly figures: Uint8Array }>`
        SELECT starts_on::text AS date, string_agg(figures, ''::bytea) AS figures FROM event_rollup
        WHERE ${reportConditions(sql, tenant, scope).mine} AND ${isDayOf(sql, scope)}
          AND ${isInBlock(blocks)}
        GROUP BY starts_on`),

    /** The rows of the parts of the range in these blocks of locations. */
    blocks: (
      tenant: Tenant,
      scope: ReportScope,
      parts: ReadonlyArray<RollupPart>,
      blocks: ReadonlyArray<number>,
    ) =>
      Effect.orDie(sql<LocationBlock & { readonly block: number }>`
        SELECT block, figures, devices FROM ${rowsOfParts(
          sql,
          parts,
          (isInPart) => sql`
            SELECT block, figures, devices FROM event_rollup
            WHERE ${reportConditions(sql, tenant, scope).mine} AND ${isInPart} AND ${isInBlock(blocks)}`,
        )}`),

    /** Pending deltas of the range at matching locations. */
    pendingTransitions: (tenant: Tenant, scope: ReportScope) => {
      const { eventMatches, mine } = reportConditions(sql, tenant, scope);
      return Effect.orDie(sql<TransitionGroup>`
        SELECT ${epochMillis("quarter")} AS quarter, location_key,
          ${entriesAndExits(sql)}, ${enteredDevices(sql)}
        FROM (
          SELECT workspace_id, environment, quarter, each.location_key, each.type, each.device_key
          FROM event_delta, unnest(location_keys, types, device_keys)
            AS each (location_key, type, device_key)
          WHERE ${mine} AND ${within(sql, "quarter", scope.range)}) AS event
        WHERE ${eventMatches} GROUP BY quarter, location_key`);
    },

    /** How pending events change the visits that began in the range at each matching location. */
    pendingVisits: (tenant: Tenant, scope: ReportScope) => {
      const { locationMatches, mine } = reportConditions(sql, tenant, scope);
      return Effect.orDie(sql<VisitChange>`
        SELECT location_key, ${asNumber("sum(visits)")} AS visits,
          sum(visit_micros)::int8 AS "visitMicros"
        FROM (${visitChanges(sql, {
          mine,
          added: sql`
            SELECT * FROM (
              SELECT each.device_key, each.location_key, each.id, each.type, quarter
              FROM event_delta, unnest(device_keys, location_keys, event_ids, types)
                AS each (device_key, location_key, id, type)
              WHERE ${mine}) AS event`,
          ignored: sql`SELECT 0 AS device_key, NULL::uuid AS id WHERE false`,
          entries: within(sql, "occurred_at", scope.range),
        })}) AS changed
        WHERE location_key IN (SELECT key FROM location WHERE ${locationMatches})
        GROUP BY 1`);
    },
  };
}) {}
