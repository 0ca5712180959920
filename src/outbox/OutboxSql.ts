import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { unnested } from "../database/Rows.ts";
import { run } from "../database/Statements.ts";
import { sameTenant, tenantColumns } from "../database/TenantColumns.ts";
import { Outbox, type OutgoingEvent } from "./Outbox.ts";
import { listensSql } from "./RecordedEventsSql.ts";

/** The statement that records events. Events of one environment, type and instant are one recording. */
export const outboxSql = Layer.effect(
  // Bound: the events of 1 change, for 20 webhooks each.
  Outbox,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Outbox.of({
      record: (events) =>
        events.length === 0
          ? Effect.void
          : run(sql`
            WITH given AS (
              SELECT * FROM ${unnested("e", events, {
                ...tenantColumns,
                type: ["text", ({ type }: OutgoingEvent) => type],
                recorded_at: ["timestamptz", ({ at }) => at],
                source_id: ["int8", (event) => ("sourceId" in event ? event.sourceId : null)],
                device_key: ["int4", (event) => ("deviceKey" in event ? event.deviceKey : null)],
                send_id: ["uuid", (event) => ("sendId" in event ? event.sendId : null)],
                data: ["text", (event) => ("data" in event ? JSON.stringify(event.data) : null)],
              })}
            ), recording AS MATERIALIZED (
              SELECT nextval('webhook_recording') AS recording, r.* FROM (
                SELECT workspace_id, environment, type, recorded_at, count(*)::int AS size,
                  array_agg(source_id ORDER BY ord) FILTER (WHERE source_id IS NOT NULL) AS source_ids,
                  array_agg(device_key ORDER BY ord) FILTER (WHERE device_key IS NOT NULL) AS device_keys,
                  array_agg(send_id ORDER BY ord) FILTER (WHERE send_id IS NOT NULL) AS send_ids,
                  array_agg(data ORDER BY ord) FILTER (WHERE data IS NOT NULL) AS data
                FROM given GROUP BY workspace_id, environment, type, recorded_at
              ) AS r
            )
            INSERT INTO webhook_event (workspace_id, environment, webhook_id, recording, type, recorded_at,
              size, source_ids, device_keys, send_ids, data)
            SELECT r.workspace_id, r.environment, w.id, r.recording, r.type, r.recorded_at, r.size,
              r.source_ids, r.device_keys, r.send_ids, r.data
            FROM recording r JOIN webhook w ON ${sameTenant("w", "r")} AND ${listensSql("w", "r.type")}`),
    }),
  ),
);
