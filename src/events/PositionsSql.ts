import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import type { Environment } from "../workspaces/Environment.ts";

/** A device as positions know it. */
export interface TrackedDevice {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly deviceNo: number;
}

/** A device and a place. */
export interface DevicePlace extends TrackedDevice {
  readonly locationNo: number;
}

/** Of a device (`ord`, from 1) its last position (no `location_no`), or a place and whether it is there; epoch milliseconds. */
export interface KnownRow {
  readonly ord: number;
  readonly location_no: number | null;
  readonly inside: boolean | null;
  readonly at: number;
}

/** Every statement on where devices are. */
export class PositionsSql extends Context.Service<PositionsSql>()("waypost/events/PositionsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const keys = (devices: ReadonlyArray<TrackedDevice>) =>
      sql`${arrayOf(
        "int4",
        devices.map((device) => device.workspaceId),
      )}, ${arrayOf(
        "text",
        devices.map((device) => device.environment),
      )}, ${arrayOf(
        "int4",
        devices.map((device) => device.deviceNo),
      )}`;
    const millis = (column: string) => sql.literal(`(extract(epoch FROM ${column}) * 1000)::float8`);

    return {
      /**
       * Holds the devices and their last positions until the end of the transaction, always in the same order; a device that has
       * unregistered has no row. What is known of them is to be read by a later statement: this one sees it as it was before it waited.
       */
      hold: (devices: ReadonlyArray<TrackedDevice>) =>
        Effect.orDie(sql<{ readonly ord: number }>`
          WITH held AS MATERIALIZED (
            SELECT workspace_id, environment, no, k.ord
            FROM unnest(${keys(devices)}) WITH ORDINALITY AS k (workspace_id, environment, no, ord)
            JOIN device d USING (workspace_id, environment, no)
            WHERE d.unregistered_at IS NULL
            ORDER BY workspace_id, environment, no
            FOR NO KEY UPDATE OF d
          ), fixed AS (
            INSERT INTO device_fix AS f (workspace_id, environment, device_no, recorded_at)
            SELECT workspace_id, environment, no, '-infinity' FROM held ORDER BY workspace_id, environment, no
            ON CONFLICT (workspace_id, environment, device_no) DO UPDATE SET recorded_at = f.recorded_at
          )
          SELECT ord::int AS ord FROM held`),

      /**
       * The devices' last positions, the places that they are at, and what is known of these other places, each with `ord` as its
       * device's place in the first list. No device may be given twice.
       */
      known: (
        devices: ReadonlyArray<TrackedDevice>,
        places: ReadonlyArray<{ readonly ord: number; readonly locationNo: number }>,
      ) =>
        Effect.orDie(sql<KnownRow>`
          WITH k AS MATERIALIZED (
            SELECT * FROM unnest(${keys(devices)}) WITH ORDINALITY AS k (workspace_id, environment, device_no, ord)
          )
          SELECT k.ord::int AS ord, NULL::int AS location_no, NULL::boolean AS inside, ${millis("f.recorded_at")} AS at
          FROM k JOIN device_fix f USING (workspace_id, environment, device_no)
          UNION ALL
          SELECT k.ord::int, p.location_no, true, ${millis("p.changed_at")}
          FROM k JOIN device_place p USING (workspace_id, environment, device_no) WHERE p.inside
          UNION ALL
          SELECT k.ord::int, p.location_no, false, ${millis("p.changed_at")}
          FROM unnest(${arrayOf(
            "int4",
            places.map((place) => place.ord),
          )}, ${arrayOf(
            "int4",
            places.map((place) => place.locationNo),
          )}) AS c (ord, location_no)
          JOIN k USING (ord)
          JOIN device_place p USING (workspace_id, environment, device_no, location_no) WHERE NOT p.inside`),

      /**
       * Notes the last positions of devices, each once and always in the same order, `previous` being the ones known before; null for
       * none. Gives those (`ord`, from 1) for which that is still so, and which are registered.
       */
      keep: (
        devices: ReadonlyArray<TrackedDevice>,
        recordedAt: ReadonlyArray<number>,
        previous: ReadonlyArray<number | null>,
      ) =>
        Effect.orDie(sql<{ readonly ord: number }>`
          WITH k AS MATERIALIZED (
            SELECT * FROM unnest(${keys(devices)}, ${arrayOf("timestamptz", recordedAt)}, ${arrayOf("timestamptz", previous)})
              WITH ORDINALITY AS k (workspace_id, environment, no, recorded_at, previous_at, ord)
          ), kept AS (
            INSERT INTO device_fix AS f (workspace_id, environment, device_no, recorded_at, previous_at)
            SELECT workspace_id, environment, no, k.recorded_at, k.previous_at
            FROM k JOIN device d USING (workspace_id, environment, no)
            WHERE d.unregistered_at IS NULL
            ORDER BY workspace_id, environment, no
            ON CONFLICT (workspace_id, environment, device_no)
              DO UPDATE SET recorded_at = EXCLUDED.recorded_at, previous_at = EXCLUDED.previous_at
              WHERE f.recorded_at = COALESCE(EXCLUDED.previous_at, '-infinity')
            RETURNING workspace_id, environment, device_no AS no
          )
          SELECT k.ord::int AS ord FROM k JOIN kept USING (workspace_id, environment, no)`),

      /** Forgets which of these places held devices are at, as far as there is no such place any more. */
      forget: (places: ReadonlyArray<DevicePlace>) =>
        Effect.orDie(sql`
          DELETE FROM device_place p
          USING unnest(${keys(places)}, ${arrayOf(
            "int4",
            places.map((place) => place.locationNo),
          )}) AS g (workspace_id, environment, device_no, location_no)
          WHERE p.workspace_id = g.workspace_id AND p.environment = g.environment AND p.device_no = g.device_no
            AND p.location_no = g.location_no
            AND NOT EXISTS (SELECT FROM location l
              WHERE l.workspace_id = p.workspace_id AND l.environment = p.environment AND l.no = p.location_no)`),
    };
  }),
}) {
  static readonly layer = Layer.effect(PositionsSql, PositionsSql.make);
}
