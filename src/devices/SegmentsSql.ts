import type { SegmentRow } from "./Segment.ts";
import { Effect } from "effect";
import { arrayOf, instant, jsonb, onlyRow, unnested, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, firstRow, mapRows, run } from "../database/Statements.ts";
import { sameTenant, tenantColumns, tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { lastDeviceKey } from "./AudiencesSql.ts";
import type { Audience, SegmentRule } from "./SegmentRule.ts";
import { ruleSql } from "./SegmentRuleSql.ts";

/** Every statement on segments. Bound: a page of 101, or 1,000 ids; counts read all devices. */
export class SegmentsSql extends SqlService<SegmentsSql>("waypost/devices/SegmentsSql")((sql) => {
  const columns = sql`s.id, s.name, s.rule, ${utc("s.created_at")} AS created_at,
    ${utc("s.updated_at")} AS updated_at`;

  return {
    /** Newest first. */
    page: (tenant: Tenant, position: PagePosition) =>
      Effect.orDie(sql<SegmentRow>`
        SELECT ${columns} FROM segment s
        WHERE ${tenantIs("s", tenant)}
          AND (${position.before}::uuid IS NULL OR s.id < ${position.before})
        ORDER BY s.id DESC LIMIT ${position.limit}`),

    find: (tenant: Tenant, id: string) =>
      firstRow(sql<SegmentRow>`
        SELECT ${columns} FROM segment s WHERE ${tenantIs("s", tenant)} AND s.id = ${id}`),

    /** Whether a segment other than `except` has exactly this name. */
    isNameTaken: (tenant: Tenant, name: string, except: string | null) =>
      anyRow(sql`
        SELECT FROM segment s
        WHERE ${tenantIs("s", tenant)} AND s.name = ${name}
          AND s.id IS DISTINCT FROM ${except}::uuid`),

    insert: (tenant: Tenant, id: string, name: string, rule: SegmentRule, now: number) =>
      run(sql`
        INSERT INTO segment (workspace_id, environment, id, name, rule, created_at, updated_at)
        VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, ${name}, ${jsonb(rule)},
          ${instant(now)}, ${instant(now)})`),

    /** An equal name and rule keep `updated_at`. */
    update: (tenant: Tenant, id: string, name: string, rule: SegmentRule, now: number) =>
      run(sql`
        UPDATE segment s SET name = ${name}, rule = ${jsonb(rule)}, updated_at = ${instant(now)}
        WHERE ${tenantIs("s", tenant)} AND s.id = ${id}
          AND (s.name <> ${name} OR s.rule <> ${jsonb(rule)})`),

    /** Deletes a segment, also from the targeting of campaigns. */
    delete: (tenant: Tenant, id: string) =>
      run(sql`DELETE FROM segment s WHERE ${tenantIs("s", tenant)} AND s.id = ${id}`),

    lastDeviceKey: lastDeviceKey(sql),

    /**
     * How many registered devices each rule holds, in the order of the rules. All rules are counted in one
     * scan of the devices.
     */
    count: (tenant: Tenant, rules: ReadonlyArray<SegmentRule>, now: number) => {
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

    /** The rules of the segments with these ids, by id; those that do not exist are left out. */
    rules: (tenant: Tenant, ids: ReadonlyArray<string>) =>
      Effect.map(
        mapRows(
          sql<{ readonly id: string; readonly rule: SegmentRule }>`
            SELECT s.id, s.rule FROM segment s
            WHERE ${tenantIs("s", tenant)} AND s.id = ANY (${arrayOf("uuid", ids)})`,
          ({ id, rule }) => [id, rule] as const,
        ),
        (entries) => new Map(entries),
      ),

    /** Whom campaigns reach by their segments as they are now, in the given order. */
    audiences: Effect.fnUntraced(function* (
      campaigns: ReadonlyArray<TenantKey & { readonly campaignId: string }>,
    ) {
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
  };
}) {}
