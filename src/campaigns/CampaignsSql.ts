import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, instant, utc } from "../database/Rows.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { AttachedNotification } from "./AttachedNotification.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { statusSql } from "./CampaignStatusSql.ts";

/** What a write stores of a campaign itself; its targeting has tables of its own. */
export interface CampaignValues {
  readonly name: string;
  readonly type: Campaign["type"];
  readonly timezone: TimeZoneName;
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly frequencyCapCount: number | null;
  readonly frequencyCapPeriod: Campaign["frequency_cap_period"];
  readonly segmentMatch: Campaign["targeting"]["segment_match"];
}

interface Columns extends Omit<Campaign, "targeting"> {
  readonly location_ids: ReadonlyArray<string>;
  readonly location_group_ids: ReadonlyArray<string>;
  readonly segmentation_ids: ReadonlyArray<string>;
  readonly segment_match: Campaign["targeting"]["segment_match"];
}

interface FoundColumns extends Columns {
  readonly key: number;
  readonly timezone: TimeZoneName;
  readonly starts_ms: number;
  readonly ends_ms: number | null;
}

const toCampaign = (row: Columns): Campaign => ({
  id: row.id,
  name: row.name,
  type: row.type,
  status: row.status,
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  timezone: row.timezone,
  paused: row.paused,
  frequency_cap_count: row.frequency_cap_count,
  frequency_cap_period: row.frequency_cap_period,
  targeting: {
    location_ids: row.location_ids,
    location_group_ids: row.location_group_ids,
    segmentation_ids: row.segmentation_ids,
    // The last segment of a campaign that has ended can be deleted (contract E6).
    segment_match: row.segmentation_ids.length > 0 ? row.segment_match : null,
  },
  created_at: row.created_at,
  updated_at: row.updated_at,
});

const toFound = (row: FoundColumns): FoundCampaign => ({
  ...toCampaign(row),
  timezone: row.timezone,
  key: row.key,
  startsAtMs: row.starts_ms,
  endsAtMs: row.ends_ms,
});

