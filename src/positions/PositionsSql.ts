import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import type { Environment } from "../workspaces/Environment.ts";

/** A device as positions know it. */
export interface PositionDevice {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly deviceKey: number;
}

/** A device and a place. */
export interface DeviceLocation extends PositionDevice {
  readonly locationKey: number;
}

/**
 * Of a device (`ord`, from 1) its last position (no `location_key`; null for none), or a place and whether it is there; epoch
 * milliseconds.
 */
export type KnownRow =
  | { readonly ord: number; readonly location_key: null; readonly inside: null; readonly at: number | null }
  | { readonly ord: number; readonly location_key: number; readonly inside: boolean; readonly at: number };

/** Positions of a device that were all at the same places, by their numbers in order; epoch milliseconds. */
export interface UnchangedPositions {
  readonly first: number;
  readonly last: number;
  readonly places: ReadonlyArray<number>;
}

/** Every statement on where devices are. */
export class PositionsSql extends Context.Service<PositionsSql>()("waypost/events/PositionsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const keys = (devices: ReadonlyArray<PositionDevice>) =>
      sql`${arrayOf(
        "int4",
        devices.map((device) => device.workspaceId),
      )}, ${arrayOf(
        "text",
        devices.map((device) => device.environment),
      )}, ${arrayOf(
        "int4",
        devices.map((device) => device.deviceKey),
      )}`;
    /** Whether a row is the device's in `k`. */
    const isOf = (table: string) =>
      sql.literal(
        `${table}.workspace_id = k.workspace_id AND ${table}.environment = k.environment AND ${table}.device_key = k.device_key`,
      );
    const millis = (column: string) => sql.literal(`(extract(epoch FROM ${column}) * 1000)::float8`);

    return {
      /**
       * Holds the devices and their last positions until the end of the transaction, always in the same order; a device that has
       * unregistered has no row. What is known of them is to be read by a later statement: this one sees it as it was before it waited.
       */
      hold: (devices: ReadonlyArray<PositionDevice>) =>
        Effect.orDie(sql<{ readonly ord: number }>`
          WITH held AS MATERIALIZED (
            SELECT workspace_id, environment, key, k.ord
            FROM unnest(${keys(devices)}) WITH ORDINALITY AS k (workspace_id, environment, key, ord)
            JOIN device d USING (workspace_id, environment, key)
            WHERE d.unregistered_at IS NULL
            ORDER BY workspace_id, environment, key
            FOR NO KEY UPDATE OF d
          ), fixed AS (
            INSERT INTO device_position AS f (workspace_id, environment, device_key, recorded_at)
            SELECT workspace_id, environment, key, '-infinity' FROM held ORDER BY workspace_id, environment, key
            ON CONFLICT (workspace_id, environment, device_key) DO UPDATE SET recorded_at = f.recorded_at
          )
          SELECT ord::int AS ord FROM held`),

      /**
       * The devices' last positions, the places that they are at, and what is known of these other places, each with `ord` as its
       * device's place in the first list. No device may be given twice.
       */
      known: (
        devices: ReadonlyArray<PositionDevice>,
        places: ReadonlyArray<{ readonly ord: number; readonly locationKey: number }>,
      ) =>
        Effect.orDie(sql<KnownRow>`
          WITH k AS MATERIALIZED (
            SELECT * FROM unnest(${keys(devices)}) WITH ORDINALITY AS k (workspace_id, environment, device_key, ord)
          )
          SELECT k.ord::int AS ord, NULL::int AS location_key, NULL::boolean AS inside, ${millis("f.recorded_at")} AS at
          FROM k JOIN device_position f USING (workspace_id, environment, device_key)
          UNION ALL
          SELECT k.ord::int, p.location_key, true, ${millis("p.changed_at")}
          FROM k JOIN device_location p USING (workspace_id, environment, device_key) WHERE p.inside
          UNION ALL
          SELECT k.ord::int, p.location_key, false, ${millis("p.changed_at")}
          FROM unnest(${arrayOf(
            "int4",
            places.map((place) => place.ord),
          )}, ${arrayOf(
            "int4",
            places.map((place) => place.locationKey),
          )}) AS c (ord, location_key)
          JOIN k USING (ord)
          JOIN device_location p USING (workspace_id, environment, device_key, location_key) WHERE NOT p.inside`),

      /**
       * Notes the last positions of devices, each once and always in the same order, `previous` being the ones known before; null for
       * none. Gives those (`ord`, from 1) for which that is still so, and which are registered.
       */
      keep: (
        devices: ReadonlyArray<PositionDevice>,
        recordedAt: ReadonlyArray<number>,
        previous: ReadonlyArray<number | null>,
      ) =>
        Effect.orDie(sql<{ readonly ord: number }>`
          WITH k AS MATERIALIZED (
            SELECT * FROM unnest(${keys(devices)}, ${arrayOf("timestamptz", recordedAt)}, ${arrayOf("timestamptz", previous)})
              WITH ORDINALITY AS k (workspace_id, environment, key, recorded_at, previous_at, ord)
          ), kept AS (
            INSERT INTO device_position AS f (workspace_id, environment, device_key, recorded_at, previous_at)
            SELECT workspace_id, environment, key, k.recorded_at, k.previous_at
            FROM k JOIN device d USING (workspace_id, environment, key)
            WHERE d.unregistered_at IS NULL
            ORDER BY workspace_id, environment, key
            ON CONFLICT (workspace_id, environment, device_key)
              DO UPDATE SET recorded_at = EXCLUDED.recorded_at, previous_at = EXCLUDED.previous_at
              WHERE f.recorded_at = COALESCE(EXCLUDED.previous_at, '-infinity')
            RETURNING workspace_id, environment, device_key AS key
          )
          SELECT k.ord::int AS ord FROM k JOIN kept USING (workspace_id, environment, key)`),

      /**
       * Notes the last positions of those devices whose positions are all news, and were at the places that they are known to be
       * at: nearly all, and nobody need be told anything of these. Of the others, gives what `known` gives, each with a row for its
       * last position. One statement: what was read is still so where it is noted, as that is the condition. No device may be given
       * twice; null for one whose positions are to be followed.
       */
      settle: (
        devices: ReadonlyArray<PositionDevice>,
        steady: ReadonlyArray<UnchangedPositions | null>,
        places: ReadonlyArray<{ readonly ord: number; readonly locationKey: number }>,
      ) =>
        Effect.orDie(sql<KnownRow>`
          WITH k AS MATERIALIZED (
            SELECT k.*, f.recorded_at AS previous_at
            FROM unnest(${keys(devices)}, ${arrayOf(
              "timestamptz",
              steady.map((fixes) => fixes?.first ?? null),
            )}, ${arrayOf(
              "timestamptz",
              steady.map((fixes) => fixes?.last ?? null),
            )}, ${arrayOf(
              "text",
              steady.map((fixes) => (fixes === null ? null : `{${fixes.places.join()}}`)),
            )}) WITH ORDINALITY AS k (workspace_id, environment, device_key, first_at, last_at, places, ord)
            LEFT JOIN LATERAL (SELECT f.recorded_at FROM device_position f WHERE ${isOf("f")} OFFSET 0) AS f ON true
          ), kept AS (
            INSERT INTO device_position AS f (workspace_id, environment, device_key, recorded_at, previous_at)
            SELECT workspace_id, environment, device_key, k.last_at, k.previous_at
            FROM k
            WHERE (k.previous_at IS NULL OR k.previous_at < k.first_at)
              AND k.places::int4[] = ARRAY(
                SELECT p.location_key FROM device_location p WHERE ${isOf("p")} AND p.inside ORDER BY p.location_key)
              AND EXISTS (SELECT FROM device d
                WHERE d.workspace_id = k.workspace_id AND d.environment = k.environment AND d.key = k.device_key
                  AND d.unregistered_at IS NULL)
            ORDER BY workspace_id, environment, device_key
            ON CONFLICT (workspace_id, environment, device_key)
              DO UPDATE SET recorded_at = EXCLUDED.recorded_at, previous_at = EXCLUDED.previous_at
              WHERE f.recorded_at = COALESCE(EXCLUDED.previous_at, '-infinity')
            RETURNING workspace_id, environment, device_key
          ), other AS MATERIALIZED (
            SELECT * FROM k WHERE NOT EXISTS (SELECT FROM kept WHERE ${isOf("kept")})
          )
          SELECT k.ord::int AS ord, NULL::int AS location_key, NULL::boolean AS inside, ${millis("k.previous_at")} AS at FROM other k
          UNION ALL
          SELECT k.ord::int, p.location_key, true, ${millis("p.changed_at")}
          FROM other k CROSS JOIN LATERAL (
            SELECT p.location_key, p.changed_at FROM device_location p WHERE ${isOf("p")} AND p.inside OFFSET 0
          ) AS p
          UNION ALL
          SELECT k.ord::int, p.location_key, false, ${millis("p.changed_at")}
          FROM unnest(${arrayOf(
            "int4",
            places.map((place) => place.ord),
          )}, ${arrayOf(
            "int4",
            places.map((place) => place.locationKey),
          )}) AS c (ord, location_key)
          JOIN other k USING (ord)
          CROSS JOIN LATERAL (
            SELECT p.location_key, p.changed_at FROM device_location p
            WHERE ${isOf("p")} AND p.location_key = c.location_key AND NOT p.inside OFFSET 0
          ) AS p`),

      /** Forgets which of these places held devices are at, as far as there is no such place any more. */
      forget: (places: ReadonlyArray<DeviceLocation>) =>
        Effect.orDie(sql`
          DELETE FROM device_location p
          USING unnest(${keys(places)}, ${arrayOf(
            "int4",
            places.map((place) => place.locationKey),
          )}) AS g (workspace_id, environment, device_key, location_key)
          WHERE p.workspace_id = g.workspace_id AND p.environment = g.environment AND p.device_key = g.device_key
            AND p.location_key = g.location_key
            AND NOT EXISTS (SELECT FROM location l
              WHERE l.workspace_id = p.workspace_id AND l.environment = p.environment AND l.key = p.location_key)`),
    };
  }),
}) {
  static readonly layer = Layer.effect(PositionsSql, PositionsSql.make);
}
