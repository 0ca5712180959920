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
       * Holds the devices until the end of the transaction, always in the same order; one that has unregistered has no row. What is known
       * of them is to be read by a later statement: this one sees it as it was before it waited.
       */
      hold: (devices: ReadonlyArray<TrackedDevice>) =>
        Effect.orDie(sql<{ readonly ord: number }>`
          SELECT k.ord::int AS ord
          FROM unnest(${keys(devices)}) WITH ORDINALITY AS k (workspace_id, environment, no, ord)
          JOIN device d USING (workspace_id, environment, no)
          WHERE d.unregistered_at IS NULL
          ORDER BY d.workspace_id, d.environment, d.no
          FOR NO KEY UPDATE OF d`),

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

      /** Notes the last positions of held devices, each once. */
      keep: (devices: ReadonlyArray<TrackedDevice>, recordedAt: ReadonlyArray<number>) =>
        Effect.orDie(sql`
          INSERT INTO device_fix (workspace_id, environment, device_no, recorded_at)
          SELECT * FROM unnest(${keys(devices)}, ${arrayOf("timestamptz", recordedAt)})
          ON CONFLICT (workspace_id, environment, device_no) DO UPDATE SET recorded_at = EXCLUDED.recorded_at`),

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
