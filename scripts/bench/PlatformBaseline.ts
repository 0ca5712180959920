/**
 * The baseline of the benches `campaigns` and `me`: Fastify and `pg`, written by hand. It does what the
 * contract demands of each request: it finds the token, which it caches for five seconds, counts the
 * request in the windows of its environment, in one statement for all that wait, sends the same headers, and
 * writes a line of the access log, with other lines of ten milliseconds. It has no metrics, cursors or
 * errors.
 */
import Fastify from "fastify";
import { createHash, randomUUID } from "node:crypto";
import pg from "pg";

const [socketFolder, user, database, argument = ""] = process.argv.slice(2);
const workspaceId = Number(argument);

interface Row {
  readonly location_ids: ReadonlyArray<string>;
  readonly location_group_ids: ReadonlyArray<string>;
  readonly segmentation_ids: ReadonlyArray<string>;
  readonly segment_match: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The token of a request, with its workspace. */
interface Grant {
  readonly id: string;
  readonly name: string;
  readonly abilities: ReadonlyArray<string>;
  readonly environment: string;
  readonly workspace_uuid: string;
  readonly workspace_name: string;
}

/** The windows of an environment after a batch of requests. */
interface Windows {
  readonly day_used: number;
  readonly day_opened: Date;
}

const pool = new pg.Pool<Row & Grant & Windows>({ host: socketFolder, user, database, max: 20 });

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

const now = (): number => performance.timeOrigin + performance.now();

const grants = new Map<string, { readonly grant: Grant; readonly until: number }>();

const findGrant = async (token: string): Promise<Grant> => {
  const known = grants.get(token);
  if (known !== undefined && known.until > now()) return known.grant;
  const { rows } = await pool.query({
    name: "grant",
    text: `SELECT t.id, t.name, t.abilities, t.environment, w.public_id AS workspace_uuid,
      w.name AS workspace_name
      FROM api_token t JOIN workspace w ON w.id = t.workspace_id WHERE t.digest = $1`,
    values: [createHash("sha256").update(token).digest()],
  });
  const [grant] = rows;
  if (grant === undefined) throw new Error("unknown token");
  grants.set(token, { grant, until: now() + 5_000 });
  return grant;
};

const count = `
  WITH relaxed AS (SELECT set_config('synchronous_commit', 'off', true))
  UPDATE rate_window SET
    day_used = $3 + CASE WHEN day_opened <= $2::timestamptz - interval '1 day' THEN 0 ELSE day_used END,
    day_opened = CASE WHEN day_opened <= $2::timestamptz - interval '1 day' THEN $2 ELSE day_opened END
  FROM relaxed WHERE workspace_id = $1 AND environment = 'production'
  RETURNING day_used, day_opened`;

/** The requests that wait to be counted. */
let waiting: Array<(windows: Windows) => void> = [];
let isCounting = false;

const countWaiting = async (): Promise<void> => {
  isCounting = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    const { rows } = await pool.query({
      name: "count",
      text: count,
      values: [workspaceId, new Date(now()), batch.length],
    });
    const [windows] = rows;
    if (windows !== undefined) for (const resolve of batch) resolve(windows);
  }
  isCounting = false;
};

const counted = (): Promise<Windows> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (!isCounting) void countWaiting();
  });

let lines = "";

const log = (fields: object): void => {
  if (lines === "")
    setTimeout(() => {
      process.stderr.write(lines);
      lines = "";
    }, 10);
  const timestamp = new Date(now()).toISOString();
  lines += `${JSON.stringify({ message: "request", level: "INFO", timestamp, annotations: fields })}\n`;
};

const perDay = 1_000_000_000;
const fastify = Fastify();
fastify.decorateRequest("grant");
fastify.decorateRequest("startedAt", 0);

declare module "fastify" {
  interface FastifyRequest {
    grant: Grant;
    startedAt: number;
  }
}

fastify.addHook("onRequest", async (request, reply) => {
  request.startedAt = performance.now();
  request.grant = await findGrant((request.headers.authorization ?? "").slice("Bearer ".length));
  const { day_opened, day_used } = await counted();
  const endsAt = day_opened.getTime() / 1_000 + 86_400;
  reply.headers({
    "x-ratelimit-limit": perDay,
    "x-ratelimit-remaining": perDay - day_used,
    "x-ratelimit-reset": Math.ceil(endsAt),
    "ratelimit-policy": `"day";q=${perDay};w=86400`,
    ratelimit: `"day";r=${perDay - day_used};t=${Math.max(1, Math.ceil(endsAt - now() / 1_000))}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": randomUUID(),
  });
});

fastify.addHook("onResponse", async ({ grant, ip, method, startedAt, url }, reply) => {
  log({
    requestId: reply.getHeader("x-request-id"),
    method,
    path: url,
    status: reply.statusCode,
    ms: Math.round((performance.now() - startedAt) * 100) / 100,
    ip,
    workspace: grant.workspace_uuid,
    environment: grant.environment,
    token: grant.id,
  });
});

fastify.get("/me", async ({ grant }) => ({
  data: {
    workspace: { id: grant.workspace_uuid, name: grant.workspace_name },
    environment: grant.environment,
    token: { id: grant.id, name: grant.name, expires_at: null },
    abilities: grant.abilities,
    platform_api_enabled: true,
  },
}));

fastify.get("/campaigns", async () => {
  const { rows } = await pool.query({
    name: "campaigns",
    text,
    values: [workspaceId, "production", new Date(now())],
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
