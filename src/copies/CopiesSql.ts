import { arrayOf, instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { columnValues, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { SegmentRow } from "../devices/SegmentsRepository.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { Effect } from "effect";

type Ids = ReadonlyArray<string>;

/** A resource of the campaign, and its counterpart in the other environment; null for none. */
interface Found {
  readonly id: string;
  readonly match: string | null;
}

/** A location that is copied: its id, and that of the copy. */
interface Copied {
  readonly source: string;
  readonly id: string;
}

type SegmentColumns = Pick<SegmentRow, "id" | "name" | "rule">;

/**
 * The statements that find what a copy can use in the other environment, and that make the locations which
 * are not there. They are unprepared, because a campaign can have one location or thousands. Bound: a
 * campaign's 3,000 targets (E5), 10,000 locations of groups (plan), and the 1,000 names that are asked for.
 */
export class CopiesSql extends SqlService<CopiesSql>("waypost/copies/CopiesSql")((sql) => ({
  /** The groups with these ids, each with the one of its name in `to`. */
  groups: (from: TenantKey, to: TenantKey, ids: Ids) =>
    Effect.orDie(
      sql<Found & { readonly name: string }>`
        SELECT g.id, g.name, t.id AS match FROM location_group g
        LEFT JOIN location_group t ON ${tenantIs("t", to)} AND t.name = g.name
        WHERE ${tenantIs("g", from)} AND g.id = ANY (${arrayOf("uuid", ids)}) ORDER BY g.id`.unprepared,
    ),

  /**
   * The locations with these ids and those of these groups, each with the one in `to` that has its external
   * id, else its name and shape: of several itself, then the oldest.
   */
  locations: (from: TenantKey, to: TenantKey, ids: Ids, groupIds: Ids) =>
    Effect.orDie(
      sql<Found & { readonly groups: Ids }>`
        WITH member AS (
          SELECT m.location_id, array_agg(m.group_id::text) AS groups FROM location_group_member m
          WHERE ${tenantIs("m", from)} AND m.group_id = ANY (${arrayOf("uuid", groupIds)})
          GROUP BY m.location_id
        ), wanted AS (
          SELECT l.*, COALESCE(m.groups, '{}') AS groups FROM location l
          LEFT JOIN member m ON m.location_id = l.id
          WHERE ${tenantIs("l", from)}
            AND (l.id = ANY (${arrayOf("uuid", ids)}) OR m.location_id IS NOT NULL)
        )
        SELECT DISTINCT ON (w.id) w.id, w.groups, COALESCE(e.id, t.id) AS match FROM wanted w
        LEFT JOIN location e ON ${tenantIs("e", to)} AND e.external_id = w.external_id
        LEFT JOIN location t ON e.id IS NULL AND ${tenantIs("t", to)} AND t.name = w.name AND t.type = w.type
          AND t.latitude = w.latitude AND t.longitude = w.longitude AND t.radius_meters = w.radius_meters
          AND t.rings IS NOT DISTINCT FROM w.rings
        ORDER BY w.id, t.id <> w.id, t.id`.unprepared,
    ),

  /** The segments with these ids. */
  segments: (from: TenantKey, ids: Ids) =>
    Effect.orDie(
      sql<SegmentColumns>`
        SELECT s.id, s.name, s.rule FROM segment s
        WHERE ${tenantIs("s", from)} AND s.id = ANY (${arrayOf("uuid", ids)}) ORDER BY s.id`,
    ),

  /** The segments with these names. */
  segmentsNamed: (to: TenantKey, names: Ids) =>
    Effect.orDie(
      sql<SegmentColumns>`
        SELECT s.id, s.name, s.rule FROM segment s
        WHERE ${tenantIs("s", to)} AND s.name = ANY (${arrayOf("text", names)})`,
    ),

  /** Names that campaigns have, of these. */
  campaignNames: (to: TenantKey, names: Ids) =>
    columnValues(sql<{ readonly name: string }>`
      SELECT c.name FROM campaign c WHERE ${tenantIs("c", to)} AND c.name = ANY (${arrayOf("text", names)})`),

  /** Inserts locations as they are in `from`, under the ids of their matches. */
  copyLocations: (from: TenantKey, to: TenantKey, matches: ReadonlyArray<Copied>, now: number) =>
    run(
      sql`
        INSERT INTO location (workspace_id, environment, id, name, external_id, address, type, latitude,
          longitude, radius_meters, rings, created_at, updated_at)
        SELECT ${to.workspaceId}, ${to.environment}, made.id, l.name, l.external_id, l.address, l.type,
          l.latitude, l.longitude, l.radius_meters, l.rings, ${instant(now)}, ${instant(now)}
        FROM ${unnested("made", matches, {
          source: ["uuid", ({ source }) => source],
          id: ["uuid", ({ id }) => id],
        })}
        JOIN location l ON ${tenantIs("l", from)} AND l.id = made.source`.unprepared,
    ),
})) {}
