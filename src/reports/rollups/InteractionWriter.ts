import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { answerAdditions, interactionAdditions, summedCounts } from "./InteractionAdditions.ts";
import { InteractionRowsSql } from "./InteractionRowsSql.ts";
import type { AnswerAddition, AnswerDelta, InteractionDelta } from "./InteractionTypes.ts";
import type { RollupSpan } from "./RollupKeys.ts";
import { RollupSizes } from "./RollupSizes.ts";
import type { Calendar, RollupState } from "./RollupTypes.ts";

/** Rows of answers in one statement: each can have thousands of values. */
const maxAnswerRows = 200;

/** Adds to the rollups of interactions and answers, in batches. */
export class InteractionWriter extends Context.Service<InteractionWriter>()(
  "waypost/reports/rollups/InteractionWriter",
  {
    make: Effect.gen(function* () {
      const rows = yield* InteractionRowsSql;

      const inBatches = Effect.fnUntraced(function* <Addition>(
        additions: ReadonlyArray<Addition>,
        add: (batch: ReadonlyArray<Addition>) => Effect.Effect<unknown>,
        maxRows = Infinity,
      ) {
        const size = Math.min((yield* RollupSizes).rows, maxRows);
        const yieldIfLong = timeSlices();
        for (let start = 0; start < additions.length; start += size) {
          yield* add(additions.slice(start, start + size));
          yield* yieldIfLong;
        }
      });
      const addInteractions = (
        tenant: TenantKey,
        calendar: Calendar,
        deltas: ReadonlyArray<InteractionDelta>,
      ) => inBatches(interactionAdditions(calendar, deltas), (batch) => rows.addInteractions(tenant, batch));
      const addAnswers = (
        tenant: TenantKey,
        calendar: Calendar,
        deltas: ReadonlyArray<AnswerDelta>,
        isNew: (span: RollupSpan) => boolean = () => false,
      ) =>
        inBatches(
          answerAdditions(calendar, deltas),
          Effect.fnUntraced(function* (batch: ReadonlyArray<AnswerAddition>) {
            const stored = batch.every(isNew) ? [] : yield* rows.answers(tenant, batch);
            const existing = new Map(stored.map(({ counts, ord }) => [ord, counts]));
            const merged = batch.map((addition, index) => {
              const counts = existing.get(index + 1);
              return counts === undefined
                ? addition
                : { ...addition, counts: summedCounts([counts, addition.counts]) };
            });
            yield* rows.replaceAnswers(tenant, merged);
          }),
          maxAnswerRows,
        );

      return {
        /** Adds interactions and responses of deltas, or of source rows, to their days and months. */
        addInteractions,

        /**
         * Adds answers of deltas, or of source rows, to their days and months. Rows that `isNew` selects must
         * not exist; nothing is read for a batch of them.
         */
        addAnswers,

        /** Rolls up pending deltas; gives how many of each kind. */
        addPending: Effect.fnUntraced(function* (tenant: TenantKey, state: RollupState) {
          const { interactions: limit } = yield* RollupSizes;
          const interactions = yield* rows.takeInteractions(tenant, limit);
          yield* addInteractions(tenant, state, interactions);
          const answers = yield* rows.takeAnswers(tenant, limit);
          yield* addAnswers(tenant, state, answers);
          return { interactions: interactions.length, answers: answers.length };
        }),

        /** Rolls up a month from its days. */
        addMonth: Effect.fnUntraced(function* (tenant: TenantKey, month: string) {
          yield* rows.addMonthOfInteractions(tenant, month);
          for (const survey of yield* rows.surveysOfMonth(tenant, month)) {
            const days = yield* rows.answersOfMonth(tenant, month, survey);
            const byQuestion = Map.groupBy(
              days,
              ({ campaignKey, questionId }) => `${campaignKey},${questionId}`,
            );
            const months = [...byQuestion.values()].flatMap((group) =>
              group.slice(0, 1).map((day) => ({
                ...day,
                span: "month" as const,
                startsOn: month,
                counts: summedCounts(group.map(({ counts }) => counts)),
              })),
            );
            yield* inBatches(months, (batch) => rows.replaceAnswers(tenant, batch), maxAnswerRows);
            yield* Effect.yieldNow;
          }
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(InteractionWriter, InteractionWriter.make).pipe(
    Layer.provide(InteractionRowsSql.layer),
  );
}
