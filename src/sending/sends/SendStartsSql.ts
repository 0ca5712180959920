import { Effect } from "effect";
import { arrayOf, epochMillis, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import type { LocalDate } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { sameTenant, tenantColumns, tenantIsIn } from "../../database/TenantColumns.ts";
import { recordedSendsSql } from "../../outbox/RecordedEventsSql.ts";
import { isOneOfSends, sourceColumns } from "./batches/BatchLeasesSql.ts";
import {
  type CampaignQuietHours,
  effectiveQuietHours,
  type QuietHours,
} from "../../workspaces/QuietHours.ts";
import type { FrequencyCap } from "../../workspaces/Workspace.ts";
import { type CapWindow, capWindow } from "../deliveries/FrequencyCap.ts";
import type { SendQuietHours } from "./holding/SendQuietHours.ts";
import type { SendAudience, SendingCampaign, StartedSend } from "./Send.ts";
import type { ContentKey, DeviceKey } from "../../wire/Ids.ts";

/** A campaign that is locked while its sends start. Instants are epoch milliseconds. */
export interface HeldCampaign extends SendingCampaign {
  /** The public id of its workspace. */
  readonly workspace: string;
  readonly paused: boolean;
  readonly timezone: TimeZoneName;
  readonly endsAt: number | null;
  readonly cap: FrequencyCap | null;
  readonly defaultCap: FrequencyCap | null;
  readonly capBy: "device" | "user";
  readonly quietHours: CampaignQuietHours | null;
  readonly defaultQuietHours: QuietHours | null;
  /** Whether the campaign or the environment has a pace. */
  readonly paced: boolean;
  /** Whether it has a holdout or variants. */
  readonly experiment: boolean;
  readonly closing: boolean;
  /** The highest device key of the environment. */
  readonly lastDeviceKey: DeviceKey;
}

/** A due send. */
export interface DueSend extends SendingCampaign {
  readonly id: string;
  readonly dueAt: number;
  /** Of a send of a recurring campaign: its date; else null. */
  readonly occurrence: LocalDate | null;
  readonly contentKey: ContentKey;
  readonly contentType: string;
  /** Whether its texts are templates. */
  readonly templated: boolean;
}

/** Cap and quiet hours of a send, fixed at its start, and whether it has a pace and an experiment then. */
export interface SendRules {
  readonly window: CapWindow | null;
  readonly capBy: "device" | "user";
  readonly quiet: SendQuietHours | null;
  readonly paced: boolean;
  readonly experiment: boolean;
}

/** The cap and quiet hours of a campaign now. */
export const rulesAt = (held: HeldCampaign, now: number): SendRules => {
  const { cap, capBy, defaultCap, defaultQuietHours, experiment, paced, quietHours, timezone } = held;
  const hours = effectiveQuietHours(quietHours, defaultQuietHours);
  const quiet = hours === null ? null : { ...hours, timezone };
  return { window: capWindow(cap, defaultCap, timezone, now), capBy, quiet, paced, experiment };
};

/** A started send whose devices are those of an audience, to be found later. */
interface AudienceSend extends StartedSend {
  readonly lastDeviceKey: DeviceKey;
  readonly audience: SendAudience;
}

/** Statements that start sends, of many campaigns at a time. */
export class SendStartsSql extends SqlService<SendStartsSql>("waypost/sending/SendStartsSql")((sql) => {
  // Bound: a page of 500 sends; a row for each 10,000 of their devices.
  const cap = (count: string, period: string) =>
    sql.literal(
      `CASE WHEN ${count} IS NOT NULL THEN jsonb_build_object('count', ${count}, 'period', ${period}) END`,
    );

  // Joins with lists keep a condition on the listed ids beside them: without it, and with the statistics of
  // an empty table, PostgreSQL compares every row with every entry of the list.
  const idsOf = (campaigns: ReadonlyArray<SendingCampaign>) =>
    arrayOf(
      "uuid",
      campaigns.map(({ campaignId }) => campaignId),
    );
  const isOneOf = isOneOfSends(sql);

  return {
    /** Campaigns with due sends, the first of each workspace before the second ones; none of `except`. */
    dueCampaigns: (now: number, limit: number, except: ReadonlyArray<string>) =>
      Effect.orDie(sql<SendingCampaign>`
        SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId"
        FROM send s
        WHERE s.status = 'scheduled' AND s.local_at IS NULL AND s.due_at <= ${instant(now)}
          AND s.campaign_id <> ALL (${arrayOf("uuid", except)})
        GROUP BY 1, 2, 3
        ORDER BY row_number() OVER (PARTITION BY s.workspace_id ORDER BY min(s.due_at)), min(s.due_at)
        LIMIT ${limit}`),

    /** When the next send is due; null for none. */
    nextDue: (now: number) =>
      sql<{ readonly at: number | null }>`
        SELECT ${epochMillis("min(s.due_at)")} AS at FROM send s
        WHERE s.status = 'scheduled' AND s.local_at IS NULL AND s.due_at > ${instant(now)}`.pipe(
        Effect.map(([next]) => next?.at ?? null),
        Effect.orDie,
      ),

    /**
     * Locks campaigns, so that no other starts their sends, pauses, changes or deletes them. Leaves out
     * those that others have locked.
     */
    lock: (campaigns: ReadonlyArray<SendingCampaign>) =>
      Effect.orDie(sql<HeldCampaign>`
        SELECT c.workspace_id AS "workspaceId", c.environment, c.id AS "campaignId",
          w.public_id AS workspace, c.paused, c.timezone, ${epochMillis("c.ends_at")} AS "endsAt",
          ${cap("c.frequency_cap_count", "c.frequency_cap_period")} AS cap,
          ${cap("w.default_cap_count", "w.default_cap_period")} AS "defaultCap",
          c.cap_by AS "capBy", c.quiet_hours AS "quietHours", w.quiet_hours AS "defaultQuietHours",
          COALESCE(c.max_per_minute, w.max_per_minute) IS NOT NULL AS paced,
          c.holdout_percent > 0 OR c.has_variants AS experiment,
          w.deletion_scheduled_at IS NOT NULL AS closing, t.last_device_key AS "lastDeviceKey"
        FROM campaign c
        JOIN workspace w ON w.id = c.workspace_id
        JOIN tenant t ON ${sameTenant("t", "c")}
        WHERE c.id = ANY (${idsOf(campaigns)}) AND ${tenantIsIn("c", campaigns)} AND c.type = 'push'
        FOR NO KEY UPDATE OF c SKIP LOCKED`),

    /** Locks the due sends of campaigns, those of one minute by age of the notification (contract L4). */
    lockDue: (campaigns: ReadonlyArray<SendingCampaign>, now: number) =>
      Effect.orDie(sql<DueSend>`
        SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId", s.id,
          ${epochMillis("s.due_at")} AS "dueAt", s.occurrence, n.content_key AS "contentKey",
          k.type AS "contentType", k.template IS NOT NULL AS templated
        FROM send s
        CROSS JOIN LATERAL (
          SELECT a.attached_at, a.id, n.content_key FROM campaign_notification a
          JOIN notification n ON ${sameTenant("n", "a")} AND n.id = a.notification_id
          WHERE ${sameTenant("a", "s")} AND a.campaign_id = s.campaign_id
            AND a.notification_id = s.notification_id
          OFFSET 0
        ) AS n
        JOIN content k ON ${sameTenant("k", "s")} AND k.key = n.content_key
        WHERE s.status = 'scheduled' AND s.local_at IS NULL AND s.due_at <= ${instant(now)}
          AND s.campaign_id = ANY (${idsOf(campaigns)}) AND ${tenantIsIn("s", campaigns)}
        ORDER BY s.due_at, n.attached_at, n.id
        FOR UPDATE OF s`),

    /** Ends locked sends without running them. */
    end: (sends: ReadonlyArray<DueSend & { readonly outcome: "skipped" | "missed" }>, now: number) =>
      Effect.orDie(sql`
        WITH ended AS (
          UPDATE send s SET status = e.outcome, finished_at = ${instant(now)}
          FROM ${unnested("e", sends, {
            ...tenantColumns,
            id: ["uuid", ({ id }) => id],
            outcome: ["text", ({ outcome }) => outcome],
          })}
          WHERE ${sameTenant("s", "e")} AND s.id = e.id AND s.status = 'scheduled'
            AND s.campaign_id = ANY (${idsOf(sends)})
          RETURNING s.*
        ), ${recordedSendsSql(sql, "ended", now)}
        SELECT FROM ended`),

    /**
     * Starts locked sends, with their content, cap and quiet hours. Their source ids are in the given
     * order.
     */
    start: (sends: ReadonlyArray<DueSend & SendRules>, now: number) =>
      Effect.orDie(sql<{ readonly id: string; readonly sourceId: bigint }>`
        WITH numbered AS MATERIALIZED (
          SELECT o.*, nextval('delivery_source_id') AS source_id FROM (
            SELECT * FROM ${unnested("u", sends, {
              ...tenantColumns,
              id: ["uuid", ({ id }) => id],
              content_key: ["int4", ({ contentKey }) => contentKey],
              content_type: ["text", ({ contentType }) => contentType],
              templated: ["bool", ({ templated }) => templated],
              cap_count: ["int4", ({ window }) => window?.count ?? null],
              cap_since: ["timestamptz", ({ window }) => window?.since ?? null],
              cap_by: ["text", ({ capBy }) => capBy],
              quiet_hours: ["jsonb", ({ quiet }) => quiet],
              paced: ["bool", ({ paced }) => paced],
              experiment: ["bool", ({ experiment }) => experiment],
            })} ORDER BY ord
          ) AS o
        )
        UPDATE send s SET status = 'running', source_id = n.source_id, started_at = ${instant(now)},
          content_key = n.content_key, content_type = n.content_type, templated = n.templated,
          cap_count = n.cap_count, cap_since = n.cap_since, cap_by = n.cap_by,
          quiet_hours = n.quiet_hours, paced = n.paced, experiment = n.experiment
        FROM numbered n
        WHERE ${sameTenant("s", "n")} AND s.id = n.id AND s.status = 'scheduled'
          AND s.campaign_id = ANY (${idsOf(sends)})
        RETURNING s.id, s.source_id AS "sourceId"`),

    /** Splits all device keys into batches, which include every device registered at the start. */
    splitByRange: (sends: ReadonlyArray<StartedSend & { readonly lastDeviceKey: DeviceKey }>, size: number) =>
      Effect.orDie(sql`
        INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped,
          quiet_hours, first_key, last_key)
        SELECT s.workspace_id, s.environment, s.source_id, n, s.campaign_key,
          s.cap_count IS NOT NULL OR s.experiment, s.quiet_hours, (n - 1) * ${size}::int + 1,
          LEAST(n * ${size}::int, g.last_device_key)
        FROM ${unnested("g", sends, {
          ...sourceColumns,
          last_device_key: ["int4", ({ lastDeviceKey }) => lastDeviceKey],
        })}
        JOIN send s ON ${sameTenant("s", "g")} AND s.source_id = g.source_id
          AND ${isOneOf("s", sends)}
        CROSS JOIN LATERAL generate_series(1, ceil(g.last_device_key::float8 / ${size}::int)::int) AS n`),

    /**
     * Creates batch 0, with the keys among which its devices are. The worker that takes it finds the
     * devices of the audience and splits them.
     */
    splitLater: (sends: ReadonlyArray<AudienceSend>) =>
      Effect.orDie(sql`
        INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped,
          quiet_hours, first_key, last_key, audience)
        SELECT s.workspace_id, s.environment, s.source_id, 0, s.campaign_key,
          s.cap_count IS NOT NULL OR s.parent_id IS NOT NULL OR s.experiment, s.quiet_hours,
          1, g.last_device_key, g.audience
        FROM ${unnested("g", sends, {
          ...sourceColumns,
          last_device_key: ["int4", ({ lastDeviceKey }) => lastDeviceKey],
          audience: ["jsonb", ({ audience }) => audience],
        })}
        JOIN send s ON ${sameTenant("s", "g")} AND s.source_id = g.source_id
          AND ${isOneOf("s", sends)}`),
  };
}) {}
