/**
 * The baseline of the campaigns bench: one list of 20 campaigns by Fastify, `pg` and one prepared statement,
 * as the same JSON. It has no tokens, rate limits, cursors, access log or metrics.
 */
import Fastify from "fastify";
import pg from "pg";

const [socketFolder, user, database, workspaceId] = process.argv.slice(2);

interface Row {
  readonly location_ids: ReadonlyArray<string>;
  readonly location_group_ids: ReadonlyArray<string>;
  readonly segmentation_ids: ReadonlyArray<string>;
  readonly segment_match: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const pool = new pg.Pool<Row>({ host: socketFolder, user, database, max: 20 });

const utc = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') AS ${column}`;
const targets = (table: string, column: string, name: string): string =>
  `ARRAY (SELECT t.${column}::text FROM ${table} t WHERE t.workspace_id = c.workspace_id
    AND t.environment = c.environment AND t.campaign_id = c.id ORDER BY t.position) AS ${name}`;

const text = `
  SELECT id, name, type,
    CASE WHEN ends_at < $3 THEN 'ended' WHEN paused THEN 'paused'
      WHEN starts_at > $3 THEN 'scheduled' ELSE 'active' END AS status,
    ${utc("starts_at")}, ${utc("ends_at")}, timezone, recurrence, paused, ${utc("published_at")}, archived,
    frequency_cap_count, frequency_cap_period, cap_by, quiet_hours, cooldown_minutes, max_per_minute,
    holdout_percent::float8 AS holdout_percent, goal,
    ${targets("campaign_location", "location_id", "location_ids")},
    ${targets("campaign_location_group", "group_id", "location_group_ids")},
    ${targets("campaign_segment", "segment_id", "segmentation_ids")},
    segment_match, ${utc("created_at")}, ${utc("updated_at")}
  FROM campaign c WHERE workspace_id = $1 AND environment = $2 AND NOT archived ORDER BY id DESC LIMIT 21`;

const fastify = Fastify();

fastify.get("/campaigns", async () => {
  const { rows } = await pool.query({
    name: "campaigns",
    text,
    values: [workspaceId, "production", new Date(performance.timeOrigin + performance.now())],
  });
  const data = rows
    .slice(0, 20)
    .map(
      ({
        created_at,
        location_group_ids,
        location_ids,
        segment_match,
        segmentation_ids,
        updated_at,
        ...campaign
      }) => ({
        ...campaign,
        targeting: { location_ids, location_group_ids, segmentation_ids, segment_match },
        created_at,
        updated_at,
      }),
    );
  return { data, meta: { next_cursor: null } };
});

console.log(`listening on ${await fastify.listen({ port: 0, host: "127.0.0.1" })}`);
