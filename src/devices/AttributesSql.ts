import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { AttributeSummary } from "./AttributeSummary.ts";
import { type KeyBlocks, sampledDevices } from "./AudiencesSql.ts";

/** The most values of each attribute. */
const maxValues = 20;
/** The most names: those of an app are few, but an app can put anything there. */
const maxNames = 1000;
/** Longer values are no use for a choice, and would make the response large. */
const maxValueBytes = 255;

/** The statements on the attributes that devices have. Bound: 1,000 names; reads 100,000 devices at most. */
export class AttributesSql extends Context.Service<AttributesSql>()("waypost/devices/AttributesSql", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /**
     * The names that registered devices have, with their most frequent values. The counts of a sample are
     * multiplied by `scale`.
     */
    summaries: (tenant: TenantKey, sample: KeyBlocks | null, scale: number) =>
      Effect.orDie(sql<AttributeSummary>`
        WITH held AS MATERIALIZED (
          SELECT a.name, a.value
          FROM ${sampledDevices(sql, tenant, sample, sql`d.attributes`, sql`true`)},
            jsonb_each(d.attributes) AS a (name, value)
        ), names AS (
          SELECT name, count(*) AS devices FROM held GROUP BY name
          ORDER BY devices DESC, name COLLATE "C" LIMIT ${maxNames}
        ), counted AS (
          SELECT name, value, sum(devices) AS devices FROM (
            SELECT name, value, count(*) AS devices FROM held
            WHERE jsonb_typeof(value) <> 'array' GROUP BY name, value
            UNION ALL
            SELECT name, each.value, count(*)
            FROM held, LATERAL (
              SELECT DISTINCT entry FROM jsonb_array_elements(held.value) AS entry) AS each (value)
            WHERE jsonb_typeof(held.value) = 'array' GROUP BY name, each.value
          ) AS parts GROUP BY name, value
        ), ranked AS (
          SELECT *, row_number() OVER (PARTITION BY name ORDER BY devices DESC, value) AS rank
          FROM counted WHERE octet_length(value::text) <= ${maxValueBytes}
        )
        SELECT n.name, round(n.devices * ${scale}::float8) AS devices, COALESCE((
            SELECT jsonb_agg(jsonb_build_object('value', r.value,
              'devices', round(r.devices * ${scale}::float8)) ORDER BY r.rank)
            FROM ranked r WHERE r.name = n.name AND r.rank <= ${maxValues}), '[]') AS values
        FROM names n ORDER BY n.devices DESC, n.name COLLATE "C"`),
  })),
}) {
  static readonly layer = Layer.effect(AttributesSql, AttributesSql.make);
}
