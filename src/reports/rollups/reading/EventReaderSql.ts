import { Effect } from "effect";
import { arrayOf, asNumber, epochMillis } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { columnValues } from "../../../database/Statements.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { reportConditions, type ReportScope } from "../../ReportConditionsSql.ts";
import {
  dayOf,
  entriesAndExits,
  events,
  transitionSums,
  visits,
  visitSums,
  within,
} from "../../SourceRowsSql.ts";
import type { LocationBlock } from "../encoding/LocationBlock.ts";
import type { RollupPart } from "../RollupKeys.ts";
import { visitChanges } from "../VisitChangesSql.ts";
import type { TransitionGroup, VisitChange } from "../RollupTypes.ts";
import { isDayOf, rowsOfParts } from "./RollupPartsSql.ts";

/** The statements that count events: in rollups, deltas, source rows; in one transaction and snapshot. */
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
        SELECT ${epochMillis("quarter")} AS quarter, location_key, ${transitionSums(sql)}
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

    /** Events that are in no rollups, of each day of the range at matching locations; without devices. */
    sourceTransitionsOfDays: (tenant: Tenant, scope: ReportScope) =>
      Effect.orDie(sql<Omit<TransitionGroup, "location_key" | "devices">>`
        SELECT quarter, ${entriesAndExits(sql)}
        FROM (
          SELECT type, ${dayOf(sql, "occurred_at", scope.range.dayStarts)} AS quarter
          FROM ${events(sql, scope.range)}
          WHERE ${reportConditions(sql, tenant, scope).eventCounts}) AS counted
        GROUP BY quarter`),

    /** Events that are in no rollups, of the range at each matching location, with the visits they began. */
    sourceTransitions: (tenant: Tenant, scope: ReportScope) => {
      const { eventCounts, eventFollows: stored, mine } = reportConditions(sql, tenant, scope);
      const rows = { mine, stored, period: scope.range, laterExit: sql`NULL` };
      return Effect.orDie(sql<TransitionGroup & VisitChange>`
        SELECT 0::float8 AS quarter, location_key, ${transitionSums(sql)}, ${visitSums(sql)}
        FROM ${visits(sql, rows)} WHERE ${eventCounts} GROUP BY location_key`);
    },
  };
}) {}
