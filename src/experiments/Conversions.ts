import { Context, Effect, Layer } from "effect";
import { ConversionsSql } from "./ConversionsSql.ts";
import type { ReachedGoal, UnitEvent } from "./ReachedGoal.ts";

/**
 * Converts the units of experiments (contract U5). Opens, clicks and answers convert in the statements that
 * store them; visits and custom events by this. Call it in the transaction that stores what was done, and
 * before that enrols anybody.
 */
export class Conversions extends Context.Service<
  Conversions,
  {
    /** Converts the units that are enrolled and have not converted, each once. */
    readonly convert: (reached: ReadonlyArray<ReachedGoal>) => Effect.Effect<void>;
    /** Converts the units whose goal is one of these custom events (contract V5). */
    readonly convertByEvents: (events: ReadonlyArray<UnitEvent>) => Effect.Effect<void>;
  }
>()("waypost/experiments/Conversions") {
  static readonly layer = Layer.effect(
    Conversions,
    Effect.map(ConversionsSql, (repository) => {
      const convert = (reached: ReadonlyArray<ReachedGoal>) =>
        reached.length === 0 ? Effect.void : repository.convert(reached);
      return Conversions.of({
        convert,
        convertByEvents: Effect.fnUntraced(function* (events) {
          if (events.length === 0) return;
          const goals = yield* repository.goalsOf(events);
          yield* convert(
            goals.flatMap(({ campaignKey, ord }) =>
              events
                .slice(ord - 1, ord)
                .map((event) => ({ ...event, campaignKey, goal: `event:${event.name}` })),
            ),
          );
        }),
      });
    }),
  ).pipe(Layer.provide(ConversionsSql.layer));
}
