import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { writeDeliveries, writeEvents } from "../../SourceRows.ts";

/**
 * The part of three in which a row of a history comes. Each part has late events and deliveries of any day.
 */
export const partOf = (number: number): number => ((number % 3) + 3) % 3;

/** Removes the deliveries and events of a workspace. Gives a function that inserts a part of them again. */
export const setAside = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`workspace_id = ${workspaceId}`;
  yield* sql`CREATE TABLE IF NOT EXISTS aside_delivery (LIKE delivery)`;
  yield* sql`CREATE TABLE IF NOT EXISTS aside_event (LIKE geofence_event)`;
  yield* sql`INSERT INTO aside_delivery SELECT * FROM delivery WHERE ${mine}`;
  yield* sql`INSERT INTO aside_event SELECT * FROM geofence_event WHERE ${mine}`;
  const derived = ["delivery_delta", "event_delta", "interaction_delta", "rollup_state"];
  for (const table of ["delivery", "geofence_event", ...derived]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE ${mine}`;
  }
  return Effect.fnUntraced(function* (part: number) {
    const deliveries = sql`${mine} AND (source_id - 1) % 3 = ${part}`;
    // Statements of several sizes; the last part is inserted unsettled and then settled by one statement.
    if (part === 2) {
      yield* writeDeliveries(sql`
        INSERT INTO delivery
        SELECT (jsonb_populate_record(d, '{"status": "queued", "settled_at": null, "opened_at": null,
          "clicked_at": null}')).*
        FROM aside_delivery d
        WHERE ${deliveries}`);
      // Opens and clicks come later, one statement for each or for both.
      for (const [columns, changes] of [
        [sql`status = a.status, settled_at = a.settled_at`, { settles: true }],
        [sql`opened_at = a.opened_at`, { opens: true }],
        [sql`opened_at = a.opened_at, clicked_at = a.clicked_at`, { clicks: true }],
      ] as const) {
        yield* writeDeliveries(
          sql`
          UPDATE delivery SET ${columns} FROM aside_delivery a
          WHERE a.workspace_id = ${workspaceId} AND delivery.workspace_id = a.workspace_id
            AND delivery.environment = a.environment AND delivery.source_id = a.source_id
            AND delivery.device_key = a.device_key AND (a.source_id - 1) % 3 = ${part}`,
          changes,
        );
      }
    } else {
      for (let chunk = 0; chunk < 4; chunk++) {
        yield* writeDeliveries(sql`
          INSERT INTO delivery SELECT * FROM aside_delivery
          WHERE ${deliveries} AND source_id % 4 = ${chunk}`);
      }
    }
    yield* writeEvents(sql`
      INSERT INTO geofence_event SELECT * FROM aside_event
      WHERE ${mine} AND ((extract(epoch FROM occurred_at) * 1000)::int8 % 3 + 3) % 3 = ${part}`);
  }, Effect.orDie);
}, Effect.orDie);
