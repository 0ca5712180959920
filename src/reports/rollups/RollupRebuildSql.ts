import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, asNumber, instant, moment, onlyRow } from "../../database/Rows.ts";
import { makesStays, compactedDeliveries, compactedEvents } from "../SourceRowsSql.ts";
import { outcomeKinds, type OutcomeColumns, type RollupTenant, type VisitColumns } from "./RollupTypes.ts";
import { halvesOf, microsOf } from "./encoding/BinaryArrays.ts";

/** Entries without an exit up to an instant (epoch milliseconds), a column each. */
export interface OpenEntries {
  readonly devices: ReadonlyArray<number>;
  readonly locations: ReadonlyArray<number>;
  readonly fromMs: number;
}

/** Every statement that makes rollups of base rows. All belong into one transaction with one snapshot, that of `RollupsSql.hold`. */
export class RollupBuilderSql extends Context.Service<RollupBuilderSql>()(
  "waypost/reports/RollupBuilderSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const mine = ({ environment, workspaceId }: RollupTenant) =>
        sql`workspace_id = ${workspaceId} AND environment = ${environment}`;
      const within = (column: string, fromMs: number, toMs: number) =>
        sql`${sql(column)} >= ${instant(fromMs)} AND ${sql(column)} < ${instant(toMs)}`;
      /** A column as `array_send` writes it; no bytes where there is no row. */
      const column = (expression: string, name: string) =>
        sql.literal(`COALESCE(array_send(array_agg(${expression})), '') AS ${name}`);
      const kind = `(CASE ${outcomeKinds
        .map(
          ({ contentType, triggerType }, place) =>
            `WHEN content_type = '${contentType}' AND trigger_type = '${triggerType}' THEN ${place}`,
        )
        .join(" ")} END)`;

      /** Deliveries as columns. */
      const outcomes = (rows: Statement.Fragment) =>
        Effect.map(
          onlyRow(sql<{
            readonly whose: Uint8Array;
            readonly what: Uint8Array;
            readonly settled: Uint8Array;
          }>`
            SELECT ${column("(campaign_key::int8 << 32) | device_key::int8", "whose")},
              ${column(`(notification_key::int8 << 32) | (2 * ${kind} + (status = 'delivered')::int)::int8`, "what")},
              ${column("settled_at", "settled")}
            FROM (${rows}) AS outcome`),
          ({ settled, what, whose }): OutcomeColumns => {
            const [campaigns, devices] = halvesOf(whose);
            const [notifications, how] = halvesOf(what);
            return {
              campaigns,
              devices,
              notifications,
              ...bitsOf(how),
              settled: microsOf(settled),
            };
          },
        );

      /** Events as columns. */
      const visits = (rows: Statement.Fragment) =>
        Effect.map(
          onlyRow(sql<{ readonly whose: Uint8Array; readonly what: Uint8Array; readonly at: Uint8Array }>`
            SELECT ${column("(location_key::int8 << 32) | device_key::int8", "whose")},
              ${column("(COALESCE(stayed, -1) << 2) | (2 * makes_stays::int + (type = 'enter')::int)::int8", "what")},
              ${column("occurred_at", "at")}
            FROM (${rows}) AS visit`),
          ({ at, what, whose }): VisitColumns => {
            const [locations, devices] = halvesOf(whose);
            const [highs, lows] = halvesOf(what);
            return {
              locations,
              devices,
              ...staysOf(highs, lows),
              at: microsOf(at),
            };
          },
        );

      /** Events in the feed, as a query: `device_key`, `id`. */
      const fed = (tenant: RollupTenant) => sql`
      SELECT fed.device_key, fed.id FROM event_delta, unnest(device_keys, event_ids) AS fed (device_key, id)
      WHERE ${mine(tenant)}`;
      /** Counts already, over `geofence_event AS e`: it is not in the feed, if that has any. */
      const counts = (tenant: RollupTenant, isFed: boolean) =>
        isFed
          ? sql`NOT EXISTS (SELECT FROM (${fed(tenant)}) AS f WHERE f.device_key = e.device_key AND f.id = e.id)`
          : sql`true`;

      return {
        /** More memory than other statements have, until the transaction ends. */
        takeRoom: Effect.orDie(sql`SET LOCAL work_mem = '64MB'`),

        /** How many rows a time has, of deliveries or events whichever are more: as the planner expects, for to count them would take longer than to read them. */
        expected: (tenant: RollupTenant, fromMs: number, toMs: number) => {
          const planned = (table: "delivery" | "geofence_event", at: "settled_at" | "occurred_at") =>
            Effect.map(
              onlyRow(sql<{
                readonly "QUERY PLAN": readonly [{ readonly Plan: { readonly "Plan Rows": number } }];
              }>`
                EXPLAIN (FORMAT JSON) SELECT 1 FROM ${sql(table)} WHERE ${mine(tenant)} AND ${within(at, fromMs, toMs)}`),
              (row) => row["QUERY PLAN"][0].Plan["Plan Rows"],
            );
          const packed = (table: "compacted_delivery" | "compacted_event") =>
            Effect.map(
              onlyRow(sql<{ readonly rows: number }>`
                SELECT ${asNumber("COALESCE(sum(cardinality(device_keys)), 0)")} AS rows FROM ${sql(table)}
                WHERE ${mine(tenant)} AND day > ${instant(fromMs)} - interval '24 hours' AND day < ${instant(toMs)}`),
              ({ rows }) => rows,
            );
          return Effect.map(
            Effect.all([
              Effect.zipWith(
                planned("delivery", "settled_at"),
                packed("compacted_delivery"),
                (one, more) => one + more,
              ),
              Effect.zipWith(
                planned("geofence_event", "occurred_at"),
                packed("compacted_event"),
                (one, more) => one + more,
              ),
            ]),
            ([deliveries, events]) => Math.max(deliveries, events),
          );
        },

        /** An instant (epoch milliseconds) that no row from before the given one is behind; null if there is none. */
        newest: (tenant: RollupTenant, beforeMs: number) => {
          const before = moment(sql, beforeMs);
          const packed = (table: "compacted_delivery" | "compacted_event") => sql`
          (SELECT LEAST(day + interval '24 hours', ${before}) FROM ${sql(table)}
           WHERE ${mine(tenant)} AND day < ${before} ORDER BY day DESC LIMIT 1)`;
          return Effect.map(
            onlyRow(sql<{ readonly at: number | null }>`
            SELECT ${asNumber("extract(epoch FROM max(at)) * 1000")} AS at FROM (
              (SELECT settled_at AS at FROM delivery
               WHERE ${mine(tenant)} AND settled_at < ${before} ORDER BY settled_at DESC LIMIT 1)
              UNION ALL
              (SELECT occurred_at FROM geofence_event
               WHERE ${mine(tenant)} AND occurred_at < ${before} ORDER BY occurred_at DESC LIMIT 1)
              UNION ALL ${packed("compacted_delivery")} UNION ALL ${packed("compacted_event")}) AS last`),
            ({ at }) => at,
          );
        },

        /** Drops what the feed has of a time whose base rows are to be added up, all of them. */
        dropApplied: (tenant: RollupTenant, fromMs: number, toMs: number) =>
          Effect.orDie(
            Effect.andThen(
              sql`DELETE FROM delivery_delta WHERE ${mine(tenant)} AND ${within("quarter", fromMs, toMs)}`,
              sql`DELETE FROM event_delta WHERE ${mine(tenant)} AND ${within("quarter", fromMs, toMs)}`,
            ),
          ),

        /** The settled deliveries of a time, at most so many. */
        outcomes: (tenant: RollupTenant, fromMs: number, toMs: number, most: number) =>
          outcomes(sql`
          SELECT * FROM delivery WHERE ${mine(tenant)} AND ${within("settled_at", fromMs, toMs)} LIMIT ${most}`),

        /** The packed deliveries of a time. */
        packedOutcomes: (tenant: RollupTenant, fromMs: number, toMs: number) =>
          outcomes(sql`
          SELECT * FROM (${compactedDeliveries(sql, { fromMs, toMs })}) AS packed
          WHERE ${mine(tenant)} AND ${within("settled_at", fromMs, toMs)}`),

        /** Whether the feed has any event. */
        isFed: (tenant: RollupTenant) =>
          Effect.map(
            Effect.orDie(sql`SELECT 1 AS fed FROM event_delta WHERE ${mine(tenant)} LIMIT 1`),
            (rows) => rows.length > 0,
          ),

        /** The events of a time, at most so many. */
        visits: (tenant: RollupTenant, fromMs: number, toMs: number, most: number) =>
          visits(sql`
          SELECT device_key, location_key, type, ${makesStays(sql, mine(tenant))} AS makes_stays, NULL::int8 AS stayed, occurred_at
          FROM geofence_event WHERE ${mine(tenant)} AND ${within("occurred_at", fromMs, toMs)} LIMIT ${most}`),

        /** The packed events of a time, whose stays are known. */
        packedVisits: (tenant: RollupTenant, fromMs: number, toMs: number) =>
          visits(sql`
          SELECT device_key, location_key, type, false AS makes_stays, stayed, occurred_at
          FROM (${compactedEvents(sql, { fromMs, toMs })}) AS packed
          WHERE ${mine(tenant)} AND ${within("occurred_at", fromMs, toMs)}`),

        /** The first exits of a time that end stays, at most so many, in its order. Events in the feed do not count; `isFed` tells whether to look. */
        exits: (tenant: RollupTenant, fromMs: number, toMs: number, most: number, isFed: boolean) =>
          visits(sql`
          SELECT device_key, location_key, type, true AS makes_stays, NULL::int8 AS stayed, occurred_at FROM geofence_event AS e
          WHERE ${mine(tenant)} AND ${within("occurred_at", fromMs, toMs)} AND type = 'exit'
            AND ${makesStays(sql, mine(tenant))} AND ${counts(tenant, isFed)}
          ORDER BY occurred_at LIMIT ${most}`),

        /** When the devices of these entries left next, from an instant on, in microseconds since 1970: each with the place of its entry from 1. */
        lateExits: (tenant: RollupTenant, { devices, fromMs, locations }: OpenEntries, isFed: boolean) =>
          Effect.orDie(sql<{ readonly ord: number; readonly at: number }>`
          SELECT ord::int AS ord, ${asNumber("extract(epoch FROM min(e.occurred_at)) * 1000000")} AS at
          FROM unnest(${arrayOf("int4", devices)}, ${arrayOf("int4", locations)}) WITH ORDINALITY
            AS open (device_key, location_key, ord)
          JOIN (
            SELECT device_key, location_key, id, occurred_at FROM geofence_event
            WHERE ${mine(tenant)} AND type = 'exit' AND occurred_at >= ${instant(fromMs)}
              AND ${makesStays(sql, mine(tenant))}) AS e
          USING (device_key, location_key)
          WHERE ${counts(tenant, isFed)}
          GROUP BY ord`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RollupBuilderSql, RollupBuilderSql.make);
}

/** As loops, for `from` and `map` take many times as long. */
const bitsOf = (how: Int32Array): Pick<OutcomeColumns, "kinds" | "delivered"> => {
  const kinds = new Int32Array(how.length);
  const delivered = new Uint8Array(how.length);
  for (let row = 0; row < how.length; row++) {
    const each = how[row] ?? 0;
    kinds[row] = each >> 1;
    delivered[row] = each & 1;
  }
  return { kinds, delivered };
};

const staysOf = (highs: Int32Array, lows: Int32Array): Pick<VisitColumns, "entered" | "pairs" | "stayed"> => {
  const entered = new Uint8Array(lows.length);
  const pairs = new Uint8Array(lows.length);
  const stayed = new Float64Array(lows.length);
  for (let row = 0; row < lows.length; row++) {
    const [high, low] = [highs[row] ?? 0, lows[row] ?? 0];
    entered[row] = low & 1;
    pairs[row] = (low >> 1) & 1;
    stayed[row] = high < 0 ? Number.NaN : high * 1_073_741_824 + (low >>> 2);
  }
  return { entered, pairs, stayed };
};
