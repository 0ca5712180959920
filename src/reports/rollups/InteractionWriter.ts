import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { TenantKey } from "../TenantKeySql.ts";
import { answerAdditions, interactionAdditions } from "./InteractionAdditions.ts";
import { InteractionRowsSql } from "./InteractionRowsSql.ts";
import type { AnswerDelta, InteractionDelta } from "./InteractionTypes.ts";
import { RollupSizes } from "./RollupSizes.ts";
import type { RollupState } from "./RollupTypes.ts";

/** The zone that days are local in, and before which day months begin that have rows. */
type Calendar = Pick<RollupState, "timezone" | "monthsBefore">;

/** Adds to the rollups of interactions and answers, in batches. */
export class InteractionWriter extends Context.Service<InteractionWriter>()(
  "waypost/reports/rollups/InteractionWriter",
  {
    make: Effect.gen(function* () {
      const rows = yield* InteractionRowsSql;

      const inBatches = Effect.fnUntraced(function* <Addition>(
        additions: ReadonlyArray<Addition>,
        add: (batch: ReadonlyArray<Addition>) => Effect.Effect<unknown>,
      ) {
        const { rows: size } = yield* RollupSizes;
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
      const addAnswers = (tenant: TenantKey, calendar: Calendar, deltas: ReadonlyArray<AnswerDelta>) =>
        inBatches(answerAdditions(calendar, deltas), (batch) => rows.addAnswers(tenant, batch));

      return {
        /** Adds interactions and responses of deltas, or of source rows, to their days and months. */
        addInteractions,

        /** Adds answers of deltas, or of source rows, to their days and months. */
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
        addMonth: rows.addMonth,
      };
    }),
  },
) {
  static readonly layer = Layer.effect(InteractionWriter, InteractionWriter.make).pipe(
    Layer.provide(InteractionRowsSql.layer),
  );
}
