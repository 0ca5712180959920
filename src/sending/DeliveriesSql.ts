import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import type { Beginning, DueDelivery } from "./Delivery.ts";
import { countedSql } from "./FrequencyCapSql.ts";

/** Every statement that makes deliveries. */
export class DeliveriesSql extends Context.Service<DeliveriesSql>()("waypost/sending/DeliveriesSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      /**
       * Inserts what the caps leave, in order, and tells the place (`ord`, from 1) and origin of each.
       */
      insertWithinCaps: (due: ReadonlyArray<DueDelivery>, beginnings: ReadonlyArray<Beginning>) => {
        const ints = (of: (delivery: DueDelivery) => number | null) => arrayOf("int4", due.map(of));
        const texts = (of: (delivery: DueDelivery) => string) => arrayOf("text", due.map(of));
        const instants = (of: (delivery: DueDelivery) => number | null) =>
          arrayOf("timestamptz", due.map(of));
        return Effect.orDie(sql<{ readonly ord: number; readonly sourceId: bigint }>`
          WITH due AS (
            SELECT * FROM unnest(
              ${ints((d) => d.workspaceId)}, ${texts((d) => d.environment)}, ${ints((d) => d.deviceKey)},
              ${texts((d) => d.transport)}, ${ints((d) => d.campaignKey)}, ${ints((d) => d.notificationKey)},
              ${ints((d) => d.contentKey)}, ${texts((d) => d.contentType)}, ${texts((d) => d.triggerType)},
              ${ints((d) => d.locationKey)}, ${instants((d) => d.now)}, ${ints((d) => d.cap?.count ?? null)},
              ${instants((d) => d.cap?.since ?? null)},
              ${arrayOf(
                "text",
                beginnings.map((each) => each.status),
              )},
              ${arrayOf(
                "text",
                beginnings.map((each) => each.lastError),
              )}
            ) WITH ORDINALITY AS d (workspace_id, environment, device_key, transport, campaign_key, notification_key, content_key,
              content_type, trigger_type, location_key, now, cap_count, cap_since, status, last_error, ord)
          ), ranked AS (
            SELECT due.*,
              count(*) FILTER (WHERE status <> 'failed') OVER (
                PARTITION BY workspace_id, environment, device_key, campaign_key, cap_since
                ORDER BY ord ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
              ) AS before_it,
              ${countedSql(sql, "due")} AS counted
            FROM due
          ), allowed AS MATERIALIZED (
            SELECT nextval('delivery_source_id') AS source_id, ordered.*
            FROM (
              SELECT * FROM ranked WHERE cap_count IS NULL OR counted + before_it < cap_count ORDER BY ord
            ) AS ordered
          ), made AS (
            INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key, content_key,
              content_type, trigger_type, location_key, transport, status, last_error, created_at, settled_at)
            SELECT workspace_id, environment, source_id, device_key, campaign_key, notification_key, content_key,
              content_type, trigger_type, location_key, transport, status, last_error, now,
              CASE WHEN status IN ('delivered', 'failed') THEN now END
            FROM allowed
          ), queued AS (
            INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
            SELECT workspace_id, environment, source_id, device_key, transport, now FROM allowed WHERE status = 'queued'
          )
          SELECT ord::int AS ord, source_id AS "sourceId" FROM allowed`);
      },
    };
  }),
}) {
  static readonly layer = Layer.effect(DeliveriesSql, DeliveriesSql.make);
}
