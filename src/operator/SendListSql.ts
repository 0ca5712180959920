import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { SendResource } from "./SendResource.ts";

/** Filters of sends; undefined for all. The campaign is a UUID. */
export interface SendFilters {
  readonly campaign?: string | undefined;
  readonly status?: SendResource["status"] | undefined;
}

/** The statement that lists sends. */
export class SendListSql extends Context.Service<SendListSql>()("waypost/operator/SendListSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      /** Newest first by when they were scheduled. */
      page: (tenant: Tenant, position: PagePosition, filters: SendFilters) => {
        const { campaign = null, status = null } = filters;
        return Effect.orDie(sql<SendResource>`
          SELECT s.id, s.campaign_id, c.name AS campaign_name, s.notification_id,
            n.name AS notification_name, ${utc("s.due_at")} AS due_at, s.status, s.targeted,
            s.delivered, s.failed,
            ${utc("s.started_at")} AS started_at, ${utc("s.finished_at")} AS finished_at
          FROM send s
          LEFT JOIN campaign c ON c.workspace_id = s.workspace_id AND c.environment = s.environment
            AND c.id = s.campaign_id
          LEFT JOIN notification n ON n.workspace_id = s.workspace_id AND n.environment = s.environment
            AND n.id = s.notification_id
          WHERE s.workspace_id = ${tenant.workspaceId} AND s.environment = ${tenant.environment}
            AND (${position.before}::uuid IS NULL OR s.id < ${position.before})
            AND (${campaign}::uuid IS NULL OR s.campaign_id = ${campaign})
            AND (${status}::text IS NULL OR s.status = ${status})
          ORDER BY s.id DESC LIMIT ${position.limit}`);
      },
    };
  }),
}) {
  static readonly layer = Layer.effect(SendListSql, SendListSql.make);
}
