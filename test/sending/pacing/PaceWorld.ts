import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { Pacing } from "../../../src/sending/pacing/Pacing.ts";
import { pushed } from "../push/PushWorld.ts";
import { moveTo, pollAgain, sendWorld } from "../sends/SendWorld.ts";

/** The minute at which the sends of these tests are due. */
export const dueAt = Date.parse("2026-11-21T12:30:00Z");

/** Gives the free permits, waits until the deliveries are sent, and dates their answers. */
export const giveAndSend = Effect.gen(function* () {
  const { releaseDue } = yield* Pacing;
  yield* releaseDue;
  yield* pushed;
  yield* releaseDue;
});

/** Does so at each of second of an interval from the minute on. */
export const passSeconds = (
  from: number,
  to: number,
  between: Effect.Effect<unknown, any, any> = Effect.void,
) =>
  Effect.gen(function* () {
    for (let second = from; second < to; second++) {
      yield* TestClock.setTime(dueAt + second * 1_000);
      yield* pollAgain;
      yield* giveAndSend;
      yield* between;
    }
  });

/** A workspace with devices in Production, and the instants at which its deliveries were sent. */
export const paceWorld = (devices: number) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const sql = yield* SqlClient.SqlClient;
    const { production, waypost, workspace } = world;
    yield* production.crowd(devices);
    return {
      ...world,
      ...production,
      setLimit: (max_per_minute: number | null) =>
        waypost.operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: { max_per_minute } }),
      /** A send of a campaign with these fields, which is due at the minute. */
      planned: (fields: object = {}, more: object = {}, sendAt = "12:30") =>
        Effect.gen(function* () {
          const campaign = yield* production.push(fields);
          yield* production.sent(campaign, sendAt, more);
          return campaign;
        }),
      start: moveTo("2026-11-21T12:30:00Z"),
      /** The pushes in the queue. */
      queued: Effect.orDie(sql`SELECT FROM push_queue WHERE workspace_id = ${production.workspaceId}`),
      /** Seconds after the minute, in order; of one campaign or of all. */
      sentSince: (campaign: string | null = null) =>
        Effect.map(
          Effect.orDie(sql<{ readonly at: number }>`
            SELECT (extract(epoch FROM d.settled_at) * 1000)::float8 AS at FROM delivery d
            LEFT JOIN campaign c ON c.workspace_id = d.workspace_id AND c.environment = d.environment
              AND c.key = d.campaign_key
            WHERE d.workspace_id = ${production.workspaceId} AND d.environment = 'production'
              AND d.settled_at IS NOT NULL AND (${campaign}::uuid IS NULL OR c.id = ${campaign})
            ORDER BY 1`),
          (rows) => rows.map(({ at }) => (at - dueAt) / 1000),
        ),
    };
  });

/** The most instants, in seconds, that any minute has. */
export const maxInAMinute = (seconds: ReadonlyArray<number>): number =>
  Math.max(0, ...seconds.map((from) => seconds.filter((at) => at >= from && at < from + 60).length));
