/** How reports read their figures. */
import { Context, Effect, Layer } from "effect";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { ReportScope } from "../ReportConditionsSql.ts";
import type { LocationCounts, OutcomeCounts, SummaryCounts } from "../ReportCounts.ts";
import { SourceRowEstimateSql } from "../SourceRowEstimateSql.ts";
import { AnswerReader } from "./reading/AnswerReader.ts";
import { DeliveryReader } from "./reading/DeliveryReader.ts";
import { EventReader } from "./reading/EventReader.ts";
import { InteractionReaderSql } from "./reading/InteractionReaderSql.ts";
import { noCoverage, type ScopeSplit, splitScope } from "./reading/ScopeSplit.ts";
import { RollupStateSql } from "./RollupStateSql.ts";
import type { CampaignKey, NotificationKey } from "../../wire/Ids.ts";

/** Figures from rollups, pending deltas and source rows that are not rolled up; in one transaction. */
export class RollupReader extends Context.Service<RollupReader>()("waypost/reports/rollups/RollupReader", {
  make: Effect.gen(function* () {
    const states = yield* RollupStateSql;
    const estimates = yield* SourceRowEstimateSql;
    const deliveries = yield* DeliveryReader;
    const events = yield* EventReader;
    const interactions = yield* InteractionReaderSql;
    const answers = yield* AnswerReader;

    return {
      /** Makes every statement of this transaction read the same snapshot. It must be the first. */
      useReadSnapshot: states.useReadSnapshot,

      /** Splits the scope into rolled-up and source rows. Rollups of another time zone count nothing. */
      split: (tenant: Tenant, scope: ReportScope): Effect.Effect<ScopeSplit> =>
        Effect.map(states.coverage(tenant, tenant.workspace.timezone), ([coverage = noCoverage]) =>
          splitScope(scope, coverage),
        ),

      /** About how many source rows the scope has, of the kind that has most. */
      expectedRows: (tenant: Tenant, { range }: ReportScope) => estimates.rows(tenant, range),

      /** About how many source rows the responses to a survey on a campaign are. */
      expectedResponses: (
        tenant: Tenant,
        pairing: { readonly campaignKey: CampaignKey; readonly notificationKey: NotificationKey },
        { range }: ReportScope,
      ) => estimates.responses(tenant, pairing, range),

      /** Prepares this transaction for counting source rows. */
      raiseWorkMem: estimates.raiseWorkMem,

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

      /** Responses to a survey on a campaign. */
      surveyResponses: answers.responses,

      /** How often each question of a survey was answered by each value. */
      answers: answers.answers,

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
      AnswerReader.layer,
    ]),
  );
}