/** Every statement on campaigns but those on their targeting. */
export class CampaignsSql extends Context.Service<CampaignsSql>()("waypost/campaigns/CampaignsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const targets = (table: string, column: string) => sql`
      ARRAY (SELECT t.${sql(column)}::text FROM ${sql(table)} t
        WHERE t.workspace_id = c.workspace_id AND t.environment = c.environment AND t.campaign_id = c.id
        ORDER BY t.position)`;

    const columns = (now: number) => sql`
      c.id, c.name, c.type, ${statusSql(sql, now, "c")} AS status, ${utc("c.starts_at")} AS starts_at,
      ${utc("c.ends_at")} AS ends_at, c.timezone, c.paused, c.frequency_cap_count, c.frequency_cap_period,
      ${targets("campaign_location", "location_id")} AS location_ids,
      ${targets("campaign_location_group", "group_id")} AS location_group_ids,
      ${targets("campaign_segment", "segment_id")} AS segmentation_ids,
      c.segment_match, ${utc("c.created_at")} AS created_at, ${utc("c.updated_at")} AS updated_at`;

    const of = (tenant: Tenant, alias: string) =>
      sql`${sql(`${alias}.workspace_id`)} = ${tenant.workspaceId} AND ${sql(`${alias}.environment`)} = ${tenant.environment}`;

    return {
      page: (tenant: Tenant, position: PagePosition, updatedSince: number | null, now: number) =>
        sql<Columns>`
          SELECT ${columns(now)} FROM campaign c
          WHERE ${of(tenant, "c")}
            AND (${position.before}::uuid IS NULL OR c.id < ${position.before})
            AND (${instant(updatedSince)} IS NULL OR c.updated_at >= ${instant(updatedSince)})
          ORDER BY c.id DESC LIMIT ${position.limit}`.pipe(
          Effect.map((rows) => rows.map(toCampaign)),
          Effect.orDie,
        ),

      find: (tenant: Tenant, id: string, now: number) =>
        sql<FoundColumns>`
          SELECT ${columns(now)}, c.key, ${asNumber("extract(epoch FROM c.starts_at) * 1000")} AS starts_ms,
            ${asNumber("extract(epoch FROM c.ends_at) * 1000")} AS ends_ms
          FROM campaign c WHERE ${of(tenant, "c")} AND c.id = ${id}`.pipe(
          Effect.map((rows) => rows.map(toFound)),
          Effect.orDie,
        ),

      /** Whether another campaign than this one (null: any) has exactly this name. */
      isNameTaken: (tenant: Tenant, name: string, except: string | null) =>
        sql`
          SELECT FROM campaign c
          WHERE ${of(tenant, "c")} AND c.name = ${name} AND c.id IS DISTINCT FROM ${except}::uuid`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie,
        ),

      /** How many campaigns `max_campaigns` counts, without this one: those not ended, in Sandbox also not paused (E9). */
      countLimited: (tenant: Tenant, except: string | null, now: number) =>
        sql<{ readonly count: number }>`
          SELECT count(*)::integer AS count FROM campaign c
          WHERE ${of(tenant, "c")} AND c.id IS DISTINCT FROM ${except}::uuid
            AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)})
            AND NOT (c.paused AND c.environment = 'sandbox')`.pipe(
          Effect.map((rows) => rows[0]?.count ?? 0),
          Effect.orDie,
        ),

      insert: (tenant: Tenant, id: string, values: CampaignValues, now: number) =>
        Effect.orDie(sql`
          INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at,
            frequency_cap_count, frequency_cap_period, segment_match, created_at, updated_at)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, ${values.name}, ${values.type},
            ${values.timezone}, ${instant(values.startsAt)}, ${instant(values.endsAt)}, ${values.frequencyCapCount},
            ${values.frequencyCapPeriod}, ${values.segmentMatch}, ${instant(now)}, ${instant(now)})`),

      update: (tenant: Tenant, id: string, values: CampaignValues, now: number) =>
        Effect.orDie(sql`
          UPDATE campaign c SET name = ${values.name}, type = ${values.type}, timezone = ${values.timezone},
            starts_at = ${instant(values.startsAt)}, ends_at = ${instant(values.endsAt)},
            frequency_cap_count = ${values.frequencyCapCount}, frequency_cap_period = ${values.frequencyCapPeriod},
            segment_match = ${values.segmentMatch}, updated_at = ${instant(now)}
          WHERE ${of(tenant, "c")} AND c.id = ${id}`),

      /** True if that changed it: a campaign that is that way already stays untouched, `updated_at` included. */
      setPaused: (tenant: Tenant, id: string, paused: boolean, now: number) =>
        sql`
          UPDATE campaign c SET paused = ${paused}, updated_at = ${instant(now)}
          WHERE ${of(tenant, "c")} AND c.id = ${id} AND c.paused <> ${paused}
          RETURNING c.id`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie,
        ),

      /** The notifications on a campaign, by the time they were put on it. */
      attached: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<AttachedNotification & { readonly sendAt: TimeOfDay | null }>`
          SELECT n.name, cn.send_at AS "sendAt",
            ${asNumber("extract(epoch FROM cn.starts_at) * 1000")} AS "windowStart",
            ${asNumber("extract(epoch FROM cn.ends_at) * 1000")} AS "windowEnd"
          FROM campaign_notification cn
          JOIN notification n ON n.workspace_id = cn.workspace_id AND n.environment = cn.environment
            AND n.id = cn.notification_id
          WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${id}
          ORDER BY cn.attached_at, cn.notification_id`),

      /** Deletes the notifications that are on this campaign and on no other; what was sent of them stays readable. */
      deleteOwnNotifications: (tenant: Tenant, id: string) =>
        Effect.orDie(sql`
          DELETE FROM notification n
          WHERE ${of(tenant, "n")}
            AND n.id IN (SELECT cn.notification_id FROM campaign_notification cn
              WHERE ${of(tenant, "cn")} AND cn.campaign_id = ${id})
            AND NOT EXISTS (SELECT FROM campaign_notification o
              WHERE ${of(tenant, "o")} AND o.notification_id = n.id AND o.campaign_id <> ${id})`),

      /** Deletes a campaign with its targeting and detaches its notifications; its id stays for what it delivered. */
      delete: (tenant: Tenant, id: string) =>
        Effect.orDie(sql<{ readonly id: string }>`
          WITH gone AS (
            DELETE FROM campaign c WHERE ${of(tenant, "c")} AND c.id = ${id}
            RETURNING c.workspace_id, c.environment, c.key, c.id
          )
          INSERT INTO deleted_campaign (workspace_id, environment, key, id)
          SELECT workspace_id, environment, key, id FROM gone RETURNING id`),

      existingSegments: (tenant: Tenant, ids: ReadonlyArray<string>) =>
        sql<{ readonly id: string }>`
          SELECT s.id FROM segment s WHERE ${of(tenant, "s")} AND s.id = ANY (${arrayOf("uuid", ids)})`.pipe(
          Effect.map((rows) => new Set(rows.map((row) => row.id))),
          Effect.orDie,
        ),
    };
  }),
}) {
  static readonly layer = Layer.effect(CampaignsSql, CampaignsSql.make);
}
