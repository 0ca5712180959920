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
import type { TooManySourceRows } from "./SlowReports.ts";

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
export class Reports extends Context.Service<Reports>()("waypost/reports/Reports", {
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
          const split = yield* rollups.splitWithin(tenant, scope, maxRows);
          return yield* data(tenant, scope, yield* count(tenant, split), status);
        });

    const report = (
      statuses: ReadonlyArray<string>,
      source: DataSource,
      split: DataSource | null = null,
    ): Report =>
      Effect.fnUntraced(function* (tenant, sent) {
        const timezone = tenant.workspace.timezone;
        const now = yield* Clock.currentTimeMillis;
        const isSplittable = split !== null;
        const { end, filters, isByVariant, start, status } = yield* readReportQuery(sent, {
          timezone,
          now,
          statuses,
          isSplittable,
        });
        const scope = { range: reportRange(timezone, start, end), filters, now };
        const data = yield* reads.read(tenant.workspaceId, (maxRows) =>
          (isByVariant && split !== null ? split : source)(tenant, scope, status, maxRows),
        );
        return `{"data":${data},"meta":${JSON.stringify({ start, end, timezone })}}`;
      });

    return {
      /** Totals and daily counts: `ReportOf(Summary)`. */
      summary: report([], counted(rollups.summary, statements.summary)),
      /** One row for each matching campaign: `ReportOf(Array(CampaignRow))`. */
      campaigns: report(campaignRowStatuses, counted(rollups.campaigns, statements.campaigns)),
      /** One row for each matching location: `ReportOf(Array(LocationRow))`. */
      locations: report(locationRowStatuses, counted(rollups.locations, statements.locations)),
      /** One row for each matching notification: `ReportOf(Array(NotificationRow))`. */
      notifications: report(
        notificationRowStatuses,
        counted(rollups.notifications, statements.notifications),
      ),
      /**
       * One row for each matching notification (contract M2), or for each of its variants (contract U8):
       * `ReportOf(Array(InteractionRow))`.
       */
      interactions: report(
        notificationRowStatuses,
        counted(rollups.interactions, statements.interactions),
        counted(rollups.interactions, statements.variants),
      ),
      /**
       * One row for each survey on a matching campaign: `ReportOf(Array(SurveyRow))`. Responses are few, and
       * an index alone counts those that are not rolled up: they have no limit.
       */
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
