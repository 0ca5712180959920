import { Clock, Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../../../src/database/Rows.ts";
import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { TestDatabase } from "../../database/TestDatabase.ts";
import { type Cut, CutConnections } from "../../matrices/CutConnections.ts";
import type { Dice } from "../Dice.ts";
import { manualWorkersOn } from "../ManualWorkers.ts";
import { periodsOf } from "./ZoneOracle.ts";

export const MINUTE_MS = 60_000;
/** In these 30 days clocks change in New York, Amsterdam, Nuuk (out of its day), Lord Howe and Chatham. */
export const begin = Date.UTC(2027, 2, 8);
export const zones = [
  "UTC",
  "Europe/Amsterdam",
  "America/New_York",
  "America/Nuuk",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
  "Asia/Kathmandu",
].map((zone) => ({ zone, periods: periodsOf(zone, begin, begin + 40 * DAY_MS) }));

/** The connections that a test cuts. */
export class Connections extends Context.Service<Connections, CutConnections>()(
  "waypost/test/SendConnections",
) {
  static readonly layer = Layer.effect(Connections, CutConnections.make);
}
/** Manual workers over connections that a test cuts. */
export const overCutConnections = Layer.unwrap(
  Effect.map(Connections, ({ path }) => manualWorkersOn(TestDatabase.layerThrough(path))),
).pipe(Layer.provideMerge(Connections.layer));

/** A random time of day. */
export const hhmm = (dice: Dice) =>
  `${String(dice.below(24)).padStart(2, "0")}:${String(dice.below(60)).padStart(2, "0")}`;
/** The date of a day in milliseconds. */
export const dateText = (day: number) => new Date(day).toISOString().slice(0, 10);

/** Random quiet hours, or null for none. */
export const quietHours = (dice: Dice) => {
  const [from, to] = [hhmm(dice), hhmm(dice)];
  return dice.chance(0.4) && from !== to
    ? { from, to, action: dice.chance(0.5) ? ("hold" as const) : ("drop" as const) }
    : null;
};

/** A random failure of a connection. */
export const anyCut = (dice: Dice): Cut =>
  dice.chance(0.5)
    ? { at: "statement", number: 1 + dice.below(10) }
    : { at: dice.chance(0.5) ? "before commit" : "after commit" };

/** Whether a workspace has a send that runs or is due. */
export const hasOpenSends = (workspaceId: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const now = yield* Clock.currentTimeMillis;
    const rows = yield* sql`SELECT FROM send s WHERE s.workspace_id = ${workspaceId}
      AND (s.status = 'running' OR (s.status = 'scheduled' AND s.due_at <= ${instant(now)}))`;
    return rows.length > 0;
  });

/** The sends of a workspace whose figures add up, a line each, with the devices that each reached. */
export const sentLines = (workspaceId: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const rows = yield* sql<{ readonly line: string }>`
      WITH reached AS (
        SELECT source_id, string_agg(device_key::text, ',' ORDER BY device_key) AS devices
        FROM delivery WHERE workspace_id = ${workspaceId} GROUP BY 1)
      SELECT concat_ws(' ', s.campaign_id, s.notification_id,
        to_char(s.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), s.status, s.targeted,
        r.devices) AS line
      FROM send s LEFT JOIN reached r USING (source_id)
      WHERE s.workspace_id = ${workspaceId} AND s.targeted = s.delivered + s.held AND s.failed = 0`;
    return rows.map(({ line }) => line.trim());
  });
