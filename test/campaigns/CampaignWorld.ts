import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { arrayOf, instant, jsonb } from "../../src/database/Rows.ts";
import { idAt } from "../../src/wire/Ids.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";

type Options = Parameters<TestWaypost["Service"]["tenant"]>[0];

/** A notification on a campaign, as the notifications slice stores it. */
interface Attached {
  readonly name?: string;
  readonly sendAt?: string;
  readonly windowStart?: string;
  readonly windowEnd?: string;
}

const anyPlatform = { attribute: "platform", op: "exists", value: true };

const millis = (text: string | undefined) => (text === undefined ? null : Date.parse(text));

/** A tenant at the start of the test, with rows of other slices that campaigns can target and send. */
export const campaignWorld = (options?: Options) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const waypost = yield* TestWaypost;
    const workspaces = yield* Workspaces;
    const sql = yield* SqlClient.SqlClient;
    const tenant = yield* waypost.tenant(options);
    const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
    const now = instant(testStart);
    const run = <A>(statement: Effect.Effect<A, unknown>) => Effect.orDie(statement);

    const locations = (count: number, environment: Environment = "sandbox") => {
      const ids = Array.from({ length: count }, () => idAt(testStart));
      return Effect.as(
        run(sql`
          INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
            created_at, updated_at)
          SELECT ${workspaceId}, ${environment}, id, 'Shop', 'circle', 52, 5, 100, ${now}, ${now}
          FROM unnest(${arrayOf("uuid", ids)}) AS id`),
        ids,
      );
    };
    const named = (table: "location_group" | "segment", name: string, environment: Environment) => {
      const id = idAt(testStart);
      const rule = table === "segment" ? sql`, rule` : sql``;
      const value =
        table === "segment" ? sql`, ${jsonb({ match: "all", conditions: [anyPlatform] })}` : sql``;
      return Effect.as(
        run(sql`
          INSERT INTO ${sql(table)} (workspace_id, environment, id, name, created_at, updated_at${rule})
          VALUES (${workspaceId}, ${environment}, ${id}, ${name}, ${now}, ${now}${value})`),
        id,
      );
    };

    return {
      ...tenant,
      workspaceId,
      locations,
      location: (environment: Environment = "sandbox") =>
        Effect.map(locations(1, environment), ([id]) => id ?? ""),
      group: (name: string, environment: Environment = "sandbox") =>
        named("location_group", name, environment),
      segment: (name: string, environment: Environment = "sandbox") => named("segment", name, environment),

      /** Attaches a new notification to a campaign, and with `onto` to another one. */
      attach: (campaign: string, how: Attached = {}) =>
        Effect.gen(function* () {
          const id = idAt(testStart);
          yield* run(sql`
            WITH content AS (
              INSERT INTO content
                (workspace_id, environment, notification_id, type, headline, body, created_at)
              VALUES (${workspaceId}, 'sandbox', ${id}, 'message', 'Hello', 'World', ${now}) RETURNING key
            )
            INSERT INTO notification
              (workspace_id, environment, id, name, type, content_key, created_at, updated_at)
            SELECT ${workspaceId}, 'sandbox', ${id}, ${how.name ?? "Greeting"}, 'message', key, ${now}, ${now}
            FROM content`);
          yield* run(attachment(campaign, id, how));
          return id;
        }),
      onto: (campaign: string, notification: string, how: Attached = {}) =>
        run(attachment(campaign, notification, how)),

      notifications: run(
        sql<{ readonly id: string }>`
          SELECT id FROM notification WHERE workspace_id = ${workspaceId} ORDER BY id`,
      ).pipe(Effect.map((rows) => rows.map((row) => row.id))),
      contents: run(
        sql<{ readonly notification_id: string }>`
          SELECT notification_id FROM content WHERE workspace_id = ${workspaceId} ORDER BY notification_id`,
      ).pipe(Effect.map((rows) => rows.map((row) => row.notification_id))),
      removeLocation: (id: string) =>
        run(sql`DELETE FROM location WHERE workspace_id = ${workspaceId} AND id = ${id}`),
    };

    function attachment(campaign: string, notification: string, how: Attached) {
      return sql`
        INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
          trigger_type,
          send_at, starts_at, ends_at, attached_at, updated_at)
        VALUES (${workspaceId}, 'sandbox', ${campaign}, ${notification}, ${idAt(testStart)},
          ${how.sendAt === undefined ? "on_enter" : "fixed_time"}, ${how.sendAt ?? null},
          ${instant(millis(how.windowStart))}, ${instant(millis(how.windowEnd))}, ${now}, ${now})`;
    }
  });

/** The required fields of a geo campaign at these locations. */
export const geo = (locationIds: ReadonlyArray<string>, more: object = {}) => ({
  name: "Opening week",
  type: "geo",
  timezone: "Europe/Amsterdam",
  starts_at: "2026-11-21",
  location_ids: locationIds,
  ...more,
});

/** The required fields of a push campaign. */
export const push = (more: object = {}) => ({
  name: "Black Friday",
  type: "push",
  timezone: "Europe/Amsterdam",
  starts_at: "2026-11-27",
  ...more,
});
