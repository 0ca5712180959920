import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { asNumber, epochMillis, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { type Period, within } from "../SourceRowsSql.ts";
import { inTenant } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type {
  AnswerDelta,
  DeliveryDelta,
  InteractionDelta,
  PendingEvent,
  VisitChange,
} from "./RollupTypes.ts";
import { visitChanges } from "./VisitChangesSql.ts";

const deltaTables = ["delivery_delta", "event_delta", "interaction_delta", "answer_delta"];

/** A row of `event_delta`: events of a quarter of an hour, in parallel arrays. */
interface EventDelta {
  readonly quarter: number;
  readonly device_keys: ReadonlyArray<number>;
  readonly location_keys: ReadonlyArray<number>;
  readonly types: ReadonlyArray<string>;
  readonly event_ids: ReadonlyArray<string>;
}

/** The statements that take deltas out of their tables, in the transaction of `RollupStateSql.lock`. */
export class RollupDeltasSql extends SqlService<RollupDeltasSql>("waypost/reports/rollups/RollupDeltasSql")(
  // Bound: 2,000 deltas, or those of the range of a report.
  (sql) => {
    const rolledUpFrom = (tenant: TenantKey) =>
      sql`(SELECT rolled_up_from FROM rollup_state WHERE ${inTenant(tenant)})`;

    /** Takes deltas of about `limit` source rows, the oldest first; at least one if there is any. */
    const take = (
      tenant: TenantKey,
      table: "delivery_delta" | "event_delta",
      limit: number,
      columns: Statement.Fragment,
    ) => sql`
      WITH next AS (
        SELECT id FROM (
          SELECT id, sum(cardinality(device_keys)) OVER (ORDER BY id) - cardinality(device_keys) AS before
          FROM (
            SELECT id, device_keys FROM ${sql(table)}
            WHERE ${inTenant(tenant)} AND quarter >= ${rolledUpFrom(tenant)}
            ORDER BY id LIMIT 2000) AS oldest) AS summed
        WHERE before < ${limit}),
      taken AS (
        DELETE FROM ${sql(table)} USING next
        WHERE ${inTenant(tenant)} AND ${sql(table)}.id = next.id
        RETURNING ${sql(table)}.*)
      SELECT ${columns} FROM taken`;

    const takeOldest = (tenant: TenantKey, table: "interaction_delta" | "answer_delta", limit: number) => sql`
      DELETE FROM ${sql(table)} AS d USING (
        SELECT id FROM ${sql(table)}
        WHERE ${inTenant(tenant)} AND quarter >= ${rolledUpFrom(tenant)}
        ORDER BY id LIMIT ${limit}) AS next
      WHERE ${inTenant(tenant)} AND d.id = next.id RETURNING d.*`;

    const remove = (condition: Statement.Fragment) =>
      Effect.orDie(
        Effect.forEach(deltaTables, (table) => sql`DELETE FROM ${sql(table)} WHERE ${condition}`, {
          discard: true,
        }),
      );

    return {
      /** Takes deltas of about so many settled deliveries. */
      takeDeliveries: (tenant: TenantKey, limit: number) =>
        Effect.orDie(
          sql<DeliveryDelta>`/* deltas of deliveries */ ${take(
            tenant,
            "delivery_delta",
            limit,
            sql`${epochMillis("quarter")} AS quarter, campaign_key, notification_key, content_type,
              trigger_type, status, array_send(device_keys) AS devices`,
          )}`,
        ),

      /** Takes deltas of about so many events; gives these one by one. */
      takeEvents: (tenant: TenantKey, limit: number) =>
        Effect.map(
          Effect.orDie(
            sql<EventDelta>`/* deltas of events */ ${take(
              tenant,
              "event_delta",
              limit,
              sql`${epochMillis("quarter")} AS quarter, device_keys, location_keys, types, event_ids`,
            )}`,
          ),
          (taken) =>
            taken.flatMap(({ device_keys, event_ids, location_keys, quarter, types }) =>
              device_keys.map((device, index): PendingEvent => {
                const [location, id, type] = [location_keys[index], event_ids[index], types[index]];
                return { device, location: location ?? 0, id: id ?? "", type: type ?? "", quarter };
              }),
            ),
        ),

      /** Takes so many deltas of interactions, the oldest first. */
      takeInteractions: (tenant: TenantKey, limit: number) =>
        Effect.orDie(sql<InteractionDelta>`
          WITH taken AS (${takeOldest(tenant, "interaction_delta", limit)})
          SELECT ${epochMillis("quarter")} AS quarter, campaign_key, notification_key, content_type,
            trigger_type, opened, clicked, responses FROM taken`),

      /** Takes so many deltas of answers, the oldest first. */
      takeAnswers: (tenant: TenantKey, limit: number) =>
        Effect.orDie(sql<AnswerDelta>`
          WITH taken AS (${takeOldest(tenant, "answer_delta", limit)})
          SELECT ${epochMillis("quarter")} AS quarter, campaign_key, notification_key, question_id,
            jsonb_build_object(value, change) AS counts FROM taken`),

      /** How the events of taken deltas change the visits that are rolled up (contract K5). */
      changedVisits: (tenant: TenantKey, events: ReadonlyArray<PendingEvent>) =>
        Effect.orDie(sql<VisitChange & { readonly quarter: number }>`
          SELECT location_key, ${epochMillis("quarter")} AS quarter, ${asNumber("visits")} AS visits,
            visit_micros::int8 AS "visitMicros"
          FROM (${visitChanges(sql, {
            mine: inTenant(tenant),
            added: sql`SELECT device_key, location_key, id, type, quarter FROM ${unnested("taken", events, {
              device_key: ["int4", ({ device }) => device],
              location_key: ["int4", ({ location }) => location],
              id: ["uuid", ({ id }) => id],
              type: ["text", ({ type }) => type],
              quarter: ["timestamptz", ({ quarter }) => quarter],
            })}`,
            ignored: sql`
              SELECT each.device_key, each.id
              FROM event_delta, unnest(device_keys, event_ids) AS each (device_key, id)
              WHERE ${inTenant(tenant)}`,
            entries: sql`occurred_at >= ${rolledUpFrom(tenant)}`,
          })}) AS changed`),

      /** Deletes all deltas that this snapshot sees: a rebuild counts their source rows. */
      deleteAll: (tenant: TenantKey) => remove(inTenant(tenant)),

      /** Deletes the deltas of a period that is rebuilt. */
      deletePeriod: (tenant: TenantKey, period: Period) =>
        remove(sql`${inTenant(tenant)} AND ${within(sql, "quarter", period)}`),
    };
  },
) {}
