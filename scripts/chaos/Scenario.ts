import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";

export const operatorKey = "chaos-operator-key-of-all-processes";
export const secretKey = "chaos-secret-key-of-all-processes";
const unlimited = {
  production_requests_per_minute: null,
  production_writes_per_minute: null,
  production_requests_per_day: null,
};
/** Device keys are spread up to this, so that even a small send has several batches: 25 here. */
const defaultLastKey = 250_000;

/** A created resource. */
interface Created {
  readonly id: string;
  readonly token: string;
  readonly sdk_key: string;
  readonly device_token: string;
  readonly secret: string;
  readonly results: ReadonlyArray<{ readonly id: string }>;
}

/** A scheduled send, and the number of its devices. */
export interface PlannedSend {
  readonly campaignId: string;
  /** The internal key of its workspace. */
  readonly workspaceId: number;
  readonly expected: number;
}

/** Sends a request that must succeed. */
export const ask = (url: string, token: string, body: object, method: "POST" | "PUT" | "PATCH" = "POST") =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const { data, error } = (await answer.json()) as { readonly data: Created; readonly error?: unknown };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return data;
  });

/** Creates a workspace without limits, and a token of its Production. */
export const makeWorkspace = Effect.fnUntraced(function* (origin: string, abilities: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = `${origin}/operator/v1/workspaces`;
  const plan = { ...unlimited, max_campaigns: null };
  const { id } = yield* ask(workspaces, operatorKey, { name: "Chaos", plan });
  const workspace = `${workspaces}/${id}`;
  yield* ask(workspace, operatorKey, { platform_api_enabled: true }, "PATCH");
  const body = { name: "Chaos", environment: "production", abilities };
  const { token } = yield* ask(`${workspace}/tokens`, operatorKey, body);
  const [row] = yield* sql<{ readonly id: number }>`SELECT id FROM workspace WHERE public_id = ${id}::uuid`;
  return { token, workspace, workspaceId: row?.id ?? 0 };
});

/**
 * Creates a workspace with devices, half inboxes and half with pushes, half of them vip; and a push campaign
 * for each send.
 */
export const prepareScenario = Effect.fnUntraced(function* (
  origin: string,
  credentials: object,
  devices: number,
  sends: number,
  lastKey = defaultLastKey,
) {
  const sql = yield* SqlClient.SqlClient;
  const { token, workspace, workspaceId } = yield* makeWorkspace(origin, [
    "campaigns:write",
    "notifications:write",
    "webhooks:write",
    "reports:read",
  ]);
  yield* ask(`${workspace}/production/transports/fcm`, operatorKey, credentials, "PUT");
  const rule = { match: "all", conditions: [{ attribute: "vip", op: "eq", value: true }] };
  const segment = yield* ask(`${workspace}/production/segments`, operatorKey, { name: "vip", rule });

  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
      attributes, token_digest, registered_at, last_seen_at)
    SELECT ${workspaceId}::int, 'production', n * ${Math.max(1, Math.floor(lastKey / devices))}::int,
      gen_random_uuid(), 'installation-' || n, 'android', CASE WHEN n % 2 = 0 THEN 'inbox' ELSE 'fcm' END,
      CASE WHEN n % 2 = 1 THEN jsonb_build_object('token', 'token-' || n) END,
      jsonb_build_object('vip', n % 4 < 2), decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
    FROM generate_series(1, ${devices}::int) AS n`;
  const [{ last, vips } = { last: 0, vips: 0 }] = yield* sql<{
    readonly last: number;
    readonly vips: number;
  }>`
    SELECT max(key) AS last, count(*) FILTER (WHERE attributes = '{"vip": true}')::int AS vips FROM device
    WHERE workspace_id = ${workspaceId} AND environment = 'production'`;
  yield* sql`
    UPDATE tenant SET last_device_key = ${last}
    WHERE workspace_id = ${workspaceId} AND environment = 'production'`;

  const campaigns = `${origin}/platform/v1/campaigns`;
  const starts_at = new Date((yield* Clock.currentTimeMillis) + 86_400_000).toISOString().slice(0, 10);
  const planned = yield* Effect.forEach(
    Array.from({ length: sends }, (_, index) => index),
    (index) =>
      Effect.gen(function* () {
        const isForVips = index % 3 === 2;
        const campaign = yield* ask(campaigns, token, {
          name: `Chaos ${index}`,
          type: "push",
          timezone: "UTC",
          starts_at,
          ...(isForVips ? { segmentation_ids: [segment.id] } : {}),
        });
        yield* ask(`${campaigns}/${campaign.id}/notifications`, token, {
          name: "Note",
          type: "message",
          headline: "Hello",
          body: "World",
          trigger_type: "fixed_time",
          trigger_config: { send_at: "12:00" },
        });
        const expected = isForVips ? vips : devices;
        return { campaignId: campaign.id, workspaceId, expected } satisfies PlannedSend;
      }),
  );
  return { planned, token, workspaceId };
});
