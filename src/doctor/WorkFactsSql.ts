import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, onlyRow } from "../database/Rows.ts";
import { anyRow } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { SplitNotification } from "../experiments/ExperimentFigures.ts";
import type { Environment } from "../workspaces/Environment.ts";
import { day, minute, workRows } from "./WorkRowsSql.ts";

/** Pushes in the queue of a transport, counted up to 100,000 in total. */
export interface QueuedPushes {
  readonly transport: string;
  readonly count: number;
  readonly late: number;
}

/** The experiment of a campaign, and the units of each arm by `notification id key` (`0 key` for none). */
export interface RunningExperiment {
  readonly workspace: string;
  readonly environment: string;
  readonly campaign: string;
  readonly holdout: number;
  readonly notifications: ReadonlyArray<SplitNotification>;
  readonly enrolled: Readonly<Record<string, number>>;
}

/** The event that a live campaign waits for. */
export interface AwaitedEvent {
  readonly workspaceId: number;
  readonly workspace: string;
  readonly environment: Environment;
  readonly campaign: string;
  readonly event: string;
}

/** A token that expires soon. */
export interface ExpiringToken {
  readonly name: string;
  readonly workspace: string;
  readonly environment: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

/** The state of the work of all workspaces. `now` is in epoch milliseconds. */
export const workFactsSql = Effect.gen(function* () {
  // Bound: 1 row, or 1 for a transport; none for sends and pushes, once in 5 seconds.
  const sql = yield* SqlClient.SqlClient;
  return {
    /** The checks of work that may be behind, and the facts of their rows. */
    behind: (now: number, keptEventDays: number) => {
      const rows = workRows(sql, now, keptEventDays);
      const columns = Object.values(rows).flatMap((check) =>
        Object.entries(check).map(([fact, [statement]]) => sql`(${statement}) AS ${sql(fact)}`),
      );
      const facts = onlyRow(sql<Readonly<Record<string, number>>>`
          WITH queued AS MATERIALIZED (
            SELECT workspace_id, environment, source_id FROM push_queue GROUP BY 1, 2, 3
          )
          SELECT ${sql.csv(columns)}`);
      return Effect.map(facts, (found) => ({ ...rows, facts: found }));
    },

    // Pushes that got a permit of their pace are due since 1970, before all others.
    queuedPushes: (now: number) =>
      Effect.orDie(sql<QueuedPushes>`
          SELECT transport, count(*)::int AS count,
            count(*) FILTER (WHERE due_at < ${instant(now - 5 * minute)}
              AND due_at > ${instant(0)})::int AS late
          FROM (SELECT transport, due_at FROM push_queue LIMIT 100000) AS queued
          GROUP BY transport ORDER BY transport`),

    /** The events that campaigns wait for which have been live for a day, newest first. */
    awaitedEvents: (now: number) =>
      Effect.orDie(sql<AwaitedEvent>`
      SELECT w.id AS "workspaceId", w.name AS workspace, c.environment, c.name AS campaign,
        a.event ->> 'name' AS event
      FROM campaign_notification a
      JOIN campaign c ON ${sameTenant("c", "a")} AND c.id = a.campaign_id
      JOIN workspace w ON w.id = c.workspace_id
      WHERE a.event IS NOT NULL AND a.attached_at < ${instant(now - day)} AND NOT c.paused
        AND c.starts_at < ${instant(now - day)} AND (c.ends_at IS NULL OR c.ends_at > ${instant(now)})
      ORDER BY c.id DESC, a.id LIMIT 200`),

    /** Whether an event of this name has come in its environment. */
    hasCome: ({ event, ...tenant }: AwaitedEvent) =>
      anyRow(sql`SELECT FROM custom_event e WHERE ${tenantIs("e", tenant)} AND e.name = ${event} LIMIT 1`),

    /** Experiments in which somebody is enrolled, newest campaigns first. */
    experiments: Effect.orDie(sql<RunningExperiment>`
      WITH counted AS MATERIALIZED (
        SELECT workspace_id, environment, campaign_key, notification_key, arm, sum(enrolled) AS enrolled
        FROM enrolment_count GROUP BY 1, 2, 3, 4, 5
      )
      SELECT w.name AS workspace, c.environment, c.name AS campaign,
        c.holdout_percent::float8 AS holdout, e.enrolled,
        COALESCE((
          SELECT jsonb_agg(jsonb_build_object('id', n.id, 'variants', k.variants)
            ORDER BY a.attached_at, a.id)
          FROM campaign_notification a
          JOIN notification n ON ${sameTenant("n", "a")} AND n.id = a.notification_id
          JOIN content k ON ${sameTenant("k", "n")} AND k.key = n.content_key
          WHERE ${sameTenant("a", "c")} AND a.campaign_id = c.id AND k.variants IS NOT NULL), '[]')
          AS notifications
      FROM campaign c
      JOIN workspace w ON w.id = c.workspace_id
      CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(COALESCE(n.id::text, '0') || ' ' || x.arm, x.enrolled) AS enrolled
        FROM counted x
        LEFT JOIN notification n ON ${sameTenant("n", "x")} AND n.key = x.notification_key
        WHERE ${sameTenant("x", "c")} AND x.campaign_key = c.key
      ) AS e
      WHERE c.experiment_stopped_at IS NULL AND e.enrolled IS NOT NULL
      ORDER BY c.id DESC LIMIT 1000`),

    /** Tokens that expire within two weeks, in that order. */
    expiringTokens: (now: number) =>
      Effect.orDie(sql<ExpiringToken>`
          SELECT t.name, w.name AS workspace, t.environment,
            ${asNumber("extract(epoch FROM t.expires_at) * 1000")} AS expires
          FROM api_token t JOIN workspace w ON w.id = t.workspace_id
          WHERE t.revoked_at IS NULL
            AND t.expires_at > ${instant(now)} AND t.expires_at < ${instant(now + 14 * day)}
          ORDER BY t.expires_at LIMIT 20`),
  };
});
