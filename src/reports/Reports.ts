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
import { type CountedScope, RollupReader } from "./rollups/RollupReader.ts";
import { SourceRowLimits, TooManySourceRows, rollupsIncomplete, slowReports } from "./SlowReports.ts";
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
    const rolled = yield* RollupReader;
    const semaphore = yield* Semaphore.make(atOnce);
    const inTurn = yield* slowReports;

    /**
     * Reads the parameters, and then one report: in a transaction, so on a connection that nobody else waits for, and all of one
     * snapshot. What it counts comes from the rollups and the feed, and from base rows for the time that those do not have yet; where that is
     * many rows, it waits for a turn.
     */
    const report = Effect.fnUntraced(function* <Counts = never>(
      tenant: Tenant,
      sent: SentParameters,
      { counts, data, statuses }: ReportSource<Counts>,
    ) {
      const timezone = tenant.workspace.timezone as TimeZoneName;
      const now = yield* Clock.currentTimeMillis;
      const { end, filters, start, status } = yield* readReportQuery(sent, { timezone, now, statuses });
      const scope = { range: reportRange(timezone, start, end), filters, now };
      const limits = yield* SourceRowLimits;
      const read = (most: number) =>
        Effect.gen(function* () {
          yield* rolled.useOneSnapshot;
          if (counts === undefined) return yield* data(tenant, scope, status);
          const { counted, unrolled, rolledUpFrom } = yield* rolled.split(tenant, scope);
          if (unrolled !== undefined) {
            const rows = yield* rolled.expected(tenant, unrolled);
            if (rows > most) return yield* new TooManySourceRows({ rows, rolledUpFrom, timezone });
            yield* rolled.takeRoom;
          }
          return yield* data(tenant, scope, status, counted && (yield* counts(tenant, counted)));
        });
      const slowly = (many: TooManySourceRows) =>
        many.rows > limits.most
          ? Effect.fail(rollupsIncomplete(many))
          : Effect.catchTag(
              inTurn(database.atomically(read(limits.most)), many),
              "TooManySourceRows",
              (more) => Effect.fail(rollupsIncomplete(more)),
            );
      const [row] = yield* semaphore
        .withPermit(database.atomically(read(limits.quick)))
        .pipe(Effect.catchTag("TooManySourceRows", slowly));
      if (row === undefined) return yield* Effect.die(new Error("The statement of a report answers one row"));
      const meta = JSON.stringify({ start, end, timezone });
      return `{"data":${row.data},"meta":${meta}}`;
    });

    return {
      /** Totals and daily counts: `ReportOf(Summary)`. */
      summary: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, {
          statuses: [],
          counts: rolled.summary,
          data: (tenant, scope, _, counts) => summaries.data(tenant, scope, counts),
        }),

      /** One row for each matching campaign: `ReportOf(Array(CampaignRow))`. */
      campaigns: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, {
          statuses: campaignRowStatuses,
          counts: rolled.campaigns,
          data: campaigns.data,
        }),

      /** One row for each matching location: `ReportOf(Array(LocationRow))`. */
      locations: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, {
          statuses: locationRowStatuses,
          counts: rolled.locations,
          data: locations.data,
        }),

      /** One row for each matching notification: `ReportOf(Array(NotificationRow))`. */
      notifications: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, {
          statuses: notificationRowStatuses,
          counts: rolled.notifications,
          data: notifications.data,
        }),

      /** One row for each survey on a matching campaign: `ReportOf(Array(SurveyRow))`. */
      surveys: (tenant: Tenant, sent: SentParameters) =>
        report(tenant, sent, { statuses: surveyRowStatuses, data: surveys.data }),
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
      RollupReader.layer,
    ]),
  );
}

/** Where a report comes from: the statement of its rows, and what it counts where that is rolled up. */
interface ReportSource<Counts> {
  readonly statuses: ReadonlyArray<string>;
  readonly counts?: (tenant: Tenant, scope: CountedScope) => Effect.Effect<Counts>;
  readonly data: (
    tenant: Tenant,
    scope: ReportScope,
    status: string | null,
    counts?: Counts,
  ) => Effect.Effect<ReadonlyArray<{ readonly data: string }>>;
}
