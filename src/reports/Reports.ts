/** The reports. ARCHITECTURE.md, Report, has the files of a number in order. */
import { Clock, Context, Effect, Layer } from "effect";
import type { Unprocessable, ServiceUnavailable } from "../wire/ApiError.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import {
  campaignRowStatuses,
  locationRowStatuses,
  notificationRowStatuses,
  surveyRowStatuses,
} from "./Report.ts";
import type { ReportScope } from "./ReportConditionsSql.ts";
import { readReportQuery, type SentParameters } from "./ReportQuery.ts";
import { reportRange } from "./ReportRange.ts";
import { ReportReads } from "./ReportReads.ts";
import { ReportsSql } from "./ReportsSql.ts";
import { RollupReader } from "./rollups/RollupReader.ts";
import type { ScopeSplit } from "./rollups/reading/ScopeSplit.ts";
import { TooManySourceRows } from "./SlowReports.ts";

/** A report: the JSON text of a whole answer, made by the database (contract K1–K9). */
type Report = (
  tenant: Tenant,
  sent: SentParameters,
) => Effect.Effect<string, Unprocessable | ServiceUnavailable>;

/** A report as `Reports` reads it: its `data` as JSON text. It may count at most so many source rows. */
type DataSource = (
  tenant: Tenant,
  scope: ReportScope,
  status: string | null,
  maxRows: number,
) => Effect.Effect<string, TooManySourceRows>;

/** Figures of one environment of a workspace. */
export class Reports extends Context.Service<
  Reports,
  {
    /** Totals and daily counts: `ReportOf(Summary)`. */
    readonly summary: Report;
    /** One row for each matching campaign: `ReportOf(Array(CampaignRow))`. */
    readonly campaigns: Report;
    /** One row for each matching location: `ReportOf(Array(LocationRow))`. */
    readonly locations: Report;
    /** One row for each matching notification: `ReportOf(Array(NotificationRow))`. */
    readonly notifications: Report;
    /** One row for each matching notification: `ReportOf(Array(InteractionRow))` (contract M2). */
    readonly interactions: Report;
    /** One row for each survey on a matching campaign: `ReportOf(Array(SurveyRow))`. */
    readonly surveys: Report;
  }
>()("waypost/reports/Reports", {
  make: Effect.gen(function* () {
    const reads = yield* ReportReads;
    const statements = yield* ReportsSql;
    const rollups = yield* RollupReader;

    /** A report whose figures are read by `RollupReader`. */
    const counted =
      <Counts>(
        count: (tenant: Tenant, split: ScopeSplit) => Effect.Effect<Counts>,
        data: (
          tenant: Tenant,
          scope: ReportScope,
          counts: Counts,
          status: string | null,
        ) => Effect.Effect<string>,
      ): DataSource =>
      (tenant, scope, status, maxRows) =>
        Effect.gen(function* () {
          const split = yield* rollups.split(tenant, scope);
          if (split.raw !== undefined) {
            const rows = yield* rollups.expectedRows(tenant, split.raw);
            if (rows > maxRows) {
              const timezone = tenant.workspace.timezone;
              return yield* new TooManySourceRows({ rows, rolledUpFrom: split.rolledUpFrom, timezone });
            }
            yield* rollups.raiseWorkMem;
          }
          return yield* data(tenant, scope, yield* count(tenant, split), status);
        });

    const report = (statuses: ReadonlyArray<string>, source: DataSource): Report =>
      Effect.fnUntraced(function* (tenant, sent) {
        const timezone = tenant.workspace.timezone;
        const now = yield* Clock.currentTimeMillis;
        const { end, filters, start, status } = yield* readReportQuery(sent, { timezone, now, statuses });
        const scope = { range: reportRange(timezone, start, end), filters, now };
        const data = yield* reads.read(tenant.workspaceId, (maxRows) =>
          source(tenant, scope, status, maxRows),
        );
        return `{"data":${data},"meta":${JSON.stringify({ start, end, timezone })}}`;
      });

    return {
      summary: report([], counted(rollups.summary, statements.summary)),
      campaigns: report(campaignRowStatuses, counted(rollups.campaigns, statements.campaigns)),
      locations: report(locationRowStatuses, counted(rollups.locations, statements.locations)),
      notifications: report(
        notificationRowStatuses,
        counted(rollups.notifications, statements.notifications),
      ),
      interactions: report(notificationRowStatuses, counted(rollups.interactions, statements.interactions)),
      // Responses are few, and an index alone counts those that are not rolled up: they have no limit.
      surveys: report(surveyRowStatuses, (tenant, scope, status) =>
        Effect.gen(function* () {
          const counts = yield* rollups.responses(tenant, yield* rollups.split(tenant, scope));
          return yield* statements.surveys(tenant, scope, counts, status);
        }),
      ),
    };
  }),
}) {
  static readonly layer = Layer.effect(Reports, Reports.make).pipe(
    Layer.provide([ReportsSql.layer, RollupReader.layer, ReportReads.layer]),
  );
}
