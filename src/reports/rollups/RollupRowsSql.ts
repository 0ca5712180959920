import { Effect } from "effect";
import { unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { inTenant } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { LocationBlock } from "./encoding/LocationBlock.ts";
import type { DeliveryAddition, DeliveryKey, EventAddition, EventKey } from "./RollupTypes.ts";

/** The columns of the primary key of `delivery_rollup` in an environment. `starts_on` travels as text. */
export const deliveryKey = {
  span: ["text", ({ span }: DeliveryKey) => span],
  starts_on: ["text", ({ startsOn }: DeliveryKey) => startsOn],
  campaign_key: ["int4", ({ campaignKey }: DeliveryKey) => campaignKey],
  notification_key: ["int4", ({ notificationKey }: DeliveryKey) => notificationKey],
  content_type: ["text", ({ contentType }: DeliveryKey) => contentType],
  trigger_type: ["text", ({ triggerType }: DeliveryKey) => triggerType],
} as const;

/** The columns of the primary key of `event_rollup` in an environment. */
const eventKey = {
  span: ["text", ({ span }: EventKey) => span],
  starts_on: ["text", ({ startsOn }: EventKey) => startsOn],
  block: ["int4", ({ block }: EventKey) => block],
} as const;

/** The statements that read and write rows of rollups, in the transaction of `RollupStateSql.lock`. */
export class RollupRowsSql extends SqlService<RollupRowsSql>("waypost/reports/rollups/RollupRowsSql")(
  // Bound: the keys that 2,000 deltas change.
  (sql) => ({
    /** The devices of existing rows, each with the index of its key, from 1. */
    deliveryDevices: (tenant: TenantKey, keys: ReadonlyArray<DeliveryKey>) =>
      Effect.orDie(sql<{ readonly ord: number; readonly devices: Uint8Array }>`
          SELECT ord::int AS ord, r.devices
          FROM (SELECT *, starts_on::date AS day FROM ${unnested("a", keys, deliveryKey)}) AS k
          JOIN delivery_rollup r ON r.span = k.span AND r.starts_on = k.day
            AND r.campaign_key = k.campaign_key
            AND r.notification_key = k.notification_key AND r.content_type = k.content_type
            AND r.trigger_type = k.trigger_type
          WHERE ${inTenant(tenant)}`),

    /** Existing rows, each with the index of its key, from 1. */
    eventBlocks: (tenant: TenantKey, keys: ReadonlyArray<EventKey>) =>
      Effect.orDie(sql<LocationBlock & { readonly ord: number }>`
          SELECT ord::int AS ord, r.figures, r.devices
          FROM (SELECT *, starts_on::date AS day FROM ${unnested("a", keys, eventKey)}) AS k
          JOIN event_rollup r ON r.span = k.span AND r.starts_on = k.day AND r.block = k.block
          WHERE ${inTenant(tenant)}`),

    /** Adds to rows, or inserts them. */
    addDeliveries: (tenant: TenantKey, additions: ReadonlyArray<DeliveryAddition>) =>
      Effect.orDie(sql`
          INSERT INTO delivery_rollup AS r (workspace_id, environment, span, starts_on, campaign_key,
            notification_key, content_type, trigger_type, delivered, failed, reached, devices)
          SELECT ${tenant.workspaceId}, ${tenant.environment}, span, starts_on::date, campaign_key,
            notification_key, content_type, trigger_type, delivered, failed, reached, devices
          FROM ${unnested("a", additions, {
            ...deliveryKey,
            delivered: ["float8", ({ delivered }) => delivered],
            failed: ["float8", ({ failed }) => failed],
            reached: ["int4", ({ reached }) => reached],
            devices: ["bytea", ({ devices }) => devices],
          })}
          ON CONFLICT (workspace_id, environment, span, campaign_key, starts_on, notification_key,
            content_type, trigger_type)
          DO UPDATE SET delivered = r.delivered + EXCLUDED.delivered, failed = r.failed + EXCLUDED.failed,
            reached = EXCLUDED.reached, devices = EXCLUDED.devices`),

    /** Inserts rows, or replaces them. */
    replaceEvents: (tenant: TenantKey, additions: ReadonlyArray<EventAddition>) =>
      Effect.orDie(sql`
          INSERT INTO event_rollup AS r (workspace_id, environment, span, starts_on, block, figures, devices)
          SELECT ${tenant.workspaceId}, ${tenant.environment}, span, starts_on::date, block, figures, devices
          FROM ${unnested("a", additions, {
            ...eventKey,
            figures: ["bytea", ({ figures }) => figures],
            devices: ["bytea", ({ devices }) => devices],
          })}
          ON CONFLICT (workspace_id, environment, span, block, starts_on)
          DO UPDATE SET figures = EXCLUDED.figures, devices = EXCLUDED.devices`),
  }),
) {}
