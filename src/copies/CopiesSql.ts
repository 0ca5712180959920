import { arrayOf, instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { columnValues, run } from "../database/Statements.ts";
import { inTenant, tenantIs } from "../database/TenantColumns.ts";
import type { SegmentRow } from "../devices/Segment.ts";
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
   * The locations with these ids and those of these groups, each with its match: in one environment itself,
   * else the one in `to` with its external id, else one of its name and shape that is nobody's match yet.
   * Those without an external id come first on both sides, then the oldest; if there are too few, they share
   * the first.
   */
  locations: (from: TenantKey, to: TenantKey, ids: Ids, groupIds: Ids) => {
    const rank = sql`row_number() OVER (
      PARTITION BY name, type, latitude, longitude, radius_meters, rings
      ORDER BY external_id IS NOT NULL, id) AS rank`;
    return Effect.orDie(
      sql<Found & { readonly groups: Ids }>`
        WITH member AS (
          SELECT m.location_id, array_agg(m.group_id::text) AS groups FROM location_group_member m
          WHERE ${tenantIs("m", from)} AND m.group_id = ANY (${arrayOf("uuid", groupIds)})
          GROUP BY m.location_id
        ), source AS (
          SELECT l.*, COALESCE(m.groups, '{}') AS groups,
            CASE WHEN ${from.environment === to.environment} THEN l.id ELSE e.id END AS known
          FROM location l
          LEFT JOIN member m ON m.location_id = l.id
          LEFT JOIN location e ON ${tenantIs("e", to)} AND e.external_id = l.external_id
          WHERE ${tenantIs("l", from)}
            AND (l.id = ANY (${arrayOf("uuid", ids)}) OR m.location_id IS NOT NULL)
        ), wanted AS (
          SELECT *, ${rank} FROM source WHERE known IS NULL
        ), free AS (
          SELECT *, ${rank} FROM location WHERE ${inTenant(to)} AND name IN (SELECT name FROM wanted)
            AND id NOT IN (SELECT known FROM source WHERE known IS NOT NULL)
        )
        SELECT DISTINCT ON (s.id) s.id, s.groups, COALESCE(s.known, f.id) AS match FROM source s
        LEFT JOIN wanted w ON w.id = s.id
        LEFT JOIN free f ON f.name = w.name AND f.type = w.type AND f.latitude = w.latitude
          AND f.longitude = w.longitude AND f.radius_meters = w.radius_meters
          AND f.rings IS NOT DISTINCT FROM w.rings
          AND (f.rank = w.rank OR (f.rank = 1 AND w.external_id IS NULL))
        ORDER BY s.id, f.rank DESC`.unprepared,
    );
  },

  segments: (from: TenantKey, ids: Ids) =>
    Effect.orDie(
      sql<SegmentColumns>`
        SELECT s.id, s.name, s.rule FROM segment s
        WHERE ${tenantIs("s", from)} AND s.id = ANY (${arrayOf("uuid", ids)}) ORDER BY s.id`,
    ),

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
