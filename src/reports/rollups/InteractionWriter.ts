import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { answerAdditions, interactionAdditions, summedCounts } from "./InteractionAdditions.ts";
import { InteractionRowsSql } from "./InteractionRowsSql.ts";
import { RollupSizes } from "./RollupSizes.ts";
import type { AnswerAddition, Calendar, Deltas } from "./RollupTypes.ts";

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

      return {
        /** Adds interactions, responses and answers to their days and months. */
        add: Effect.fnUntraced(function* (
          tenant: TenantKey,
          calendar: Calendar,
          { answers, interactions }: Pick<Deltas, "answers" | "interactions">,
        ) {
          yield* inBatches(interactionAdditions(calendar, interactions), (batch) =>
            rows.addInteractions(tenant, batch),
          );
          yield* inBatches(
            answerAdditions(calendar, answers),
            Effect.fnUntraced(function* (batch: ReadonlyArray<AnswerAddition>) {
              const stored = yield* rows.answers(tenant, batch);
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
