import { Effect } from "effect";
import { unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** The tables with rules of segments. */
export const ruleHolders = ["segment", "activity", "send_batch"] as const;
/** A table with rules of segments. */
export type RuleHolder = (typeof ruleHolders)[number];

/** The key and the JSON of a row with rules. */
export interface RuleRow {
  readonly id: string;
  readonly json: unknown;
}

/** Statements on rules that name a person. Bound: a page of 100. */
export class RuleErasureSql extends SqlService<RuleErasureSql>("waypost/people/RuleErasureSql")((sql) => {
  const columns = {
    segment: { key: sql`t.id`, type: sql`uuid`, json: sql`rule`, has: sql`true` },
    activity: {
      key: sql`t.id`,
      type: sql`uuid`,
      json: sql`changes`,
      has: sql`t.resource_type = 'segment'`,
    },
    // Batch 0 alone has an audience.
    send_batch: { key: sql`t.source_id`, type: sql`bigint`, json: sql`audience`, has: sql`t.batch = 0` },
  } as const;

  return {
    /** Up to `limit` rows with a condition on `user_id` that has this value, locked. */
    find: (tenant: TenantKey, holder: RuleHolder, userId: string, limit: number) => {
      const { has, json, key } = columns[holder];
      return Effect.orDie(sql<RuleRow>`
        SELECT ${key}::text AS id, t.${json} AS json FROM ${sql(holder)} t
        WHERE ${tenantIs("t", tenant)} AND ${has} AND jsonb_path_exists(t.${json},
          'strict $.** ? (@.attribute == "user_id" && (@.value == $user || @.value[*] == $user))',
          jsonb_build_object('user', ${userId}::text), true)
        ORDER BY ${key} LIMIT ${limit} FOR UPDATE`);
    },

    /** Replaces the JSON of rows. */
    replace: (tenant: TenantKey, holder: RuleHolder, rows: ReadonlyArray<RuleRow>) => {
      const { has, json, key, type } = columns[holder];
      return run(sql`
        UPDATE ${sql(holder)} t SET ${json} = u.json
        FROM ${unnested("u", rows, {
          id: ["text", ({ id }) => id],
          json: ["jsonb", ({ json: value }) => value],
        })}
        WHERE ${tenantIs("t", tenant)} AND ${has} AND ${key} = u.id::${type}`);
    },
  };
}) {}
