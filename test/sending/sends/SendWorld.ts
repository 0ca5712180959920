import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { SendScheduler } from "../../../src/sending/sends/SendScheduler.ts";
import type { Environment } from "../../../src/workspaces/Environment.ts";
import { sentBody } from "../../given/GivenBodies.ts";
import { type GivenOptions, givenWorkspace } from "../../given/GivenWorkspace.ts";
import { testStart } from "../../TestWaypost.ts";

/** Moves the time, and waits until this process has run everything that is due. */
export const moveTo = (time: string) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse(time));
    yield* (yield* SendScheduler).caughtUp;
  });

/** Makes the worker poll, and waits until it has caught up. */
export const pollAgain = Effect.flatMap(SendScheduler, ({ caughtUp }) => caughtUp);

/** A send without the names of its campaign and notification. */
export const withoutNames = ({ campaign_name: _campaign, notification_name: _notification, ...send }: any) =>
  send;

/**
 * Inserts registered and approved devices with consecutive keys, in browsers, or on iOS where `iosEvery`
 * divides the key.
 */
export const insertCrowd = Effect.fnUntraced(function* (
  { environment, workspaceId }: { readonly environment: Environment; readonly workspaceId: number },
  count: number,
  iosEvery = 0,
) {
  const sql = yield* SqlClient.SqlClient;
  const [numbered] = yield* sql<{ readonly last: number }>`
    UPDATE tenant SET last_device_key = last_device_key + ${count}
    WHERE workspace_id = ${workspaceId} AND environment = ${environment}
    RETURNING last_device_key AS last`;
  const last = numbered?.last ?? 0;
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
      approved, token_digest, registered_at, last_seen_at)
    SELECT ${workspaceId}, ${environment}, ${last}::int - n, gen_random_uuid(), 'crowd-' || ${last}::int - n,
      CASE mod(${last}::int - n, nullif(${iosEvery}::int, 0)) WHEN 0 THEN 'ios' ELSE 'web' END,
      'inbox', true, decode(repeat('00', 32), 'hex'), '2026-11-01Z', '2026-11-01Z'
    FROM generate_series(0, ${count}::int - 1) AS n`;
  yield* sql`
    INSERT INTO device_delta (workspace_id, environment, change)
    VALUES (${workspaceId}, ${environment}, ${count})`;
}, Effect.orDie);

/** A workspace at the start of test time, with helpers for sends, through the HTTP interfaces alone. */
export const sendWorld = (options: GivenOptions = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* givenWorkspace(options);
    const sql = yield* SqlClient.SqlClient;
    const side = (environment: Environment) => {
      const own = world[environment];
      /** All sends of the operator interface, oldest first, without the names, which follow renames. */
      const sends = (query = "") =>
        Effect.map(own.asOperator(`/sends?limit=100${query}`), ({ body }) =>
          (body.data as Array<any>).map(withoutNames).toReversed(),
        );
      return {
        ...own,
        /** Updates the message of `sent`. */
        resent: (campaign: string, notification: string, sendAt: string, fields: object = {}) =>
          own.edit(campaign, notification, sentBody(sendAt, fields)),
        sends,
        /** The status and figures of the oldest send. */
        figures: Effect.map(sends(), ([{ delivered, failed, status, targeted }]) => [
          status,
          targeted,
          delivered,
          failed,
        ]),
        /** Pauses or publishes a campaign. */
        ask: (campaign: string, what: "pause" | "publish") =>
          own.platform(`/campaigns/${campaign}/${what}`, { method: "POST" }),
        remove: (path: string) => own.platform(`/campaigns/${path}`, { method: "DELETE" }),
        crowd: (count: number, options: { readonly iosEvery?: number } = {}) =>
          insertCrowd(own, count, options.iosEvery),
        /** The number of deliveries of each device, highest first. */
        deliveries: Effect.orDie(sql<{ readonly device_key: number; readonly count: number }>`
          SELECT device_key, count(*)::int AS count FROM delivery
          WHERE workspace_id = ${own.workspaceId} AND environment = ${environment}
          GROUP BY 1 ORDER BY 2 DESC, 1`),
      };
    };
    return { ...world, sandbox: side("sandbox"), production: side("production") };
  });
