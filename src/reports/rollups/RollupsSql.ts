import { Context, Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, asNumber, instant, moment, onlyRow } from "../../database/Rows.ts";
import type {
  ChangedStays,
  DeliveryAddition,
  DeliveryKey,
  EventAddition,
  EventKey,
  DeliveryDeltas,
  EventDeltas,
  RollupState,
  RollupTenant,
  WaitingTenant,
} from "./RollupTypes.ts";
import { isComplete } from "./RollupStateSql.ts";
import { staysChanged } from "./VisitsSql.ts";
import type { PackedVisits } from "./encoding/LocationBlock.ts";

const millis = (column: string) => asNumber(`extract(epoch FROM ${column}) * 1000`);

/** Every statement that keeps the rollups. All but `waiting` belong into one transaction with one snapshot. */
export class RollupsSql extends Context.Service<RollupsSql>()("waypost/reports/RollupsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const mine = ({ environment, workspaceId }: RollupTenant) =>
      sql`workspace_id = ${workspaceId} AND environment = ${environment}`;
    const rolledUpFrom = (tenant: RollupTenant) =>
      sql`(SELECT rolled_up_from FROM rollup_state WHERE ${mine(tenant)})`;
    const texts = <A>(of: ReadonlyArray<A>, text: (each: A) => string) => arrayOf("text", of.map(text));
    const integers = <A>(of: ReadonlyArray<A>, key: (each: A) => number) => arrayOf("int4", of.map(key));
    const deliveryKeys = (keys: ReadonlyArray<DeliveryKey>) => sql`
      ${texts(keys, ({ span }) => span)}, ${texts(keys, ({ startsOn }) => startsOn)}::date[],
      ${integers(keys, ({ campaignKey }) => campaignKey)}, ${integers(keys, ({ notificationKey }) => notificationKey)},
      ${texts(keys, ({ contentType }) => contentType)}, ${texts(keys, ({ triggerType }) => triggerType)}`;
    const eventKeys = (keys: ReadonlyArray<EventKey>) => sql`
      ${texts(keys, ({ span }) => span)}, ${texts(keys, ({ startsOn }) => startsOn)}::date[], ${integers(keys, ({ block }) => block)}`;
    const counts = <A>(of: ReadonlyArray<A>, count: (each: A) => number) => arrayOf("float8", of.map(count));

    const deliveryRows = (tenant: RollupTenant, additions: ReadonlyArray<DeliveryAddition>) => sql`
      INSERT INTO delivery_rollup AS r (workspace_id, environment, span, starts_on, campaign_key, notification_key, content_type,
        trigger_type, delivered, failed, reached, devices)
      SELECT ${tenant.workspaceId}, ${tenant.environment}, k.*
      FROM unnest(${deliveryKeys(additions)}, ${counts(additions, ({ delivered }) => delivered)},
        ${counts(additions, ({ failed }) => failed)}, ${counts(additions, ({ reached }) => reached)},
        ${arrayOf(
          "bytea",
          additions.map(({ devices }) => devices),
        )}) AS k`;
    const eventRows = (tenant: RollupTenant, additions: ReadonlyArray<EventAddition>) => sql`
      INSERT INTO event_rollup AS r
        (workspace_id, environment, span, starts_on, block, visits, devices)
      SELECT ${tenant.workspaceId}, ${tenant.environment}, k.*
      FROM unnest(${eventKeys(additions)}, ${arrayOf(
        "bytea",
        additions.map(({ visits }) => visits),
      )}, ${arrayOf(
        "bytea",
        additions.map(({ devices }) => devices),
      )}) AS k`;

    /** Takes feed rows until they tell of about `most` base rows, the oldest first; at least one if there is any. */
    const take = (
      tenant: RollupTenant,
      table: "delivery_delta" | "event_delta",
      most: number,
      columns: Statement.Fragment,
    ) => sql`
      WITH next AS (
        SELECT id FROM (
          SELECT id, sum(cardinality(device_keys)) OVER (ORDER BY id) - cardinality(device_keys) AS before
          FROM (
            SELECT id, device_keys FROM ${sql(table)}
            WHERE ${mine(tenant)} AND quarter >= ${rolledUpFrom(tenant)} ORDER BY id LIMIT 2000) AS oldest) AS summed
        WHERE before < ${most})
      DELETE FROM ${sql(table)} USING next
      WHERE ${mine(tenant)} AND ${sql(table)}.id = next.id
      RETURNING ${columns}`;

    return {
      /**
       * Environments with something in the feed, with rollups that are not complete, or in a zone that is no longer theirs, or with a month that is over
       * and has no rows: those that begin before the given day are.
       */
      waiting: (monthsBefore: string) =>
        Effect.orDie(sql<WaitingTenant>`
        SELECT w.id AS "workspaceId", t.environment, w.timezone
        FROM (
          SELECT workspace_id, environment FROM delivery_delta
          UNION SELECT workspace_id, environment FROM event_delta
          UNION SELECT workspace_id, environment FROM device_delta
          UNION SELECT s.workspace_id, s.environment FROM rollup_state s JOIN workspace w ON w.id = s.workspace_id
          WHERE NOT ${isComplete} OR s.timezone <> w.timezone OR s.devices IS NULL
            OR s.months_before < ${monthsBefore}::text::date) AS t
        JOIN workspace w ON w.id = t.workspace_id
        ORDER BY w.id, t.environment`),

      /** Makes every statement of this transaction see the same snapshot; its first statement. */
      useOneSnapshot: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),

      /** Makes the state of an environment that has none: complete in no zone, so made anew. */
      begin: (tenant: RollupTenant) =>
        Effect.orDie(sql`
          INSERT INTO rollup_state (workspace_id, environment, timezone)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, '') ON CONFLICT DO NOTHING`),

      /** Holds the rollups of an environment until the end of the transaction; no row while another process holds them. */
      hold: (tenant: RollupTenant) =>
        Effect.orDie(sql<RollupState>`
          SELECT timezone, ${millis("rolled_up_from")} AS "rolledUpFrom",
            months_before::text AS "monthsBefore"
          FROM rollup_state WHERE ${mine(tenant)} FOR UPDATE SKIP LOCKED`),

      /** An instant (epoch milliseconds) from the given one on, at which or after which the oldest of the rows is; null if there is none. */
      oldest: (tenant: RollupTenant, fromMs: number | null) => {
        const from = fromMs === null ? sql`'-infinity'::timestamptz` : sql`${instant(fromMs)}`;
        const packed = (table: "compacted_delivery" | "compacted_event") => sql`
          (SELECT GREATEST(day, ${from}) FROM ${sql(table)}
           WHERE ${mine(tenant)} AND day > ${from} - interval '1 day' ORDER BY day LIMIT 1)`;
        return Effect.map(
          Effect.orDie(sql<{ readonly at: number | null }>`
            SELECT ${millis("min(at)")} AS at FROM (
              (SELECT settled_at AS at FROM delivery
               WHERE ${mine(tenant)} AND settled_at >= ${from}
               ORDER BY settled_at LIMIT 1)
              UNION ALL
              (SELECT occurred_at FROM geofence_event
               WHERE ${mine(tenant)} AND occurred_at >= ${from}
               ORDER BY occurred_at LIMIT 1)
              UNION ALL ${packed("compacted_delivery")}
              UNION ALL ${packed("compacted_event")}) AS first`),
          ([row]) => row?.at ?? null,
        );
      },

      /** Counts what the feed says of devices, or all of them where they never were; true if there was anything to do. */
      countDevices: (tenant: RollupTenant) =>
        Effect.map(
          Effect.orDie(sql`
            WITH fed AS (DELETE FROM device_delta WHERE ${mine(tenant)} RETURNING change),
            counted AS (
              SELECT devices + (SELECT COALESCE(sum(change), 0) FROM fed)::int8 AS sum,
                devices IS NULL OR EXISTS (SELECT FROM fed) AS is_due
              FROM rollup_state WHERE ${mine(tenant)})
            UPDATE rollup_state
            SET devices = COALESCE(
              (SELECT sum FROM counted), (SELECT count(*) FROM device WHERE ${mine(tenant)} AND unregistered_at IS NULL))
            WHERE ${mine(tenant)} AND (SELECT is_due FROM counted) RETURNING 1`),
          (rows) => rows.length > 0,
        ),

      /** Deletes rows of the rollups, at most so many of each table; true while there may be more. */
      clear: (tenant: RollupTenant, most: number) =>
        Effect.map(
          onlyRow(sql<{ readonly gone: number }>`
            WITH outcomes AS (
              DELETE FROM delivery_rollup WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM delivery_rollup WHERE ${mine(tenant)} LIMIT ${most})) RETURNING 1),
            visits AS (
              DELETE FROM event_rollup WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM event_rollup WHERE ${mine(tenant)} LIMIT ${most})) RETURNING 1)
            SELECT greatest((SELECT count(*) FROM outcomes), (SELECT count(*) FROM visits))::int AS gone`),
          ({ gone }) => gone >= most,
        ),

      /** Drops what can be seen of the feed: the base rows that can be seen are to be rolled up, all of them. */
      dropDeltas: (tenant: RollupTenant) =>
        Effect.orDie(
          Effect.andThen(
            sql`DELETE FROM delivery_delta WHERE ${mine(tenant)}`,
            sql`DELETE FROM event_delta WHERE ${mine(tenant)}`,
          ),
        ),

      /** Notes what the rollups are made by. */
      note: (tenant: RollupTenant, { monthsBefore, rolledUpFrom, timezone }: RollupState) =>
        Effect.orDie(sql`
          UPDATE rollup_state SET timezone = ${timezone}, rolled_up_from = ${moment(sql, rolledUpFrom)},
            months_before = ${monthsBefore}::text::date
          WHERE ${mine(tenant)}`),

      /** Takes settled deliveries out of the feed, about so many. */
      takeDeliveries: (tenant: RollupTenant, most: number) =>
        Effect.orDie(
          sql<DeliveryDeltas>`${take(
            tenant,
            "delivery_delta",
            most,
            sql`${millis("quarter")} AS quarter, campaign_key, notification_key, content_type, trigger_type, status,
              array_send(device_keys) AS devices`,
          )}`,
        ),

      /** Takes events out of the feed, about so many. */
      takeEvents: (tenant: RollupTenant, most: number) =>
        Effect.orDie(
          sql<EventDeltas>`${take(
            tenant,
            "event_delta",
            most,
            sql`${millis("quarter")} AS quarter, device_keys, location_keys, types, event_ids`,
          )}`,
        ),

      /** How taking in these events changes the stays that are rolled up, those of earlier entries included (contract K5). */
      staysChanged: (tenant: RollupTenant, events: ReadonlyArray<EventDeltas>) =>
        Effect.orDie(
          sql<ChangedStays>`
            SELECT location_key, ${millis("quarter")} AS quarter, ${asNumber("stays")} AS stays, stayed::int8 AS stayed
            FROM (${staysChanged(sql, {
              mine: mine(tenant),
              fresh: sql`
                SELECT * FROM unnest(${arrayOf(
                  "int4",
                  events.flatMap((each) => each.device_keys),
                )}, ${arrayOf(
                  "int4",
                  events.flatMap((each) => each.location_keys),
                )}, ${arrayOf(
                  "uuid",
                  events.flatMap((each) => each.event_ids),
                )}) AS taken (device_key, location_key, id)`,
              later: sql`
                SELECT fed.device_key, fed.id FROM event_delta, unnest(device_keys, event_ids) AS fed (device_key, id)
                WHERE ${mine(tenant)}`,
              until: sql`'infinity'`,
              entries: sql`occurred_at >= ${rolledUpFrom(tenant)}`,
            })}) AS changed`,
        ),

      /** The devices of the rows that there are, each with the place of its key from 1. */
      deliveryDevices: (tenant: RollupTenant, keys: ReadonlyArray<DeliveryKey>) =>
        Effect.orDie(sql<{ readonly ord: number; readonly devices: Uint8Array }>`
          SELECT ord::int AS ord, r.devices
          FROM unnest(${deliveryKeys(keys)}) WITH ORDINALITY
            AS k (span, starts_on, campaign_key, notification_key, content_type, trigger_type, ord)
          JOIN delivery_rollup r USING (span, starts_on, campaign_key, notification_key, content_type, trigger_type)
          WHERE ${mine(tenant)}`),

      /** The rows that there are, each with the place of its key from 1. */
      eventBlocks: (tenant: RollupTenant, keys: ReadonlyArray<EventKey>) =>
        Effect.orDie(sql<PackedVisits & { readonly ord: number }>`
          SELECT ord::int AS ord, r.visits, r.devices
          FROM unnest(${eventKeys(keys)}) WITH ORDINALITY AS k (span, starts_on, block, ord)
          JOIN event_rollup r USING (span, starts_on, block)
          WHERE ${mine(tenant)}`),

      /** Makes rows that there are not. */
      insertDeliveries: (tenant: RollupTenant, additions: ReadonlyArray<DeliveryAddition>) =>
        Effect.orDie(deliveryRows(tenant, additions)),

      /** Adds to rows, or makes them. */
      addDeliveries: (tenant: RollupTenant, additions: ReadonlyArray<DeliveryAddition>) =>
        Effect.orDie(sql`${deliveryRows(tenant, additions)}
          ON CONFLICT (workspace_id, environment, span, campaign_key, starts_on, notification_key, content_type, trigger_type)
          DO UPDATE SET delivered = r.delivered + EXCLUDED.delivered, failed = r.failed + EXCLUDED.failed,
            reached = EXCLUDED.reached, devices = EXCLUDED.devices`),

      /** Makes rows that there are not. */
      insertEvents: (tenant: RollupTenant, additions: ReadonlyArray<EventAddition>) =>
        Effect.orDie(eventRows(tenant, additions)),

      /** Makes rows, or puts them in the place of those that there are. */
      putEvents: (tenant: RollupTenant, blocks: ReadonlyArray<EventAddition>) =>
        Effect.orDie(sql`${eventRows(tenant, blocks)}
          ON CONFLICT (workspace_id, environment, span, block, starts_on)
          DO UPDATE SET visits = EXCLUDED.visits, devices = EXCLUDED.devices`),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupsSql, RollupsSql.make);
}
