import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, epochMillis, instant, unnested } from "../../../database/Rows.ts";
import { tenantIs } from "../../../database/TenantColumns.ts";
import type { DeviceObstacle } from "../../../devices/Obstacle.ts";
import { deviceObstacleSql } from "../../../devices/ObstacleSql.ts";
import type { Transport } from "../../../devices/PushAddress.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import type { DeliveryStatus, DueDelivery, InitialStatus } from "../../deliveries/Delivery.ts";
import { permit } from "../../pacing/Pace.ts";
import type { CurrentContent } from "../../rendering/CurrentContentsSql.ts";
import type { DeviceKey } from "../../../wire/Ids.ts";

/** A registered device that a test is for. */
export interface TestDevice {
  readonly id: string;
  readonly deviceKey: DeviceKey;
  readonly userId: string | null;
  readonly transport: Transport;
  /** The obstacle to a test send. */
  readonly obstacle: DeviceObstacle | null;
}

/** A delivery of a test: no rule holds it back, and no person is counted. */
export type TestDelivery = InitialStatus &
  Omit<DueDelivery, "cap" | "cooldownSince" | "quiet" | "userKey" | "sharedBy" | "isPaced" | "arm"> & {
    readonly variant: string | null;
  };

/** The outcome of a delivery of a test so far. */
export interface TestOutcome {
  readonly deviceKey: DeviceKey;
  readonly device_id: string;
  readonly status: DeliveryStatus;
  readonly last_error: string | null;
}

/** Statements of test sends. Bound: 20 devices. */
export class TestSendsSql extends Context.Service<TestSendsSql>()("waypost/sending/testing/TestSendsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      /** The registered devices among these, in any order, locked until the transaction ends. */
      devices: (tenant: Tenant, ids: ReadonlyArray<string>) =>
        Effect.orDie(sql<TestDevice>`
          SELECT v.id, v.key AS "deviceKey", v.user_id AS "userId", v.transport,
            ${deviceObstacleSql(sql, "v", sql`true`)} AS obstacle
          FROM device v
          WHERE ${tenantIs("v", tenant)} AND v.id = ANY (${arrayOf("uuid", ids)})
            AND v.unregistered_at IS NULL
          ORDER BY v.key FOR NO KEY UPDATE OF v`),

      /**
       * The devices among these that have had `limit` tests after an instant, and when the oldest of the
       * latest `limit` was. Exact if the transaction has locked the devices.
       */
      exhausted: (tenant: Tenant, deviceKeys: ReadonlyArray<DeviceKey>, since: number, limit: number) =>
        Effect.orDie(sql<{ readonly deviceKey: DeviceKey; readonly at: number }>`
          SELECT k.key AS "deviceKey", ${epochMillis("d.created_at")} AS at
          FROM unnest(${arrayOf("int4", deviceKeys)}) AS k (key)
          CROSS JOIN LATERAL (
            SELECT d.created_at FROM delivery d
            WHERE ${tenantIs("d", tenant)} AND d.device_key = k.key AND d.created_at > ${instant(since)}
              AND d.test
            ORDER BY d.created_at DESC OFFSET ${limit}::int - 1 LIMIT 1
          ) AS d`),

      /** The outcomes of a test of the notification; no rows for an unknown one. */
      outcomes: (
        tenant: Tenant,
        { campaignKey, notificationKey }: CurrentContent,
        sourceId: bigint,
      ): Effect.Effect<ReadonlyArray<TestOutcome>> =>
        Effect.orDie(sql<TestOutcome>`
          SELECT d.device_key AS "deviceKey", v.id AS device_id, d.status, d.last_error
          FROM delivery d
          JOIN device v ON ${tenantIs("v", tenant)} AND v.key = d.device_key
          WHERE ${tenantIs("d", tenant)} AND d.source_id = ${sourceId} AND d.test
            AND d.campaign_key = ${campaignKey} AND d.notification_key = ${notificationKey}
          ORDER BY d.device_key`),

      /** Inserts the deliveries of one test, and queues their pushes. They share a source id. */
      insert: ({ environment, workspace, workspaceId }: Tenant, due: ReadonlyArray<TestDelivery>) =>
        Effect.orDie(sql<{ readonly sourceId: bigint }>`
          WITH source AS MATERIALIZED (SELECT nextval('delivery_source_id') AS id), created AS (
            INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
              notification_key, content_key, content_type, trigger_type, location_key, transport, status,
              last_error, created_at, recipient, variant, settled_at, test)
            SELECT ${workspaceId}::int, ${environment}::text, source.id, d.device_key, d.campaign_key,
              d.notification_key, d.content_key, d.content_type, d.trigger_type, d.location_key, d.transport,
              d.status, d.last_error, d.now, d.recipient, d.variant,
              CASE WHEN d.status IN ('delivered', 'failed') THEN d.now END, true
            FROM source, ${unnested("d", due, {
              device_key: ["int4", (d) => d.deviceKey],
              transport: ["text", (d) => d.transport],
              campaign_key: ["int4", (d) => d.campaignKey],
              notification_key: ["int4", (d) => d.notificationKey],
              content_key: ["int4", (d) => d.contentKey],
              content_type: ["text", (d) => d.contentType],
              trigger_type: ["text", (d) => d.triggerType],
              location_key: ["int4", (d) => d.locationKey],
              now: ["timestamptz", (d) => d.now],
              status: ["text", (d) => d.status],
              last_error: ["text", (d) => d.lastError],
              recipient: ["jsonb", (d) => d.recipient],
              variant: ["text", (d) => d.variant],
            })}
            RETURNING workspace_id, environment, source_id, device_key, transport, status, created_at
          ), queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at,
              permit)
            SELECT workspace_id, environment, source_id, device_key, transport, created_at,
              ${workspace.max_per_minute === null ? permit.none : permit.held}::int
            FROM created WHERE status = 'queued'
          )
          SELECT id AS "sourceId" FROM source`),
    };
  }),
}) {
  static readonly layer = Layer.effect(TestSendsSql, TestSendsSql.make);
}
