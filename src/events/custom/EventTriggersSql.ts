import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues } from "../../database/Statements.ts";
import { sameTenant, tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import { workspaceIs, workspaceStatements } from "../../database/WorkspaceGroups.ts";
import { isReachableSql } from "../../devices/ObstacleSql.ts";
import type { Audience } from "../../devices/SegmentRule.ts";
import { audienceSql } from "../../devices/SegmentRuleSql.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { EventMatch } from "../TriggerMatch.ts";
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
export type EventMatchRow = EventMatch & { readonly ord: number };

/**
 * Statements on what custom events trigger. Bound: 1 row for each
 * notification of an environment (plan: 1,000), or 1 for each person with 100 devices.
 */
export class EventTriggersSql extends SqlService<EventTriggersSql>("waypost/events/EventTriggersSql")(
  (sql) => {
    const { byWorkspace } = workspaceStatements(sql);
    const { columns, contentJoins } = triggerMatchSql(sql);

    /** The notifications `a` that a condition selects for rows `p`, older ones first. */
    const matches = (rows: Statement.Fragment, condition: Statement.Fragment) =>
      Effect.orDie(sql<EventMatchRow>`
      SELECT p.ord::int AS ord, a.event, ${columns}, jsonb_build_object(
        'match', COALESCE(c.segment_match, 'any'), 'rules', COALESCE((
          SELECT jsonb_agg(g.rule ORDER BY t.position) FROM campaign_segment t
          JOIN segment g ON ${sameTenant("g", "t")} AND g.id = t.segment_id
          WHERE ${sameTenant("t", "c")} AND t.campaign_id = c.id), '[]')) AS audience
      FROM ${rows}
      JOIN campaign_notification a ON ${sameTenant("a", "p")} AND a.event IS NOT NULL AND ${condition}
      JOIN campaign c ON ${sameTenant("c", "a")} AND c.id = a.campaign_id
      ${contentJoins}
      ORDER BY p.ord, a.attached_at, a.id`);

    return {
      /** The notifications that fire on events of these names, whatever the state of their campaigns. */
      ofNames: (names: ReadonlyArray<NamedEvent>) =>
        matches(
          unnested("p", names, { ...tenantColumns, name: ["text", ({ name }) => name] }),
          sql`a.event ->> 'name' = p.name`,
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

      /** The keys of the devices that get messages and are in an audience, of some devices. */
      reachable: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>, audience: Audience, now: number) =>
        columnValues(sql<{ readonly key: DeviceKey }>`
        SELECT d.key FROM device d
        WHERE ${tenantIs("d", tenant)} AND d.key = ANY (${arrayOf("int4", deviceKeys)})
          AND d.unregistered_at IS NULL AND ${isReachableSql(sql, "d")}
          AND (${audienceSql(sql, audience, "d", { tenant, now })})`),
    };
  },
) {}
