import { Effect } from "effect";
import type { Actor } from "../access/Actor.ts";
import { instant, jsonb, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { rowCount, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { RecordedChanges } from "./ActivityChanges.ts";
import type { ActivityAction, ActivityEntry, ActivityResource } from "./ActivityEntry.ts";
import type { ActivityFilters } from "./ActivityFilters.ts";

/** An entry as it is stored; `at` in epoch milliseconds. */
export interface NewEntry {
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  readonly action: ActivityAction;
  readonly resource: ActivityResource;
  readonly changes: RecordedChanges;
}

/** Every statement on activity. Bound: 1 row, or a page of 1,000. */
export class ActivitySql extends SqlService<ActivitySql>("waypost/activity/ActivitySql")((sql) => {
  /** Only the conditions of given filters: their indexes are partial. */
  const matching = ({ action, actorId, actorType, resourceId, resourceType }: ActivityFilters) => [
    ...(actorType === null ? [] : [sql`a.actor_type = ${actorType}`]),
    ...(actorType === null || actorType === "token" ? [] : [sql`a.actor_type <> 'token'`]),
    ...(actorId === null ? [] : [sql`a.actor_id = ${actorId}::uuid`]),
    ...(resourceType === null ? [] : [sql`a.resource_type = ${resourceType}`]),
    ...(resourceId === null ? [] : [sql`a.resource_id = ${resourceId}`]),
    ...(action === null ? [] : [sql`a.action = ${action}`]),
  ];

  return {
    /** Adds an entry; of one that is there already it replaces the changes. */
    put: ({ environment, workspaceId }: TenantKey, { action, actor, at, changes, id, resource }: NewEntry) =>
      run(sql`
        INSERT INTO activity (workspace_id, environment, id, at, actor_type, actor_id, actor_name, action,
          resource_type, resource_id, resource_name, changes)
        VALUES (${workspaceId}, ${environment}, ${id}, ${instant(at)}, ${actor.type}, ${actor.id},
          ${actor.name}, ${action}, ${resource.type}, ${resource.id}, ${resource.name}, ${jsonb(changes)})
        ON CONFLICT (workspace_id, environment, id) DO UPDATE SET changes = EXCLUDED.changes`),

    /** Newest first. */
    page: (tenant: TenantKey, { before, limit }: PagePosition, filters: ActivityFilters) =>
      Effect.orDie(sql<ActivityEntry>`
        SELECT a.id, ${utc("a.at")} AS at,
          json_build_object('type', a.actor_type, 'id', a.actor_id, 'name', a.actor_name) AS actor,
          a.action,
          json_build_object('type', a.resource_type, 'id', a.resource_id, 'name', a.resource_name)
            AS resource,
          a.changes
        FROM activity a
        WHERE ${sql.and([
          tenantIs("a", tenant),
          sql`(${before}::uuid IS NULL OR a.id < ${before})`,
          ...matching(filters),
        ])}
        ORDER BY a.id DESC LIMIT ${limit}`),

    /** Deletes up to `limit` entries that were made at `before` or earlier, and returns their number. */
    prune: (before: number, limit: number) =>
      rowCount(sql`
        DELETE FROM activity WHERE ctid = ANY (ARRAY (
          SELECT ctid FROM activity WHERE at <= ${instant(before)} ORDER BY at LIMIT ${limit}))
        RETURNING id`),
  };
}) {}
