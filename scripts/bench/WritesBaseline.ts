/**
 * The baseline for registrations and creates, with the least possible work: node:http, `pg`, and one prepared
 * statement a request, which stores what the contract demands. It numbers devices itself, and has no
 * authentication, validation, limits, webhooks, access log or metrics.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { argument, pool, serve } from "./BaselineServer.ts";

const { firstKey, workspaceId } = JSON.parse(argument) as {
  readonly firstKey: number;
  readonly workspaceId: number;
};

const registration = `
  INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
    attributes, locale, timezone, app_version, token_digest, registered_at, last_seen_at)
  VALUES ($1, 'production', $2, $3, $4, $5, 'inbox', true, $6, $7, $8, $9, $10, $11, $11)`;

const again = `
  UPDATE device SET platform = $3, transport = 'inbox', address = NULL, attributes = $4, locale = $5,
    timezone = $6, app_version = $7, user_id = NULL, unregistered_at = NULL, last_seen_at = $8
  WHERE workspace_id = $1 AND environment = 'production' AND installation_id = $2
  RETURNING id, registered_at`;

const create = `
  WITH made AS (
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, created_at,
      updated_at)
    VALUES ($1, 'production', $2, $3, 'geo', $4, $5, $5, $5)
  ), entry AS (
    INSERT INTO activity (workspace_id, environment, id, at, actor_type, actor_name, action, resource_type,
      resource_id, resource_name, changes)
    VALUES ($1, 'production', $6, $5, 'operator', 'Bench', 'create', 'campaign', $2::text, $3, $7)
  )
  INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
  SELECT $1, 'production', $2, id, ord FROM unnest($8::uuid[]) WITH ORDINALITY AS l (id, ord)`;

interface Draft {
  readonly platform: string;
  readonly attributes: object;
  readonly locale: string;
  readonly timezone: string;
  readonly app_version: string;
}

let key = firstKey;

const answer = async (path: string, sent: string): Promise<object> => {
  const now = new Date(performance.timeOrigin + performance.now());
  if (path === "/campaigns") {
    const draft = JSON.parse(sent) as {
      readonly name: string;
      readonly timezone: string;
      readonly location_ids: ReadonlyArray<string>;
    };
    const id = randomUUID();
    const { name, timezone } = draft;
    const changes = Object.entries(draft).map(([field, value]) => [field, { old: null, new: value }]);
    const entry: ReadonlyArray<unknown> = [randomUUID(), Object.fromEntries(changes)];
    const values = [workspaceId, id, name, timezone, now, ...entry, draft.location_ids];
    await pool.query({ name: "create", text: create, values });
    return { id, ...draft, created_at: now };
  }
  const installation = path.slice(path.lastIndexOf("/") + 1);
  const draft = JSON.parse(sent) as Draft;
  const { app_version, attributes, locale, platform, timezone } = draft;
  const fields = [platform, attributes, locale, timezone, app_version];
  if (path.startsWith("/again/")) {
    const values = [workspaceId, installation, ...fields, now];
    const { rows } = await pool.query({ name: "again", text: again, values });
    return { ...rows[0], installation_id: installation, ...draft, last_seen_at: now };
  }
  const secret = randomBytes(32).toString("hex");
  const digest = createHash("sha256").update(secret).digest();
  const id = randomUUID();
  const values = [workspaceId, ++key, id, installation, ...fields, digest, now];
  await pool.query({ name: "register", text: registration, values });
  return { id, installation_id: installation, ...draft, registered_at: now, device_token: `wpd_${secret}` };
};

serve(async (_, sent, path) => JSON.stringify({ data: await answer(path, sent) }));
