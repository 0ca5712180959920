import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, jsonb, onlyRow, unnested, utc } from "../database/Rows.ts";
import { anyRow, firstRow, mapRows, run } from "../database/Statements.ts";
import { sameTenant, tenantColumns, tenantIs } from "../database/TenantColumns.ts";
import type { Audience, SegmentRule } from "./SegmentRule.ts";
import { lastDeviceKey } from "./AudiencesSql.ts";
import { ruleSql } from "./SegmentRuleSql.ts";
import { type SegmentRow, SegmentsRepository } from "./SegmentsRepository.ts";

/** Every statement on segments. Bound: a page of 101, or 1,000 ids; counts read all devices. */
export const segmentsSql = Layer.effect(
  SegmentsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql`s.id, s.name, s.rule, ${utc("s.created_at")} AS created_at,
      ${utc("s.updated_at")} AS updated_at`;

    return SegmentsRepository.of({
      page: (tenant, position) =>
        Effect.orDie(sql<SegmentRow>`
          SELECT ${columns} FROM segment s
          WHERE ${tenantIs("s", tenant)}
            AND (${position.before}::uuid IS NULL OR s.id < ${position.before})
          ORDER BY s.id DESC LIMIT ${position.limit}`),

      find: (tenant, id) =>
        firstRow(sql<SegmentRow>`
          SELECT ${columns} FROM segment s WHERE ${tenantIs("s", tenant)} AND s.id = ${id}`),

      isNameTaken: (tenant, name, except) =>
        anyRow(sql`
          SELECT FROM segment s
          WHERE ${tenantIs("s", tenant)} AND s.name = ${name}
            AND s.id IS DISTINCT FROM ${except}::uuid`),

      insert: (tenant, id, name, rule, now) =>
        run(sql`
          INSERT INTO segment (workspace_id, environment, id, name, rule, created_at, updated_at)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, ${name}, ${jsonb(rule)},
            ${instant(now)}, ${instant(now)})`),

      update: (tenant, id, name, rule, now) =>
        run(sql`
          UPDATE segment s SET name = ${name}, rule = ${jsonb(rule)}, updated_at = ${instant(now)}
          WHERE ${tenantIs("s", tenant)} AND s.id = ${id}
            AND (s.name <> ${name} OR s.rule <> ${jsonb(rule)})`),

      delete: (tenant, id) => run(sql`DELETE FROM segment s WHERE ${tenantIs("s", tenant)} AND s.id = ${id}`),

      lastDeviceKey: lastDeviceKey(sql),

      count: (tenant, rules, now) => {
        const counts = rules.map(
          (rule) => sql`count(*) FILTER (WHERE ${ruleSql(sql, rule, "d", { tenant, now })})`,
        );
        return Effect.map(
          onlyRow(sql<{ readonly counts: ReadonlyArray<number> }>`
            SELECT ARRAY[${sql.csv(counts)}]::integer[] AS counts FROM device d
            WHERE ${tenantIs("d", tenant)} AND d.unregistered_at IS NULL`),
          (row) => row.counts,
        );
      },

      rules: (tenant, ids) =>
        Effect.map(
          mapRows(
            sql<{ readonly id: string; readonly rule: SegmentRule }>`
              SELECT s.id, s.rule FROM segment s
              WHERE ${tenantIs("s", tenant)} AND s.id = ANY (${arrayOf("uuid", ids)})`,
            ({ id, rule }) => [id, rule] as const,
          ),
          (entries) => new Map(entries),
        ),

      audiences: Effect.fnUntraced(function* (campaigns) {
        const rows = yield* Effect.orDie(
          sql<{ readonly index: number; readonly match: Audience["match"]; readonly rule: SegmentRule }>`
            SELECT g.ord::int - 1 AS index, COALESCE(c.segment_match, 'any') AS match, s.rule
            FROM ${unnested("g", campaigns, {
              ...tenantColumns,
              campaign_id: ["uuid", ({ campaignId }) => campaignId],
            })}
            JOIN campaign_segment t ON ${sameTenant("t", "g")} AND t.campaign_id = g.campaign_id
            JOIN campaign c ON ${sameTenant("c", "t")} AND c.id = t.campaign_id
            JOIN segment s ON ${sameTenant("s", "t")} AND s.id = t.segment_id
            ORDER BY g.ord, t.position`,
        );
        const found = Map.groupBy(rows, ({ index }) => index);
        return campaigns.map((_, index): Audience => {
          const segments = found.get(index) ?? [];
          return { match: segments[0]?.match ?? "any", rules: segments.map(({ rule }) => rule) };
        });
      }),
    });
  }),
);
