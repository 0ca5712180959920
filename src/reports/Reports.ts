import { Clock, Context, Effect, Layer, Semaphore } from "effect";
import { Database } from "../database/Database.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { CampaignReportSql } from "./CampaignReportSql.ts";
import { LocationReportSql } from "./LocationReportSql.ts";
import { NotificationReportSql } from "./NotificationReportSql.ts";
import {
  campaignRowStatuses,
  locationRowStatuses,
  notificationRowStatuses,
  surveyRowStatuses,
} from "./Report.ts";
import type { ReportScope } from "./ReportFiguresSql.ts";
import { readReportQuery, type SentParameters } from "./ReportQuery.ts";
import { reportRange } from "./ReportRange.ts";
import { SummaryReportSql } from "./SummaryReportSql.ts";
import { SurveyReportSql } from "./SurveyReportSql.ts";

/** Reports that read at once in this process: a crowd of slow ones leaves connections for everything else. */
const atOnce = 4;

/** Figures of one environment of a workspace. Each comes as the JSON text of a whole answer, made by the database. */
export class Reports extends Context.Service<Reports>()("waypost/reports/Reports", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const summaries = yield* SummaryReportSql;
    const campaigns = yield* CampaignReportSql;
    const locations = yield* LocationReportSql;
    const notifications = yield* NotificationReportSql;
    const surveys = yield* SurveyReportSql;
    const semaphore = yield* Semaphore.make(atOnce);

    /** Reads the parameters, and then one report: in a transaction, so on a connection that nobody else waits for. */
    const report = Effect.fnUntraced(function* (
      tenant: Tenant,
      sent: SentParameters,
      statuses: ReadonlyArray<string>,
      read: (
        scope: ReportScope,
        status: string | null,
      ) => Effect.Effect<ReadonlyArray<{ readonly data: string }>>,
    ) {
      const timezone = tenant.workspace.timezone as TimeZoneName;
      const now = yield* Clock.currentTimeMillis;
      const { end, filters, start, status } = yield* readReportQuery(sent, { timezone, now, statuses });
      const range = reportRange(timezone, start, end);
      const [row] = yield* semaphore.withPermit(database.atomically(read({ range, filters, now }, status)));
      if (row === undefined) return yield* Effect.die(new Error("The statement of a report answers one row"));
      const meta = JSON.stringify({ start, end, timezone });
      return `{"data":${row.data},"meta":${meta}}`;
    });

    return {
      /** Totals and daily counts: `ReportOf(Summary)`. */
      summary: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, [], (scope) => summaries.data(tenant, scope)),

      /** One row for each matching campaign: `ReportOf(Array(CampaignRow))`. */
      campaigns: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, campaignRowStatuses, (scope, status) => campaigns.data(tenant, scope, status)),

      /** One row for each matching location: `ReportOf(Array(LocationRow))`. */
      locations: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, locationRowStatuses, (scope, status) => locations.data(tenant, scope, status)),

      /** One row for each matching notification: `ReportOf(Array(NotificationRow))`. */
      notifications: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, notificationRowStatuses, (scope, status) =>
          notifications.data(tenant, scope, status),
        ),

      /** One row for each survey on a matching campaign: `ReportOf(Array(SurveyRow))`. */
      surveys: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, surveyRowStatuses, (scope, status) => surveys.data(tenant, scope, status)),
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(Reports, Reports.make);
  static readonly layer = Reports.layerNoDeps.pipe(
    Layer.provide([
      SummaryReportSql.layer,
      CampaignReportSql.layer,
      LocationReportSql.layer,
      NotificationReportSql.layer,
      SurveyReportSql.layer,
    ]),
  );
}
