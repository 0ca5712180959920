import { Effect } from "effect";
import { instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { run } from "../../database/Statements.ts";
import { tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { CampaignKey, DeviceKey } from "../../wire/Ids.ts";

/** Deliveries that were sent. */
export interface AnsweredPermits extends TenantKey {
  readonly sourceId: bigint;
  /** Null for those that count for the environment alone. */
  readonly campaignKey: CampaignKey | null;
  readonly permits: number;
  /** When, in epoch milliseconds; null in the transaction that says so. */
  readonly answeredAt?: number | null;
}

interface SettledPush {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
  readonly fence: number;
}

/** Statements that record the permits of answered deliveries. Bound: 10,000 rows. */
export class PaceLedgerSql extends SqlService<PaceLedgerSql>("waypost/sending/PaceLedgerSql")((sql) => {
  const add = (answered: ReadonlyArray<AnsweredPermits>) =>
    answered.length === 0
      ? Effect.void
      : run(sql`
          INSERT INTO pace_ledger (workspace_id, environment, source_id, campaign_key, permits, answered_at)
          SELECT workspace_id, environment, source_id, campaign_key, permits, answered_at
          FROM ${unnested("a", answered, {
            ...tenantColumns,
            source_id: ["int8", ({ sourceId }) => sourceId],
            campaign_key: ["int4", ({ campaignKey }) => campaignKey],
            permits: ["int4", ({ permits }) => permits],
            answered_at: ["timestamptz", ({ answeredAt }) => answeredAt ?? null],
          })}`);
  return {
    /** Records permits that are free a minute from now on. */
    add,

    /**
     * Records the permits that pushes hold and give back, before they are settled in the same transaction.
     * One that was never sent has used none.
     */
    giveBack: (tenant: TenantKey, pushes: ReadonlyArray<SettledPush>) =>
      Effect.flatMap(
        Effect.orDie(sql<Omit<AnsweredPermits, keyof TenantKey>>`
          SELECT q.source_id AS "sourceId", CASE WHEN NOT d.test THEN d.campaign_key END AS "campaignKey",
            count(*)::int AS permits
          FROM ${unnested("p", pushes, {
            source_id: ["int8", ({ sourceId }) => sourceId],
            device_key: ["int4", ({ deviceKey }) => deviceKey],
            fence: ["int4", ({ fence }) => fence],
          })}
          JOIN push_queue q ON ${tenantIs("q", tenant)} AND q.source_id = p.source_id
            AND q.device_key = p.device_key AND q.fence = p.fence AND q.permit = 2
          JOIN delivery d ON ${tenantIs("d", tenant)} AND d.source_id = p.source_id
            AND d.device_key = p.device_key AND d.status = 'handed_over'
          GROUP BY 1, 2`),
        (rows) => add(rows.map((row) => ({ ...tenant, ...row }))),
      ),

    /** The rows that no worker has dated, of any environment; after a step of the clock all. */
    undated: (isStepped: boolean) =>
      Effect.orDie(sql<TenantKey & { readonly id: bigint }>`
        SELECT l.workspace_id AS "workspaceId", l.environment, l.id FROM pace_ledger l
        WHERE l.answered_at IS NULL ${isStepped ? sql`OR true` : sql``} LIMIT 10000`),

    /** Dates rows by an instant after they were read, and deletes those from before `until`. */
    date: (seen: ReadonlyArray<TenantKey & { readonly id: bigint }>, now: number, until: number) =>
      run(sql`
        WITH seen AS (
          DELETE FROM pace_ledger l USING ${unnested("s", seen, {
            ...tenantColumns,
            id: ["int8", ({ id }) => id],
          })}
          WHERE l.workspace_id = s.workspace_id AND l.environment = s.environment AND l.id = s.id
          RETURNING l.workspace_id, l.environment, l.source_id, l.campaign_key, l.permits
        ), expired AS (
          DELETE FROM pace_ledger l WHERE l.answered_at < ${instant(until)}
        )
        INSERT INTO pace_ledger (workspace_id, environment, source_id, campaign_key, permits, answered_at)
        SELECT workspace_id, environment, source_id, campaign_key, sum(permits)::int, ${instant(now)}
        FROM seen GROUP BY 1, 2, 3, 4`),
  };
}) {}
