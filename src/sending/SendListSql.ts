import { Clock, Context, Effect, Layer, Stream } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../database/RowCursor.ts";
import { utc } from "../database/Rows.ts";
import { firstRow, tenantIs } from "../database/Statements.ts";
import { csvLines } from "../http/csv/Csv.ts";
import { type CsvFile, csvName, todayOf } from "../http/csv/CsvFile.ts";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { SendResource } from "./SendResource.ts";

/** Filters of sends; undefined for all. The campaign is a UUID. */
export interface SendFilters {
  readonly campaign?: string | undefined;
  readonly status?: SendResource["status"] | undefined;
}

/** The statements that list and show sends. */
export class SendListSql extends Context.Service<SendListSql>()("waypost/sending/SendListSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const columns = sql`s.id, s.campaign_id, s.notification_id, ${utc("s.due_at")} AS due_at, s.status,
      s.targeted, s.delivered, s.failed, ${utc("s.started_at")} AS started_at,
      ${utc("s.finished_at")} AS finished_at`;
    const sends = (tenant: Tenant, before: string | null, filters: SendFilters) => {
      const { campaign = null, status = null } = filters;
      return sql`
          SELECT ${columns}
          FROM send s
          WHERE s.workspace_id = ${tenant.workspaceId} AND s.environment = ${tenant.environment}
            AND (${before}::uuid IS NULL OR s.id < ${before})
            AND (${campaign}::uuid IS NULL OR s.campaign_id = ${campaign})
            AND (${status}::text IS NULL OR s.status = ${status})
          ORDER BY s.id DESC`;
    };

    return {
      /** Newest first by when they were scheduled. */
      page: (tenant: Tenant, { before, limit }: PagePosition, filters: SendFilters) =>
        Effect.orDie(sql<SendResource>`${sends(tenant, before, filters)} LIMIT ${limit}`),

      /** One send. @throws 404 */
      find: Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const send = isUuid(id)
          ? yield* firstRow(sql<SendResource>`
              SELECT ${columns} FROM send s WHERE ${tenantIs(sql, "s", tenant)} AND s.id = ${id}`)
          : null;
        return send ?? (yield* NotFound.resource("send"));
      }),

      /** All of them as CSV, in the order of the pages. */
      file: Effect.fnUntraced(function* (tenant: Tenant, filters: SendFilters) {
        const names = Object.keys(SendResource.fields);
        return {
          name: csvName("sends", tenant, todayOf(tenant, yield* Clock.currentTimeMillis)),
          heading: names,
          records: rowCursor<SendResource>(sends(tenant, null, filters)).pipe(
            Effect.map(Stream.map((rows) => csvLines(names, rows))),
            Effect.provideService(SqlClient.SqlClient, sql),
          ),
        } satisfies CsvFile;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendListSql, SendListSql.make);
}
