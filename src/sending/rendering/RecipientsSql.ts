import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { sameTenant, tenantColumns, tenantIsIn } from "../../database/TenantColumns.ts";
import { workspaceStatements, workspaceIs } from "../../database/WorkspaceGroups.ts";
import type { Properties } from "../../notifications/EventFacts.ts";
import type { TextSource } from "../../notifications/templates/MessageTexts.ts";
import type { Variant } from "../../notifications/variants/Variant.ts";
import { variesSql } from "../../notifications/variants/VariantSql.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { CampaignKey, DeviceKey, LocationKey } from "../../wire/Ids.ts";
import { isOneOfSends } from "../sends/batches/BatchLeasesSql.ts";
import type { StartedSend } from "../sends/Send.ts";
import type { KeptFacts, RecipientFacts } from "./KeptFacts.ts";

/** Names the recipient of a message. */
export interface RecipientKey extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly campaignKey: CampaignKey;
  /** The location whose event triggered the message; null for none. */
  readonly locationKey: LocationKey | null;
  /** The properties of the custom event that triggered the message; none for others. */
  readonly event?: Properties | null;
  /** The facts that its delivery keeps; null for nothing. */
  readonly recipient: KeptFacts | null;
  /** The time of rendering, in epoch milliseconds: of kept facts that of the delivery. */
  readonly now: number;
}

/** Facts that the texts of a message depend on (`ord`, from 1). */
export interface RecipientRow extends Omit<RecipientFacts, "event"> {
  readonly ord: number;
  readonly userId: string | null;
}

/** The content of a send with different texts for its devices. */
export interface SendContent extends StartedSend, TextSource {
  readonly campaign: string | null;
  readonly variants: ReadonlyArray<Variant>;
}

/** The statements that read what templates show. Bound: the messages of 1 transaction, or 500 sends. */
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
              SELECT r.*, v.attributes, v.platform, v.locale, v.timezone, v.user_id
              FROM ${unnested("r", messages, {
                ...tenantColumns,
                device_key: ["int4", ({ deviceKey }) => deviceKey],
                campaign_key: ["int4", ({ campaignKey }) => campaignKey],
                location_key: ["int4", ({ locationKey }) => locationKey],
              })}
              JOIN device v ON ${workspaceIs("v", "r")} AND v.environment = r.environment
                AND v.key = r.device_key
            )
            SELECT r.ord::int AS ord, r.user_id AS "userId", r.attributes, r.platform, r.locale, r.timezone, (
              SELECT jsonb_build_object('name', l.name, 'address', l.address, 'external_id', l.external_id)
              FROM location l WHERE ${sameTenant("l", "r")} AND l.key = r.location_key
            ) AS location, (
              SELECT k.name FROM campaign k WHERE ${sameTenant("k", "r")} AND k.key = r.campaign_key
            ) AS campaign
            FROM r`,
          ),

        /** The contents of started sends with a template or translations, of variants too. */
        contents: (sends: ReadonlyArray<StartedSend>) =>
          Effect.orDie(sql<SendContent>`
            SELECT s.workspace_id AS "workspaceId", s.environment, s.source_id AS "sourceId", c.headline,
              c.body, c.cta_label, c.cta_url, COALESCE(c.questions, '[]') AS questions, c.template,
              c.translations, c.push, k.name AS campaign,
              COALESCE(c.variants, '[]') AS variants
            FROM send s
            JOIN content c ON ${sameTenant("c", "s")} AND c.key = s.content_key
            LEFT JOIN campaign k ON ${sameTenant("k", "s")} AND k.key = s.campaign_key
            WHERE ${tenantIsIn("s", sends)} AND ${isOneOfSends(sql)("s", sends)}
              AND ${variesSql("c")}`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RecipientsSql, RecipientsSql.make);
}
