import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../../workers/TimeSlices.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import type { AnswerCounts, SurveyKey } from "../../ReportCounts.ts";
import { addCounts } from "../InteractionAdditions.ts";
import { AnswerReaderSql } from "./AnswerReaderSql.ts";
import type { ScopeSplit } from "./ScopeSplit.ts";

/** Counts the answers to a survey on a campaign, in one transaction and snapshot. */
export class AnswerReader extends Context.Service<AnswerReader>()(
  "waypost/reports/rollups/reading/AnswerReader",
  {
    make: Effect.gen(function* () {
      const repository = yield* AnswerReaderSql;

      return {
        /** Responses in the range, dated by the first answer. */
        responses: repository.responseCount,

        /** How often each of these questions was answered by each value in the range. */
        answers: Effect.fnUntraced(function* (
          tenant: Tenant,
          survey: SurveyKey,
          split: ScopeSplit,
          questionIds: ReadonlyArray<string>,
        ) {
          const sums = new Map<string, Map<string, number>>();
          const yieldIfLong = timeSlices();
          for (const { counts, question_id } of yield* repository.values(
            tenant,
            survey,
            split,
            questionIds,
          )) {
            const sum = sums.get(question_id) ?? new Map<string, number>();
            addCounts(sum, counts);
            sums.set(question_id, sum);
            yield* yieldIfLong;
          }
          const answers: AnswerCounts = sums;
          return answers;
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(AnswerReader, AnswerReader.make).pipe(
    Layer.provide(AnswerReaderSql.layer),
  );
}
