/**
 * Conversions by what was stored before the enrolment of its unit was seen, but is dated after it (contract
 * Z16): by a device whose clock is ahead, or while a transaction was enrolling.
 */
import { Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { arrayOf, epochMillis, instant, unnested } from "../database/Rows.ts";
import { sameTenant, tenantColumns, tenantIs } from "../database/TenantColumns.ts";
import { table, workspaceIs, workspaceStatements } from "../database/WorkspaceGroups.ts";
import { conversionsSql } from "../deltas/ExperimentCountsSql.ts";
import { type CampaignKey, idAt } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

type Campaign = TenantKey & { readonly campaignKey: CampaignKey };

/** A goal that is met by events, as `enrolment` has it. */
interface EventGoal {
  readonly ord: number;
  readonly goal: string;
  /** The locations of a visit that counts; null for any. */
  readonly locations: ReadonlyArray<number> | null;
}

/** New enrolments that were seen, and the first transaction that began later. */
interface Seen {
  readonly ids: ReadonlyArray<number>;
  readonly since: number | null;
  readonly horizon: string;
}

/**
 * Checks new enrolments of campaigns. Gives, by the campaigns whose goal is a visit or an event, the rows
 * of `enrolment_count` whose units need no further check.
 */
export type EarlyGoals = (
  campaigns: ReadonlyArray<Campaign>,
) => Effect.Effect<ReadonlyMap<CampaignKey, ReadonlyArray<bigint>>>;

/** New enrolments of a campaign that one run checks. */
const maxNew = 10_000;
/** How far ahead the clock of a device may be, with a minute for the clocks of servers. */
const maxAheadMillis = 6 * 60_000;

/**
 * A transaction that stores an event has written before it reads enrolments. So once all transactions
 * have ended that had written when an enrolment was seen, all events whose transaction did not see it are
 * stored. A run of the job caches what it has seen, and one of the next finds those events. Bound: 1,000
 * campaigns, and 10,000 new enrolments of each; the others wait for a next run.
 */
export const earlyGoals = (sql: SqlClient.SqlClient): EarlyGoals => {
  const { onShard } = workspaceStatements(sql);
  let seen = new Map<CampaignKey, Seen>();

  const goalsOf = (campaigns: ReadonlyArray<Campaign>) =>
    Effect.orDie(sql<EventGoal>`
      SELECT q.ord::int AS ord,
        CASE c.goal ->> 'type' WHEN 'event' THEN 'event:' || (c.goal ->> 'event') ELSE 'visit' END AS goal,
        CASE WHEN jsonb_exists_any(c.goal, ARRAY['location_ids', 'location_group_ids']) THEN ARRAY (
          SELECT l.key FROM location l
          WHERE ${sameTenant("l", "c")} AND (jsonb_exists(c.goal -> 'location_ids', l.id::text) OR EXISTS (
            SELECT FROM location_group_member m
            WHERE ${sameTenant("m", "l")} AND m.location_id = l.id
              AND jsonb_exists(c.goal -> 'location_group_ids', m.group_id::text)))) END AS locations
      FROM ${unnested("q", campaigns, {
        ...tenantColumns,
        campaign_key: ["int4", (each: Campaign) => each.campaignKey],
      })}
      JOIN campaign c ON ${sameTenant("c", "q")} AND c.key = q.campaign_key
      WHERE c.goal ->> 'type' IN ('visit', 'event')`);

  const newEnrolments = ({ campaignKey, ...tenant }: Campaign) =>
    Effect.map(
      onShard([tenant])(
        () => sql<Seen>`
        SELECT COALESCE(array_agg(c.id::float8), '{}') AS ids, ${epochMillis("min(c.at)")} AS since,
          pg_snapshot_xmax(pg_current_snapshot())::text AS horizon
        FROM (
          SELECT c.id, c.at FROM ${table.enrolment_count} c
          WHERE ${tenantIs("c", tenant)} AND c.campaign_key = ${campaignKey} AND NOT c.is_sum
            AND c.enrolled > 0 LIMIT ${maxNew}
        ) AS c`,
      ),
      (rows) => rows[0],
    );

  const hasEnded = (tenant: TenantKey, horizon: string) =>
    Effect.map(
      onShard([tenant])(
        () => sql<{ readonly ended: boolean }>`
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text::numeric >= ${horizon}::text::numeric AS ended
        FROM ${table.enrolment_count} c WHERE ${tenantIs("c", tenant)} LIMIT 1`,
      ),
      ([row]) => row?.ended ?? false,
    );

  const convert = ({ campaignKey, ...tenant }: Campaign, { goal, locations }: EventGoal, since: number) => {
    const isLate = sql`occurred_at > ${instant(since)}`;
    const events =
      goal === "visit"
        ? sql`
          SELECT v.workspace_id, v.environment, v.occurred_at, v.received_at,
            COALESCE(-d.user_key, d.key) AS unit_key
          FROM ${table.geofence_event} v
          JOIN ${table.device} d ON ${workspaceIs("d", "v")} AND d.environment = v.environment
            AND d.key = v.device_key
          WHERE ${tenantIs("v", tenant)} AND v.${isLate} AND v.type = 'enter'
            ${locations === null ? sql`` : sql`AND v.location_key = ANY (${arrayOf("int4", locations)})`}`
        : sql`
          SELECT v.workspace_id, v.environment, v.occurred_at, v.received_at, v.unit AS unit_key
          FROM ${table.custom_event} v
          WHERE ${tenantIs("v", tenant)} AND v.${isLate} AND v.name = ${goal.slice("event:".length)}::text
            AND v.key >= ${idAt(since - maxAheadMillis)}::text::uuid`;
    return onShard([tenant])(
      () => sql`
        WITH ${conversionsSql(
          sql,
          sql`SELECT v.workspace_id, v.environment, ${campaignKey}::int AS campaign_key, v.unit_key,
            ${goal}::text AS goal, v.occurred_at AS at, v.received_at, false AS is_reply
          FROM (${events}) AS v`,
          // The event that triggers a message enrols at its own instant, and is no conversion of it.
          sql`r.received_at <> e.enrolled_at`,
        )}
        SELECT 1`,
    );
  };

  return Effect.fnUntraced(function* (campaigns) {
    const ready = new Map<CampaignKey, ReadonlyArray<bigint>>();
    const next = new Map<CampaignKey, Seen>();
    if (campaigns.length > 0) {
      for (const goal of yield* goalsOf(campaigns)) {
        const campaign = campaigns[goal.ord - 1];
        if (campaign === undefined) continue;
        const { campaignKey } = campaign;
        const before = seen.get(campaignKey);
        const isReady = before !== undefined && (yield* hasEnded(campaign, before.horizon));
        if (isReady && before.since !== null) yield* convert(campaign, goal, before.since);
        ready.set(campaignKey, isReady ? before.ids.map(BigInt) : []);
        const now = before === undefined || isReady ? yield* newEnrolments(campaign) : before;
        if (now !== undefined) next.set(campaignKey, now);
      }
    }
    seen = next;
    return ready;
  });
};
