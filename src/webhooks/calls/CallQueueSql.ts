import { Effect } from "effect";
import { SqlClient, type SqlError } from "effect/sql";
import { arrayOf, epochMillis, instant, unnested } from "../../database/Rows.ts";
import { run } from "../../database/Statements.ts";
import { sameTenant, tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import { workspaceStatements } from "../../database/WorkspaceGroups.ts";
import { MessageIds } from "../../sending/deliveries/MessageId.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { ownEventIds } from "../EventId.ts";
import type { SealedSecrets } from "../WebhooksSql.ts";
import { eventRowsSql, type RecordedEventRow, type TakenEvent } from "./EventRowsSql.ts";
import { putBackSql } from "./PutBackSql.ts";

/** An active webhook with calls to make. */
export interface DueWebhook extends TenantKey, SealedSecrets {
  readonly id: string;
  /** The public id of its workspace. */
  readonly workspace: string;
  readonly url: string;
  readonly batch: boolean;
}

/** A webhook, and how many calls or events to take for it. */
export interface Asked extends TenantKey {
  readonly webhookId: string;
  readonly room: number;
}

interface WebhookCall {
  readonly webhookId: string;
  readonly id: string;
  readonly type: string;
  /** The events that it carries. */
  readonly eventIds: ReadonlyArray<string>;
  readonly body: string;
}

/** A leased call. */
export interface TakenCall extends WebhookCall {
  /** Failed attempts so far. */
  readonly attempts: number;
  readonly fence: number;
}

/** A call to store. `recordedAt` is in epoch milliseconds. */
export interface NewCall extends TenantKey, WebhookCall {
  readonly recordedAt: number;
}

const askedColumns = {
  ...tenantColumns,
  webhook_id: ["uuid", ({ webhookId }: Asked) => webhookId],
  room: ["int4", ({ room }: Asked) => room],
} as const;

/** Statements that find, take and add the calls of webhooks. Bound: 10,000 webhooks, or 5,000 events. */
export const callQueueSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { byWorkspace, ofWorkspace } = workspaceStatements(sql);
  const messageIds = yield* MessageIds;
  const eventIds = yield* ownEventIds;

  /** Adds the ids of events and messages, which are no columns. */
  const withIds = (rows: Effect.Effect<ReadonlyArray<RecordedEventRow>, SqlError.SqlError>) =>
    Effect.orDie(
      Effect.map(rows, (all) =>
        all.map(({ data, deviceKey, sourceId, ...row }): TakenEvent => {
          const event = { ...row, id: eventIds.idOf(row) };
          if (data === null || deviceKey === null || sourceId === null) return { ...event, data };
          return {
            ...event,
            data: `{"id":"${messageIds.idOf({ sourceId, deviceKey })}",${data.slice(1)}`,
          };
        }),
      ),
    );

  const asked = (webhooks: ReadonlyArray<Asked>) => sql`
      SELECT a.* FROM ${unnested("a", webhooks, askedColumns)}
      JOIN webhook w ON ${sameTenant("w", "a")} AND w.id = a.webhook_id AND w.status = 'active'`;
  const callColumns = sql`c.webhook_id AS "webhookId", c.id, c.type, c.event_ids AS "eventIds", c.body,
      c.attempts::int AS attempts, c.fence`;

  return {
    /** Active webhooks with events or due calls. Two loose index scans, one step per webhook. */
    dueWebhooks: (now: number, limit: number) =>
      Effect.orDie(sql<DueWebhook>`
          WITH RECURSIVE waiting AS (
            (SELECT e.workspace_id, e.environment, e.webhook_id FROM webhook_event e WHERE e.called < e.size
              ORDER BY e.workspace_id, e.environment, e.webhook_id LIMIT 1)
            UNION ALL
            SELECT n.* FROM waiting l CROSS JOIN LATERAL (
              SELECT e.workspace_id, e.environment, e.webhook_id FROM webhook_event e
              WHERE e.called < e.size
                AND (e.workspace_id, e.environment, e.webhook_id)
                  > (l.workspace_id, l.environment, l.webhook_id)
              ORDER BY e.workspace_id, e.environment, e.webhook_id LIMIT 1
            ) AS n
          ), called AS (
            (SELECT c.workspace_id, c.environment, c.webhook_id, c.due_at FROM webhook_call c
              WHERE c.given_up_at IS NULL
              ORDER BY c.workspace_id, c.environment, c.webhook_id, c.due_at LIMIT 1)
            UNION ALL
            SELECT n.* FROM called l CROSS JOIN LATERAL (
              SELECT c.workspace_id, c.environment, c.webhook_id, c.due_at FROM webhook_call c
              WHERE c.given_up_at IS NULL
                AND (c.workspace_id, c.environment, c.webhook_id)
                  > (l.workspace_id, l.environment, l.webhook_id)
              ORDER BY c.workspace_id, c.environment, c.webhook_id, c.due_at LIMIT 1
            ) AS n
          )
          SELECT w.workspace_id AS "workspaceId", w.environment, w.id, s.public_id AS workspace, w.url,
            w.batch, w.secret, w.previous_secret AS "previousSecret",
            ${epochMillis("w.previous_until")} AS "previousUntil"
          FROM (
            SELECT workspace_id, environment, webhook_id FROM waiting
            UNION
            SELECT workspace_id, environment, webhook_id FROM called WHERE due_at <= ${instant(now)}
          ) AS d
          JOIN webhook w ON ${sameTenant("w", "d")} AND w.id = d.webhook_id AND w.status = 'active'
          JOIN workspace s ON s.id = w.workspace_id
          LIMIT ${limit}`),

    /** Leases due calls of active webhooks, the longest due first. */
    takeCalls: (webhooks: ReadonlyArray<Asked>, now: number, leaseMillis: number) =>
      Effect.orDie(sql<TakenCall>`
          WITH asked AS (${asked(webhooks)}), next AS (
            SELECT c.* FROM asked a CROSS JOIN LATERAL (
              SELECT c.workspace_id, c.environment, c.webhook_id, c.id FROM webhook_call c
              WHERE ${sameTenant("c", "a")} AND c.webhook_id = a.webhook_id AND c.given_up_at IS NULL
                AND c.due_at <= ${instant(now)}
              ORDER BY c.due_at LIMIT a.room FOR UPDATE SKIP LOCKED
            ) AS c
          )
          UPDATE webhook_call c SET due_at = ${instant(now + leaseMillis)}, fence = c.fence + 1
          FROM next n WHERE ${sameTenant("c", "n")} AND c.webhook_id = n.webhook_id AND c.id = n.id
          RETURNING ${callColumns}`),

    /**
     * Takes events of active webhooks that are not in a call yet, older recordings first, with their data.
     * Recordings that another worker is taking from are left out.
     */
    takeEvents: (all: ReadonlyArray<Asked>) =>
      withIds(
        byWorkspace(all)(
          (webhooks) => sql<RecordedEventRow>`
          WITH asked AS (${asked(webhooks)}), next AS (
            SELECT e.*, a.room, e.size - e.called AS rest
            FROM asked a CROSS JOIN LATERAL (
              SELECT e.workspace_id, e.environment, e.webhook_id, e.recording, e.size, e.called
              FROM webhook_event e
              WHERE ${sameTenant("e", "a")} AND e.webhook_id = a.webhook_id AND e.called < e.size
              ORDER BY e.recording LIMIT a.room FOR UPDATE SKIP LOCKED
            ) AS e
          ), share AS (
            SELECT n.*, LEAST(n.rest, n.room - (sum(n.rest) OVER (
              PARTITION BY n.workspace_id, n.environment, n.webhook_id ORDER BY n.recording
            ) - n.rest))::int AS count
            FROM next n
          ), taken AS (
            UPDATE webhook_event e SET called = e.called + s.count
            FROM share s
            WHERE s.count > 0 AND ${sameTenant("e", "s")} AND e.webhook_id = s.webhook_id
              AND e.recording = s.recording
            RETURNING e.workspace_id, e.environment, e.webhook_id, e.recording, e.type, e.recorded_at,
              s.called AS first,
              CASE WHEN cardinality(e.source_ids) = 1 THEN e.source_ids
                ELSE e.source_ids[s.called + 1 : s.called + s.count] END AS source_ids,
              e.device_keys[s.called + 1 : s.called + s.count] AS device_keys,
              e.send_ids[s.called + 1 : s.called + s.count] AS send_ids,
              e.data[s.called + 1 : s.called + s.count] AS data
          )
          ${eventRowsSql(sql)}
          ORDER BY 2, 3`,
        ),
      ),

    putBack: putBackSql(sql),

    /** One recorded event of a webhook with its data. */
    event: (tenant: TenantKey, webhookId: string, recording: bigint, index: number) =>
      withIds(
        sql<RecordedEventRow>`
          WITH taken AS (
            SELECT e.workspace_id, e.environment, e.webhook_id, e.recording, e.type, e.recorded_at,
              ${index}::int AS first,
              CASE WHEN cardinality(e.source_ids) = 1 THEN e.source_ids
                ELSE e.source_ids[${index}::int + 1 : ${index}::int + 1] END AS source_ids,
              e.device_keys[${index}::int + 1 : ${index}::int + 1] AS device_keys,
              e.send_ids[${index}::int + 1 : ${index}::int + 1] AS send_ids,
              e.data[${index}::int + 1 : ${index}::int + 1] AS data
            FROM webhook_event e
            WHERE ${tenantIs("e", tenant)} AND e.webhook_id = ${webhookId} AND e.recording = ${recording}
              AND e.size > ${index}
          )
          ${eventRowsSql(sql)}`.pipe(ofWorkspace(tenant.workspaceId)),
      ),

    /** Adds calls that this worker has leased, without those that exist: their event was sent again. */
    insertCalls: (calls: ReadonlyArray<NewCall>, dueAt: number) =>
      Effect.orDie(sql<{ readonly webhookId: string; readonly id: string }>`
          INSERT INTO webhook_call AS c (workspace_id, environment, webhook_id, id, type, event_ids, body,
            recorded_at, due_at)
          SELECT n.workspace_id, n.environment, n.webhook_id, n.id, n.type,
            string_to_array(n.event_ids, ',')::uuid[], n.body, n.recorded_at, ${instant(dueAt)}
          FROM ${unnested("n", calls, {
            ...tenantColumns,
            webhook_id: ["uuid", ({ webhookId }: NewCall) => webhookId],
            id: ["uuid", ({ id }) => id],
            type: ["text", ({ type }) => type],
            event_ids: ["text", ({ eventIds }) => eventIds.join(",")],
            body: ["text", ({ body }) => body],
            recorded_at: ["timestamptz", ({ recordedAt }) => recordedAt],
          })}
          ON CONFLICT DO NOTHING
          RETURNING c.webhook_id AS "webhookId", c.id`),

    /**
     * Adds a call that is due, or makes an existing one due again as if it had never failed. It keeps its
     * body, unless the webhook wants batches now, or no longer.
     */
    callAgain: (call: NewCall, now: number) =>
      run(sql`
          INSERT INTO webhook_call AS c (workspace_id, environment, webhook_id, id, type, event_ids, body,
            recorded_at, due_at)
          VALUES (${call.workspaceId}, ${call.environment}, ${call.webhookId}, ${call.id}, ${call.type},
            ${arrayOf("uuid", call.eventIds)}, ${call.body}, ${instant(now)}, ${instant(now)})
          ON CONFLICT (workspace_id, environment, webhook_id, id) DO UPDATE
          SET due_at = EXCLUDED.due_at, recorded_at = EXCLUDED.recorded_at, attempts = 0, given_up_at = NULL,
            fence = c.fence + 1, type = EXCLUDED.type,
            body = CASE WHEN c.type = EXCLUDED.type THEN c.body ELSE EXCLUDED.body END`),

    /** A call that has failed and carries the event. */
    failedCall: (tenant: TenantKey, webhookId: string, eventId: string) =>
      Effect.map(
        Effect.orDie(sql<{ readonly type: string; readonly body: string }>`
            SELECT c.type, c.body FROM webhook_call c
            WHERE ${tenantIs("c", tenant)} AND c.webhook_id = ${webhookId} AND c.attempts > 0
              AND c.event_ids @> ${arrayOf("uuid", [eventId])}
            LIMIT 1`),
        ([call]) => call ?? null,
      ),
  };
});
