import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { workspaceKey } from "../bench/BenchRows.ts";
import { experiment, reachedOf } from "./ExperimentLedger.ts";
import { ask, newWorkspace, operatorKey, pushCampaign } from "../bench/ServiceApi.ts";

/** Device keys are spread up to this, so that even a small send has several batches: 25 here. */
const defaultLastKey = 250_000;

/** A scheduled send, and the number of its devices. */
export interface PlannedSend {
  readonly campaignId: string;
  /** The internal key of its workspace. */
  readonly workspaceId: number;
  readonly expected: number;
}

/** Quiet hours of a campaign that hold its messages for two more hours. */
const quietHours = () => {
  const hour = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 16);
  return { quiet_hours: { from: hour(-1), to: hour(2), action: "hold" } };
};
const rendered = { template: "liquid", headline: "Hello {{ device.platform }}" };

/**
 * Creates a workspace with devices, half inboxes and half with pushes, half of them vip; and a push campaign
 * for each send, with these fields. With `isHeld` quiet hours hold all messages, and every second campaign
 * has a template. With `isExperiment` each has a holdout and variants.
 */
export const prepareSends = Effect.fnUntraced(function* (
  origin: string,
  credentials: object,
  devices: number,
  sends: number,
  {
    fields = {},
    isExperiment = false,
    isHeld = false,
    lastKey = defaultLastKey,
    sendAt = "12:00",
  }: {
    readonly fields?: object;
    readonly isExperiment?: boolean;
    readonly isHeld?: boolean;
    readonly lastKey?: number;
    readonly sendAt?: string;
  } = {},
) {
  const sql = yield* SqlClient.SqlClient;
  const workspace = yield* newWorkspace(origin, [
    "campaigns:write",
    "notifications:write",
    "webhooks:write",
    "reports:read",
    "segments:write",
  ]);
  const { operator, platform, token } = workspace;
  const workspaceId = yield* workspaceKey(workspace.id);
  yield* ask(`${operator}/production/transports/fcm`, operatorKey, credentials, "PUT");
  const rule = { match: "all", conditions: [{ attribute: "vip", op: "eq", value: true }] };
  const segment = yield* ask(`${platform}/segments`, token, { name: "vip", rule });

  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
      attributes, token_digest, registered_at, last_seen_at)
    SELECT ${workspaceId}::int, 'production', n * ${Math.max(1, Math.floor(lastKey / devices))}::int,
      gen_random_uuid(), 'installation-' || n, 'android', CASE WHEN n % 2 = 0 THEN 'inbox' ELSE 'fcm' END,
      CASE WHEN n % 2 = 1 THEN jsonb_build_object('token', 'token-' || n) END,
      jsonb_build_object('vip', n % 4 < 2), decode(repeat('00', 32), 'hex'), '2026-01-01Z', '2026-01-01Z'
    FROM generate_series(1, ${devices}::int) AS n`;
  const [{ last } = { last: 0 }] = yield* sql<{ readonly last: number }>`
    SELECT max(key) AS last FROM device
    WHERE workspace_id = ${workspaceId} AND environment = 'production'`;
  yield* sql`
    UPDATE tenant SET last_device_key = ${last}
    WHERE workspace_id = ${workspaceId} AND environment = 'production'`;

  const all = yield* sql<{ readonly id: string; readonly isVip: boolean }>`
    SELECT id, attributes = '{"vip": true}' AS "isVip" FROM device
    WHERE workspace_id = ${workspaceId} AND environment = 'production'`;
  const planned = yield* Effect.forEach(Array.from({ length: sends }).keys(), (index) =>
    Effect.map(
      pushCampaign(
        workspace,
        {
          name: `Chaos ${index}`,
          ...(index % 3 === 2 ? { segmentation_ids: [segment.id] } : {}),
          ...(isHeld ? quietHours() : {}),
          ...fields,
          ...(isExperiment ? experiment.campaign : {}),
        },
        sendAt,
        {
          ...(isHeld && index % 2 === 1 ? rendered : {}),
          ...(isExperiment ? experiment.notification : {}),
        },
      ),
      (campaignId): PlannedSend => {
        const targets = index % 3 === 2 ? all.filter(({ isVip }) => isVip) : all;
        const expected = isExperiment ? reachedOf(campaignId, targets).length : targets.length;
        return { campaignId, workspaceId, expected };
      },
    ),
  );
  return { planned, token, workspaceId };
});
