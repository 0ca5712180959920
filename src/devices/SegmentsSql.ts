import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant, jsonb, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Segment } from "./Segment.ts";
import type { SegmentRule } from "./SegmentRule.ts";
import { type Audience, ruleSql } from "./SegmentRuleSql.ts";

/** A segment before its devices are counted. */
export type SegmentRow = Omit<Segment, "device_count">;

/** Every statement on segments. */
export class SegmentsSql extends Context.Service<SegmentsSql>()("waypost/devices/SegmentsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const columns = sql`s.id, s.name, s.rule, ${utc("s.created_at")} AS created_at, ${utc("s.updated_at")} AS updated_at`;
    const of = (tenant: Pick<Tenant, "workspaceId" | "environment">, alias: string) =>
      sql`${sql(`${alias}.workspace_id`)} = ${tenant.workspaceId} AND ${sql(`${alias}.environment`)} = ${tenant.environment}`;

    return {
      page: (tenant: Tenant, position: PagePosition) =>
        Effect.orDie(sql<SegmentRow>`
          SELECT ${columns} FROM segment s
          WHERE ${of(tenant, "s")} AND (${position.before}::uuid IS NULL OR s.id < ${position.before})
          ORDER BY s.id DESC LIMIT ${position.limit}`),

      find: (tenant: Tenant, id: string) =>
        Effect.orDie(
          sql<SegmentRow>`SELECT ${columns} FROM segment s WHERE ${of(tenant, "s")} AND s.id = ${id}`,
        ),

      /** Whether another segment than this one (null: any) has exactly this name. */
      isNameTaken: (tenant: Tenant, name: string, except: string | null) =>
        sql`
          SELECT FROM segment s
          WHERE ${of(tenant, "s")} AND s.name = ${name} AND s.id IS DISTINCT FROM ${except}::uuid`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie,
        ),

      insert: (tenant: Tenant, id: string, name: string, rule: SegmentRule, now: number) =>
        Effect.orDie(sql`
          INSERT INTO segment (workspace_id, environment, id, name, rule, created_at, updated_at)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, ${name}, ${jsonb(rule)}, ${instant(now)}, ${instant(now)})`),

      /** An equal segment stays untouched, `updated_at` included. */
      update: (tenant: Tenant, id: string, name: string, rule: SegmentRule, now: number) =>
        Effect.orDie(sql`
          UPDATE segment s SET name = ${name}, rule = ${jsonb(rule)}, updated_at = ${instant(now)}
          WHERE ${of(tenant, "s")} AND s.id = ${id} AND (s.name <> ${name} OR s.rule <> ${jsonb(rule)})`),

      delete: (tenant: Tenant, id: string) =>
        Effect.orDie(sql`DELETE FROM segment s WHERE ${of(tenant, "s")} AND s.id = ${id}`),

      /** How many registered devices each rule holds, in one reading of the devices. */
      count: (tenant: Tenant, rules: ReadonlyArray<SegmentRule>): Effect.Effect<ReadonlyArray<number>> => {
        const counts = rules.map((rule) => sql`count(*) FILTER (WHERE ${ruleSql(sql, rule, "d")})`);
        return sql<{ readonly counts: ReadonlyArray<number> }>`
          SELECT ARRAY[${sql.csv(counts)}]::integer[] AS counts FROM device d
          WHERE ${of(tenant, "d")} AND d.unregistered_at IS NULL`.pipe(
          Effect.map(([row]) => row?.counts ?? []),
          Effect.orDie,
        );
      },

      /** Whom a campaign reaches now. */
      audience: (tenant: Pick<Tenant, "workspaceId" | "environment">, campaignId: string) =>
        sql<{ readonly match: Audience["match"]; readonly rule: SegmentRule }>`
          SELECT COALESCE(c.segment_match, 'any') AS match, s.rule
          FROM campaign_segment t
          JOIN campaign c ON c.workspace_id = t.workspace_id AND c.environment = t.environment AND c.id = t.campaign_id
          JOIN segment s ON s.workspace_id = t.workspace_id AND s.environment = t.environment AND s.id = t.segment_id
          WHERE ${of(tenant, "t")} AND t.campaign_id = ${campaignId}
          ORDER BY t.position`.pipe(
          Effect.map((rows): Audience => ({
            match: rows[0]?.match ?? "any",
            rules: rows.map(({ rule }) => rule),
          })),
          Effect.orDie,
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(SegmentsSql, SegmentsSql.make);
}
