import { Effect } from "effect";
import { arrayOf, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { sameTenant, tenantColumns, tenantIsIn } from "../../database/TenantColumns.ts";
import { experimentSql } from "../../notifications/variants/VariantSql.ts";
import type { CampaignKey, NotificationKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { isOneOfSends } from "../sends/batches/BatchLeasesSql.ts";
import type { StartedSend } from "../sends/Send.ts";
import type { Split } from "./Arm.ts";
import type { Experiment } from "./Experiment.ts";

/** The experiment of a started send. */
export interface SendExperiment extends StartedSend {
  /** Null if the campaign has none any more. */
  readonly experiment: Experiment | null;
  readonly notificationId: string;
  readonly variants: Split;
  /** Whether nothing else can have enrolled units of its campaign: no other send, and no events. */
  readonly isFirst: boolean;
}

/** A notification of a campaign with an experiment. */
export interface ExperimentKey extends TenantKey {
  readonly campaignKey: CampaignKey;
  readonly notificationKey: NotificationKey;
}

/**
 * Statements that read the experiments of campaigns, and lock the campaigns, so that no experiment stops or
 * changes until the transaction ends (contract U4, U7). Bound: the campaigns of 1 batch, or 500 sends.
 */
export class ExperimentsSql extends SqlService<ExperimentsSql>("waypost/sending/ExperimentsSql")((sql) => ({
  /** The experiments of campaigns. */
  lock: (keys: ReadonlyArray<ExperimentKey>) =>
    Effect.orDie(sql<{ readonly experiment: Experiment }>`
      SELECT ${experimentSql("c")} AS experiment FROM campaign c
      WHERE ${tenantIsIn("c", keys)} AND c.key = ANY (${arrayOf(
        "int4",
        keys.map(({ campaignKey }) => campaignKey),
      )}) AND (c.holdout_percent > 0 OR c.has_variants)
      ORDER BY c.key FOR KEY SHARE OF c`),

  /** The variants of attached notifications (`ord`, from 1), as they are while their campaigns are locked. */
  splits: (keys: ReadonlyArray<ExperimentKey>) =>
    Effect.orDie(sql<{ readonly ord: number; readonly variants: Split }>`
      SELECT p.ord::int AS ord, COALESCE(k.variants, '[]') AS variants
      FROM ${unnested("p", keys, {
        ...tenantColumns,
        campaign_key: ["int4", ({ campaignKey }) => campaignKey],
        notification_key: ["int4", ({ notificationKey }) => notificationKey],
      })}
      JOIN campaign c ON ${sameTenant("c", "p")} AND c.key = p.campaign_key
      JOIN notification n ON ${sameTenant("n", "p")} AND n.key = p.notification_key
      JOIN campaign_notification a ON ${sameTenant("a", "p")} AND a.campaign_id = c.id
        AND a.notification_id = n.id
      JOIN content k ON ${sameTenant("k", "n")} AND k.key = n.content_key`),

  /** The experiments of started sends. */
  ofSends: (sends: ReadonlyArray<StartedSend>) =>
    Effect.orDie(sql<SendExperiment>`
      SELECT s.workspace_id AS "workspaceId", s.environment, s.source_id AS "sourceId",
        s.notification_id AS "notificationId", COALESCE(k.variants, '[]') AS variants,
        NOT c.type_changed AND NOT EXISTS (
          SELECT FROM send o WHERE ${sameTenant("o", "s")} AND o.campaign_id = s.campaign_id
            AND o.source_id <> s.source_id) AS "isFirst",
        ${experimentSql("c")} AS experiment
      FROM send s
      JOIN campaign c ON ${sameTenant("c", "s")} AND c.id = s.campaign_id
      JOIN content k ON ${sameTenant("k", "s")} AND k.key = s.content_key
      WHERE ${tenantIsIn("s", sends)} AND ${isOneOfSends(sql)("s", sends)}
      ORDER BY c.key FOR KEY SHARE OF c`),
})) {}
