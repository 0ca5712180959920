import { Context, Effect, Layer } from "effect";
import type { Period } from "../../SourceRowsSql.ts";
import { countRollupRows } from "../RollupMetrics.ts";
import { noMonth } from "../RollupKeys.ts";
import { InteractionWriter } from "../InteractionWriter.ts";
import type { PendingTenant } from "../RollupTypes.ts";
import { InteractionRebuildSql } from "./InteractionRebuildSql.ts";

/** Rebuilds rollups of interactions and answers: the database counts them by day. */
export class InteractionRebuild extends Context.Service<InteractionRebuild>()(
  "waypost/reports/rollups/rebuild/InteractionRebuild",
  {
    make: Effect.gen(function* () {
      const repository = yield* InteractionRebuildSql;
      const writer = yield* InteractionWriter;

      return {
        /** Rolls up the interactions and answers of a period. Months have no rows during a rebuild. */
        add: Effect.fnUntraced(function* (tenant: PendingTenant, period: Period) {
          const calendar = { timezone: tenant.timezone, monthsBefore: noMonth };
          const counted = yield* repository.interactions(tenant, period);
          yield* writer.addInteractions(tenant, calendar, counted);
          const answers = yield* repository.answers(tenant, period);
          yield* writer.addAnswers(tenant, calendar, answers);
          yield* countRollupRows(
            "interactions",
            "source",
            counted.reduce((sum, { clicked, opened, responses }) => sum + opened + clicked + responses, 0),
          );
          yield* countRollupRows(
            "answers",
            "source",
            answers.reduce(
              (sum, { counts }) => Object.values(counts).reduce((all, count) => all + count, sum),
              0,
            ),
          );
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(InteractionRebuild, InteractionRebuild.make).pipe(
    Layer.provide([InteractionRebuildSql.layer, InteractionWriter.layer]),
  );
}
