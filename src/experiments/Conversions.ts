import { Effect } from "effect";
import { unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../database/TenantColumns.ts";
import { workspaceStatements } from "../database/WorkspaceGroups.ts";
import { conversionsSql } from "../deltas/ExperimentCountsSql.ts";
import type { CampaignKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** Something that a unit did, and a campaign whose goal that is. */
export interface ReachedGoal extends TenantKey {
  readonly campaignKey: CampaignKey;
  /** The unit as `enrolment` has it. */
  readonly unitKey: number;
  /** As in `enrolment`: `visit`, or `event:` and its name. */
  readonly goal: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A custom event of a unit. */
export interface UnitEvent extends TenantKey {
  readonly unitKey: number;
  readonly name: string;
  /** When it occurred, in epoch milliseconds. */
  readonly at: number;
}

/**
 * Converts the units of experiments (contract U5). Opens, clicks and answers convert in the statements that
 * store them; visits and custom events by this. Call it in the transaction that stores what was done, and
 * before that enrols anybody.
 */
export class Conversions extends SqlService<Conversions>("waypost/experiments/Conversions")((sql) => {
  const { onShard } = workspaceStatements(sql);

  /** Converts the units that are enrolled and have not converted, each once. */
  const convert = (reached: ReadonlyArray<ReachedGoal>) =>
    reached.length === 0
      ? Effect.void
      : Effect.asVoid(
          onShard(reached)(
            (own) => sql`
            WITH ${conversionsSql(
              sql,
              sql`SELECT *, false AS is_reply FROM ${unnested("r", own, {
                ...tenantColumns,
                campaign_key: ["int4", ({ campaignKey }) => campaignKey],
                unit_key: ["int4", ({ unitKey }) => unitKey],
                goal: ["text", ({ goal }) => goal],
                at: ["timestamptz", ({ at }) => at],
              })}`,
            )}
            SELECT 1`,
          ),
        );

  return {
    convert,

    /** Converts the units whose goal is one of these custom events (contract V5). */
    convertByEvents: (events: ReadonlyArray<UnitEvent>) =>
      events.length === 0
        ? Effect.void
        : Effect.orDie(sql<{ readonly ord: number; readonly campaignKey: CampaignKey }>`
            SELECT e.ord::int AS ord, c.key AS "campaignKey"
            FROM ${unnested("e", events, { ...tenantColumns, name: ["text", ({ name }) => name] })}
            JOIN campaign c ON ${sameTenant("c", "e")} AND c.goal IS NOT NULL
              AND c.goal ->> 'type' = 'event' AND c.goal ->> 'event' = e.name`).pipe(
            Effect.flatMap((goals) =>
              convert(
                goals.flatMap(({ campaignKey, ord }) => {
                  const event = events[ord - 1];
                  return event === undefined
                    ? []
                    : [{ ...event, campaignKey, goal: `event:${event.name}` } satisfies ReachedGoal];
                }),
              ),
            ),
          ),
  };
}) {}
