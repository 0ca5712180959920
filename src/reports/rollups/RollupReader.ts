/** How reports read their figures. */
import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { ReportScope } from "../ReportConditionsSql.ts";
import type { LocationCounts, OutcomeCounts, SummaryCounts, SurveyKey } from "../ReportCounts.ts";
import { TooManySourceRows } from "../SlowReports.ts";
import { SourceRowEstimateSql } from "../SourceRowEstimateSql.ts";
import type { Period } from "../SourceRowsSql.ts";
import { addCounts } from "./InteractionAdditions.ts";
import { AnswerReaderSql } from "./reading/AnswerReaderSql.ts";
import { DeliveryReader } from "./reading/DeliveryReader.ts";
import { EventReader } from "./reading/EventReader.ts";
import { InteractionReaderSql } from "./reading/InteractionReaderSql.ts";
import { noCoverage, type ScopeSplit, splitScope } from "./reading/ScopeSplit.ts";
import { RollupStateSql } from "./RollupStateSql.ts";

/** Figures from rollups, pending deltas and source rows that are not rolled up; in one transaction. */
export class RollupReader extends Context.Service<RollupReader>()("waypost/reports/rollups/RollupReader", {
  make: Effect.gen(function* () {
    const states = yield* RollupStateSql;
    const estimates = yield* SourceRowEstimateSql;
    const deliveries = yield* DeliveryReader;
    const events = yield* EventReader;
    const interactions = yield* InteractionReaderSql;
    const surveys = yield* AnswerReaderSql;

    const split = (tenant: Tenant, scope: ReportScope): Effect.Effect<ScopeSplit> =>
      Effect.map(states.coverage(tenant, tenant.workspace.timezone), ([coverage = noCoverage]) =>
        splitScope(scope, coverage),
      );
    const limited = Effect.fnUntraced(function* (
      tenant: Tenant,
      scope: ReportScope,
      maxRows: number,
      estimate: (range: Period) => Effect.Effect<number>,
    ) {
      const divided = yield* split(tenant, scope);
      const rows = divided.raw === undefined ? 0 : yield* estimate(divided.raw.range);
      if (rows <= maxRows) return divided;
      const { rolledUpFrom } = divided;
      return yield* new TooManySourceRows({ rows, rolledUpFrom, timezone: tenant.workspace.timezone });
    });

    return {
      /** Makes every statement of this transaction read the same snapshot. It must be the first. */
      useReadSnapshot: states.useReadSnapshot,

      /** Splits the scope into rolled-up and source rows. Rollups of another time zone count nothing. */
      split,

      /** The same for a scope with at most so many source rows to count, of the kind that has most. */
      splitWithin: (tenant: Tenant, scope: ReportScope, maxRows: number) =>
        Effect.tap(
          limited(tenant, scope, maxRows, (range) => estimates.rows(tenant, range)),
          ({ raw }) => (raw === undefined ? Effect.void : estimates.raiseWorkMem),
        ),

      /** The same by the number of responses to a survey on a campaign. */
      splitOfSurvey: (tenant: Tenant, survey: SurveyKey, scope: ReportScope, maxRows: number) =>
        limited(tenant, scope, maxRows, (range) => estimates.responses(tenant, survey, range)),

      /** Activity of the range and of each of its days. */
      summary: Effect.fnUntraced(function* (tenant: Tenant, split: ScopeSplit) {
        const counts: SummaryCounts = {
          deliveries: yield* deliveries.daily(tenant, split),
          transitions: yield* events.daily(tenant, split),
        };
        return counts;
      }),

      /** Deliveries of each campaign. */
      campaigns: (tenant: Tenant, split: ScopeSplit): Effect.Effect<ReadonlyArray<OutcomeCounts>> =>
        deliveries.byKey(tenant, split, "campaign_key"),

      /** Deliveries and failed sends of each notification. */
      notifications: (tenant: Tenant, split: ScopeSplit): Effect.Effect<ReadonlyArray<OutcomeCounts>> =>
        deliveries.byKey(tenant, split, "notification_key"),

      /** Deliveries, opens and clicks of each notification. */
      interactions: interactions.interactions,

      /** Responses to each survey on each campaign. */
      responses: interactions.responses,

      /** The number of distinct devices that entered one of these locations; of a scope without filters. */
      entered: (tenant: Tenant, split: ScopeSplit, keys: ReadonlySet<number>): Effect.Effect<number> =>
        events.entered(tenant, split, keys),

      /** Responses to a survey on a campaign in the range, dated by the first answer. */
      surveyResponses: surveys.responseCount,

      /** How often each of these questions of a survey was answered by each value in the range. */
      answers: Effect.fnUntraced(function* (
        tenant: Tenant,
        survey: SurveyKey,
        split: ScopeSplit,
        questionIds: ReadonlyArray<string>,
      ) {
        const sums = new Map<string, Map<string, number>>();
        const yieldIfLong = timeSlices();
        for (const { counts, question_id } of yield* surveys.values(tenant, survey, split, questionIds)) {
          const sum = sums.get(question_id) ?? new Map<string, number>();
          addCounts(sum, counts);
          sums.set(question_id, sum);
          yield* yieldIfLong;
        }
        return sums;
      }),

      /** Events and visits at each location. */
      locations: (tenant: Tenant, split: ScopeSplit): Effect.Effect<ReadonlyArray<LocationCounts>> =>
        events.byLocation(tenant, split),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupReader, RollupReader.make).pipe(
    Layer.provide([
      RollupStateSql.layer,
      SourceRowEstimateSql.layer,
      DeliveryReader.layer,
      EventReader.layer,
      InteractionReaderSql.layer,
      AnswerReaderSql.layer,
    ]),
  );
}
