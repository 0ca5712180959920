import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import { anyRow, columnValues } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignKey, NotificationKey } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Enrolments, type Experimental } from "./Enrolments.ts";

/** Every statement on enrolments that changes of campaigns and notifications need. */
export const enrolmentsSql = Layer.effect(
  // Bound: 1 campaign, or those of 1 notification.
  Enrolments,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const isOf = (of: Experimental) =>
      "campaign" in of
        ? sql`c.id = ${of.campaign}`
        : sql`EXISTS (SELECT FROM campaign_notification a
            WHERE a.workspace_id = c.workspace_id AND a.environment = c.environment AND a.campaign_id = c.id
              AND a.notification_id = ${of.notification})`;

    /** A transaction that enrols has locked the campaign FOR KEY SHARE. */
    const lock = (tenant: Tenant, of: Experimental) =>
      Effect.orDie(sql<{ readonly id: string; readonly key: CampaignKey }>`
        SELECT c.id, c.key FROM campaign c WHERE ${tenantIs("c", tenant)} AND ${isOf(of)}
        ORDER BY c.id FOR UPDATE`);

    return Enrolments.of({
      hasArms: (tenant, notification) =>
        Effect.andThen(
          lock(tenant, { notification }),
          anyRow(sql`
            SELECT FROM notification n
            JOIN enrolment_count e ON ${sameTenant("e", "n")} AND e.notification_key = n.key
            WHERE ${tenantIs("n", tenant)} AND n.id = ${notification}
            LIMIT 1`),
        ),

      isEnrolled: Effect.fnUntraced(function* (tenant, of) {
        const campaigns = yield* lock(tenant, of);
        const notifications =
          "campaign" in of
            ? []
            : yield* columnValues(sql<{ readonly key: NotificationKey }>`
                SELECT n.key FROM notification n
                WHERE ${tenantIs("n", tenant)} AND n.id = ${of.notification}`);
        const isRunning = yield* anyRow(sql`
          SELECT FROM send s
          WHERE ${tenantIs("s", tenant)} AND s.status = 'running' AND s.experiment
            AND s.campaign_id = ANY (${arrayOf(
              "uuid",
              campaigns.map(({ id }) => id),
            )})
          LIMIT 1`);
        if (isRunning) return true;
        return yield* anyRow(sql`
          SELECT FROM enrolment_count e
          WHERE ${tenantIs("e", tenant)} AND (
            e.campaign_key = ANY (${arrayOf(
              "int4",
              campaigns.map(({ key }) => key),
            )}) OR e.notification_key = ANY (${arrayOf("int4", notifications)}))
          LIMIT 1`);
      }),
    });
  }),
);
