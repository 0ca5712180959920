import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { sameTenant, tenantColumns } from "../../database/TenantColumns.ts";
import { workspaceStatements, workspaceIs } from "../../database/WorkspaceGroups.ts";
import type { TemplateValues } from "../../notifications/templates/TemplateRun.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { CampaignKey, DeviceKey, LocationKey } from "../../wire/Ids.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** Names the recipient of a message. */
export interface RecipientKey extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly campaignKey: CampaignKey;
  /** The location whose event triggered the message; null for none. */
  readonly locationKey: LocationKey | null;
}

/** Facts that the texts of a message depend on (`ord`, from 1). */
export interface RecipientRow {
  readonly ord: number;
  readonly attributes: TemplateValues["device"]["attributes"];
  readonly platform: string | null;
  readonly locale: string | null;
  readonly timezone: TimeZoneName | null;
  readonly location: TemplateValues["location"];
  readonly campaignName: string | null;
}

/** The statement that reads what templates show. */
export class RecipientsSql extends Context.Service<RecipientsSql>()(
  "waypost/sending/rendering/RecipientsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { byWorkspace } = workspaceStatements(sql);
      return {
        /** The recipients of messages. No row for a device that does not exist any more. */
        find: (all: ReadonlyArray<RecipientKey>) =>
          byWorkspace(all)(
            (messages) => sql<RecipientRow>`
            WITH r AS MATERIALIZED (
              SELECT r.*, v.attributes, v.platform, v.locale, v.timezone
              FROM ${unnested("r", messages, {
                ...tenantColumns,
                device_key: ["int4", ({ deviceKey }) => deviceKey],
                campaign_key: ["int4", ({ campaignKey }) => campaignKey],
                location_key: ["int4", ({ locationKey }) => locationKey],
              })}
              JOIN device v ON ${workspaceIs("v", "r")} AND v.environment = r.environment
                AND v.key = r.device_key
            )
            SELECT r.ord::int AS ord, r.attributes, r.platform, r.locale, r.timezone, (
              SELECT jsonb_build_object('name', l.name, 'address', l.address, 'external_id', l.external_id)
              FROM location l WHERE ${sameTenant("l", "r")} AND l.key = r.location_key
            ) AS location, (
              SELECT k.name FROM campaign k WHERE ${sameTenant("k", "r")} AND k.key = r.campaign_key
            ) AS "campaignName"
            FROM r`,
          ),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RecipientsSql, RecipientsSql.make);
}
