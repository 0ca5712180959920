import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { sameTenant, tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import { workspaceIs, workspaceStatements } from "../../database/WorkspaceGroups.ts";
import { isReachableSql } from "../../devices/ObstacleSql.ts";
import type { Audience } from "../../devices/SegmentRule.ts";
import { audienceSql } from "../../devices/SegmentRuleSql.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { TriggerSpan } from "../Transition.ts";
import type { TriggerMatch } from "../TriggerMatch.ts";
import { triggerMatchSql } from "../TriggerMatchSql.ts";
import { maxPersonDevices } from "./CustomEvent.ts";

/** The name of custom events of an environment. */
export interface NamedEvent extends TenantKey {
  readonly name: string;
}

/** A notification on its campaign. */
export interface Attachment extends TenantKey {
  readonly attachmentId: string;
}

/** A notification that fires on the event with the number `ord`, from 1. */
export type EventMatchRow = TriggerMatch & { readonly ord: number };

/**
 * Statements on what custom events trigger. Bound: 1 row for each
 * notification of an environment (plan: 1,000), or 1 for each person with 100 devices.
 */
export class EventTriggersSql extends SqlService<EventTriggersSql>("waypost/events/EventTriggersSql")(
  (sql) => {
    const { byWorkspace } = workspaceStatements(sql);
    const { columns, contentJoins } = triggerMatchSql(sql);

    const delay = sql`make_interval(mins => COALESCE((a.event ->> 'delayMinutes')::int, 0))`;
    /** The notifications `a` that a condition selects for rows `p`, older ones first. */
    const matches = (rows: Statement.Fragment, condition: Statement.Fragment) =>
      Effect.orDie(sql<EventMatchRow>`
      SELECT p.ord::int AS ord, a.event, ${columns}, jsonb_build_object(
        'match', COALESCE(c.segment_match, 'any'), 'rules', COALESCE((
          SELECT jsonb_agg(g.rule ORDER BY t.position) FROM campaign_segment t
          JOIN segment g ON ${sameTenant("g", "t")} AND g.id = t.segment_id
          WHERE ${sameTenant("t", "c")} AND t.campaign_id = c.id), '[]')) AS audience
      FROM ${rows}
      JOIN campaign_notification a ON ${sameTenant("a", "p")} AND a.event IS NOT NULL
      JOIN campaign c ON ${sameTenant("c", "a")} AND c.id = a.campaign_id AND ${condition}
      ${contentJoins}
      ORDER BY p.ord, a.attached_at, a.id`);

    return {
      /**
       * The notifications that events of these names can fire which occurred in the span, or earlier by their
       * delay: whether one with a delay is paused is decided at its minute (contract Z31).
       */
      ofNames: (names: ReadonlyArray<NamedEvent>, span: TriggerSpan) =>
        matches(
          unnested("p", names, { ...tenantColumns, name: ["text", ({ name }) => name] }),
          sql`a.event ->> 'name' = p.name
            AND GREATEST(c.starts_at, a.starts_at) <= ${instant(span.to)}
            AND COALESCE(LEAST(c.ends_at, a.ends_at) + ${delay} >= ${instant(span.from)}, true)
            AND (NOT c.paused OR ${delay} > interval '0')`,
        ),

      /** The notifications that events wait for, as they are now. */
      ofAttachments: (attachments: ReadonlyArray<Attachment>) =>
        matches(
          unnested("p", attachments, { ...tenantColumns, id: ["uuid", ({ attachmentId }) => attachmentId] }),
          sql`a.id = p.id`,
        ),

      /** The 100 registered devices of each person that were seen last, the last one first. */
      devicesOf: (all: ReadonlyArray<TenantKey & { readonly userKey: number }>) =>
        byWorkspace(all)(
          (people) => sql<{ readonly ord: number; readonly deviceKeys: ReadonlyArray<DeviceKey> }>`
          SELECT p.ord::int AS ord, d.keys AS "deviceKeys"
          FROM ${unnested("p", people, {
            ...tenantColumns,
            key: ["int4", ({ userKey }) => userKey],
          })}
          JOIN device_user u ON ${sameTenant("u", "p")} AND u.key = p.key
          CROSS JOIN LATERAL (
            SELECT array_agg(v.key ORDER BY v.last_seen_at DESC, v.id) AS keys FROM (
              SELECT d.key, d.last_seen_at, d.id FROM device d
              WHERE ${workspaceIs("d", "p")} AND d.environment = p.environment
                AND d.user_id = u.user_id AND d.unregistered_at IS NULL
              ORDER BY d.last_seen_at DESC, d.id LIMIT ${maxPersonDevices}
            ) AS v
          ) AS d WHERE d.keys IS NOT NULL`,
        ),

      /** Of some devices those that get messages, each with the audiences that it is in, in their order. */
      reachable: (
        tenant: TenantKey,
        deviceKeys: ReadonlyArray<DeviceKey>,
        audiences: ReadonlyArray<Audience>,
        now: number,
      ) =>
        Effect.orDie(sql<{ readonly key: DeviceKey; readonly isIn: ReadonlyArray<boolean> }>`
        SELECT d.key, ARRAY[${sql.csv(
          audiences.map((audience) => sql`(${audienceSql(sql, audience, "d", { tenant, now })}) IS TRUE`),
        )}] AS "isIn"
        FROM device d
        WHERE ${tenantIs("d", tenant)} AND d.key = ANY (${arrayOf("int4", deviceKeys)})
          AND d.unregistered_at IS NULL AND ${isReachableSql(sql, "d")}`),
    };
  },
) {}
