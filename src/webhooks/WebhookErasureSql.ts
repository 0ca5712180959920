import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, unnested } from "../database/Rows.ts";
import { firstRow, run } from "../database/Statements.ts";
import { inTenant, tenantIs } from "../database/TenantColumns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { NewCall } from "./calls/CallQueueSql.ts";

/** A call whose body has a text. */
export type FoundCall = Pick<NewCall, "webhookId" | "id" | "body">;

/** A call with some of its events left. */
export type ReducedCall = Pick<NewCall, "webhookId" | "id" | "body" | "eventIds">;

const callKey = {
  webhook_id: ["uuid", ({ webhookId }: FoundCall) => webhookId],
  id: ["uuid", ({ id }: FoundCall) => id],
} as const;

/** The last recording of a page. */
export interface Recording {
  readonly webhookId: string;
  readonly recording: bigint;
}

/** Statements that erase events about a person. Bound: 100 calls or recordings (a page). */
export const webhookErasureSql = Effect.map(SqlClient.SqlClient, (sql) => {
  const has = (text: ReturnType<typeof sql.literal>, texts: ReadonlyArray<string>) => sql`EXISTS (
        SELECT FROM unnest(${arrayOf("text", texts)}) AS n (text) WHERE strpos(${text}, n.text) > 0)`;
  return {
    /**
     * Removes the data of events with one of these texts from up to `limit` recordings after one. Other
     * events keep their index. Gives the last of the page, null if it was not full.
     */
    eraseEvents: (tenant: TenantKey, texts: ReadonlyArray<string>, after: Recording, limit: number) =>
      firstRow(sql<Recording>`
            WITH page AS MATERIALIZED (
              SELECT e.webhook_id, e.recording, EXISTS (
                  SELECT FROM unnest(e.data) AS u (data) WHERE ${has(sql.literal("u.data"), texts)}
                ) AS is_erased
              FROM (
                SELECT * FROM webhook_event e
                WHERE ${tenantIs("e", tenant)}
                  AND (e.webhook_id, e.recording) > (${after.webhookId}::uuid, ${after.recording}::bigint)
                ORDER BY e.webhook_id, e.recording LIMIT ${limit}
              ) AS e
            ), erased AS (
              UPDATE webhook_event e SET data = ARRAY (
                SELECT CASE WHEN ${has(sql.literal("u.data"), texts)} THEN NULL ELSE u.data END
                FROM unnest(e.data) WITH ORDINALITY AS u (data, ord) ORDER BY u.ord)
              WHERE ${tenantIs("e", tenant)}
                AND e.webhook_id = ANY (ARRAY (SELECT webhook_id FROM page WHERE is_erased))
                AND e.recording = ANY (ARRAY (SELECT recording FROM page WHERE is_erased))
                AND e.data IS NOT NULL
            )
            SELECT webhook_id AS "webhookId", recording FROM page WHERE (SELECT count(*) FROM page) = ${limit}
            ORDER BY page.webhook_id DESC, page.recording DESC LIMIT 1`),

    /** Locks up to `limit` calls with one of these texts. */
    findCalls: (tenant: TenantKey, texts: ReadonlyArray<string>, limit: number) =>
      Effect.orDie(sql<FoundCall>`
            SELECT c.webhook_id AS "webhookId", c.id, c.body FROM webhook_call c
            WHERE ${tenantIs("c", tenant)} AND ${has(sql.literal("c.body"), texts)}
            LIMIT ${limit} FOR UPDATE`),

    deleteCalls: (tenant: TenantKey, calls: ReadonlyArray<FoundCall>) =>
      run(sql`
            DELETE FROM webhook_call c USING ${unnested("k", calls, callKey)}
            WHERE ${tenantIs("c", tenant)} AND c.webhook_id = k.webhook_id AND c.id = k.id`),

    /** Stores what is left of calls. A worker that is making one cannot store its outcome. */
    reduceCalls: (tenant: TenantKey, calls: ReadonlyArray<ReducedCall>) =>
      run(sql`
            UPDATE webhook_call c SET body = k.body, fence = c.fence + 1,
              event_ids = string_to_array(k.event_ids, ',')::uuid[]
            FROM ${unnested("k", calls, {
              ...callKey,
              body: ["text", ({ body }) => body],
              event_ids: ["text", ({ eventIds }) => eventIds.join(",")],
            })}
            WHERE ${tenantIs("c", tenant)} AND c.webhook_id = k.webhook_id AND c.id = k.id`),

    /** Whether the environment has any row to search. */
    hasRows: (tenant: TenantKey) =>
      Effect.map(
        Effect.orDie(sql<{ readonly has: boolean }>`
              SELECT EXISTS (SELECT FROM webhook_event WHERE ${inTenant(tenant)})
                OR EXISTS (SELECT FROM webhook_call WHERE ${inTenant(tenant)}) AS has`),
        ([row]) => row?.has === true,
      ),
  };
});
