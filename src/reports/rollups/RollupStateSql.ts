import { Effect } from "effect";
import { Statement } from "effect/sql";
import { epochMillis, instant, moment, onlyRow } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { rowCount, run } from "../../database/Statements.ts";
import { inTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { RollupCoverage } from "./reading/ScopeSplit.ts";
import type { RollupBacklog } from "./RollupMetrics.ts";
import type { EnvironmentRollups, PendingTenant, RollupState } from "./RollupTypes.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** Whether rollups are complete, over the columns of `rollup_state`. */
export const isComplete = Statement.fragment([Statement.literal("rolled_up_from = '-infinity'")]);

/** The tables of rollups, with the columns of their primary keys in an environment. */
const rollupTables = {
  delivery_rollup: ["span", "campaign_key", "starts_on", "notification_key", "content_type", "trigger_type"],
  event_rollup: ["span", "block", "starts_on"],
  interaction_rollup: [
    "span",
    "starts_on",
    "campaign_key",
    "notification_key",
    "content_type",
    "trigger_type",
  ],
  answer_rollup: ["span", "notification_key", "campaign_key", "starts_on", "question_id"],
} as const;

const rolledUpFrom = epochMillis("rolled_up_from");

/** Statements about the state of rollups: what they cover, and what is left to do. Bound: 2 a workspace. */
export class RollupStateSql extends SqlService<RollupStateSql>("waypost/reports/rollups/RollupStateSql")(
  (sql) => {
    /** The oldest instant of a table in an environment. */
    const oldest = (tenant: TenantKey, table: string, column: string) => sql`
      (SELECT ${sql(column)} AS at FROM ${sql(table)}
       WHERE ${inTenant(tenant)} AND ${sql(column)} IS NOT NULL
       ORDER BY ${sql(column)} LIMIT 1)`;
    /** How many days the source rows of an environment begin before an instant (epoch milliseconds). */
    const daysBefore = (tenant: TenantKey, beforeMs: number) =>
      Effect.map(
        onlyRow(sql<{ readonly at: number | null }>`
          SELECT ${epochMillis("min(at)")} AS at FROM (
            ${oldest(tenant, "delivery", "settled_at")}
            UNION ALL ${oldest(tenant, "geofence_event", "occurred_at")}
            UNION ALL ${oldest(tenant, "survey_response", "first_answered_at")}
            UNION ALL ${oldest(tenant, "compacted_delivery", "day")}
            UNION ALL ${oldest(tenant, "compacted_event", "day")}) AS source`),
        ({ at }) => (at === null ? 0 : Math.max((beforeMs - at) / 86_400_000, 0)),
      );
    /** How many deltas a table has in all environments, counted up to 100,000. */
    const deltasIn = (table: string) =>
      sql`(SELECT count(*)::int FROM (SELECT 1 FROM ${sql(table)} LIMIT 100000) AS d)`;

    return {
      /** Makes every statement of this transaction read the same snapshot. It must be the first. */
      useSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),

      /** The same for a transaction that only reads. */
      useReadSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`),

      /** Returns the coverage of an environment's rollups; no row where they are not in this time zone. */
      coverage: (tenant: TenantKey, timezone: TimeZoneName) =>
        Effect.orDie(sql<RollupCoverage>`
          SELECT ${rolledUpFrom} AS "rolledUpFrom", months_before::text AS "monthsBefore" FROM rollup_state
          WHERE ${inTenant(tenant)} AND timezone = ${timezone}`),

      /**
       * Environments with pending deltas, with rollups that are incomplete or in another time zone than
       * their workspace, or with a past month that has no rows: one that begins before the given day.
       */
      pending: (monthsBefore: string) =>
        Effect.orDie(sql<PendingTenant>`
          WITH changed AS MATERIALIZED (
            SELECT workspace_id, environment FROM delivery_delta
            UNION SELECT workspace_id, environment FROM event_delta
            UNION SELECT workspace_id, environment FROM interaction_delta
            UNION SELECT workspace_id, environment FROM answer_delta
            UNION SELECT workspace_id, environment FROM device_delta),
          state AS MATERIALIZED (
            SELECT workspace_id, environment, timezone,
              NOT ${isComplete} OR devices IS NULL OR months_before < ${monthsBefore}::text::date AS is_due
            FROM rollup_state)
          SELECT w.id AS "workspaceId", t.environment, w.timezone
          FROM (
            SELECT workspace_id, environment FROM changed
            UNION SELECT s.workspace_id, s.environment
              FROM state s JOIN workspace w ON w.id = s.workspace_id
              WHERE s.is_due OR s.timezone <> w.timezone) AS t
          JOIN workspace w ON w.id = t.workspace_id
          ORDER BY w.id, t.environment`),

      /** The work that is left in all environments, at an instant (epoch milliseconds). */
      backlog: Effect.fnUntraced(function* (now: number) {
        const incomplete = yield* Effect.orDie(sql<TenantKey & { readonly rolledUpFrom: number }>`
          WITH state AS MATERIALIZED (
            SELECT workspace_id, environment, timezone, rolled_up_from FROM rollup_state)
          SELECT s.workspace_id AS "workspaceId", s.environment,
            ${epochMillis("rolled_up_from")} AS "rolledUpFrom"
          FROM (
            SELECT s.workspace_id, s.environment,
              CASE WHEN s.timezone = w.timezone THEN LEAST(s.rolled_up_from, ${instant(now)})
                ELSE ${instant(now)} END AS rolled_up_from
            FROM state s JOIN workspace w ON w.id = s.workspace_id
            WHERE NOT ${isComplete} OR s.timezone <> w.timezone) AS s`);
        const deltas = yield* onlyRow(sql<Omit<RollupBacklog, "rebuilding" | "days">>`
          SELECT ${deltasIn("delivery_delta")} AS deliveries, ${deltasIn("event_delta")} AS events,
            ${deltasIn("interaction_delta")} AS interactions, ${deltasIn("answer_delta")} AS answers`);
        let days = 0;
        for (const { rolledUpFrom: from, ...tenant } of incomplete) days += yield* daysBefore(tenant, from);
        return { ...deltas, rebuilding: incomplete.length, days } satisfies RollupBacklog;
      }),

      /** Creates the state of an environment that has none, as invalid. */
      create: (tenant: TenantKey) =>
        Effect.orDie(sql`
          INSERT INTO rollup_state (workspace_id, environment, timezone)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, '') ON CONFLICT DO NOTHING`),

      /** Locks the rollups of an environment for the transaction; no row if another has them. */
      lock: (tenant: TenantKey) =>
        Effect.orDie(sql<RollupState>`
          SELECT timezone, ${rolledUpFrom} AS "rolledUpFrom", months_before::text AS "monthsBefore"
          FROM rollup_state WHERE ${inTenant(tenant)} FOR UPDATE SKIP LOCKED`),

      /** Saves what the rollups cover. */
      save: (tenant: TenantKey, { monthsBefore, rolledUpFrom, timezone }: RollupState) =>
        Effect.orDie(sql`
          UPDATE rollup_state SET timezone = ${timezone}, rolled_up_from = ${moment(sql, rolledUpFrom)},
            months_before = ${monthsBefore}::text::date
          WHERE ${inTenant(tenant)}`),

      /** Adds the pending deltas of registered devices, or counts all devices where they never were. */
      countDevices: (tenant: TenantKey) =>
        Effect.gen(function* () {
          const [state] = yield* Effect.orDie(sql<{ readonly isCounted: boolean }>`
            WITH taken AS (DELETE FROM device_delta WHERE ${inTenant(tenant)} RETURNING change),
            added AS (SELECT sum(change)::int8 AS sum FROM taken),
            changed AS (
              UPDATE rollup_state SET devices = devices + (SELECT sum FROM added)
              WHERE ${inTenant(tenant)} AND (SELECT sum FROM added) IS NOT NULL RETURNING devices)
            SELECT devices IS NOT NULL AS "isCounted" FROM changed
            UNION ALL SELECT false FROM rollup_state WHERE ${inTenant(tenant)} AND devices IS NULL`);
          if (state === undefined || state.isCounted) return;
          yield* run(sql`
            WITH counted AS MATERIALIZED (
              SELECT count(*) AS devices FROM device WHERE ${inTenant(tenant)} AND unregistered_at IS NULL)
            UPDATE rollup_state SET devices = (SELECT devices FROM counted) WHERE ${inTenant(tenant)}`);
        }),

      /** The state of each environment that has rollups or pending deltas. */
      environments: Effect.orDie(sql<EnvironmentRollups>`
        WITH pending AS MATERIALIZED (
          SELECT workspace_id, environment, count(*)::int AS deltas FROM (
            SELECT workspace_id, environment FROM delivery_delta
            UNION ALL SELECT workspace_id, environment FROM event_delta
            UNION ALL SELECT workspace_id, environment FROM interaction_delta
            UNION ALL SELECT workspace_id, environment FROM answer_delta) AS delta
          GROUP BY 1, 2),
        state AS MATERIALIZED (
          SELECT workspace_id, environment, timezone, rolled_up_from FROM rollup_state)
        SELECT w.public_id AS workspace, w.name, environment,
          CASE WHEN s.timezone IS DISTINCT FROM w.timezone THEN 'invalid'
            WHEN ${isComplete} THEN 'complete' ELSE 'rebuilding' END AS state,
          COALESCE(deltas, 0) AS pending_deltas
        FROM state s FULL JOIN pending USING (workspace_id, environment)
        JOIN workspace w ON w.id = workspace_id
        ORDER BY workspace_id, environment`),

      /** Invalidates the rollups of all environments; gives how many. */
      invalidateAll: rowCount(sql`UPDATE rollup_state SET timezone = '' RETURNING 1`),

      /** Deletes rollups, at most so many rows of each table; true while there may be more. */
      clear: Effect.fnUntraced(function* (tenant: TenantKey, limit: number) {
        let hasMore = false;
        for (const [table, key] of Object.entries(rollupTables)) {
          const deleted = yield* Effect.orDie(sql`
            WITH next AS MATERIALIZED (
              SELECT ${sql.literal(key.join(", "))} FROM ${sql(table)}
              WHERE ${inTenant(tenant)} LIMIT ${limit})
            DELETE FROM ${sql(table)} AS r USING next
            WHERE ${tenantIs("r", tenant)}
              AND ${sql.literal(key.map((column) => `r.${column} = next.${column}`).join(" AND "))}
            RETURNING 1`);
          hasMore = hasMore || deleted.length >= limit;
        }
        return hasMore;
      }),
    };
  },
) {}
