import { Context, Effect, Layer } from "effect";
import type { CampaignKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { ConversionsSql } from "./ConversionsSql.ts";

/** Something that a unit did, and a campaign whose goal that is. */
export interface ReachedGoal extends TenantKey {
  readonly campaignKey: CampaignKey;
  /** The unit as `enrolment` has it. */
  readonly unitKey: number;
  /** As in `enrolment`: `visit`, or `event:` and its name. */
  readonly goal: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A custom event of a unit. */
export interface UnitEvent extends TenantKey {
  readonly unitKey: number;
  readonly name: string;
  /** When it occurred, in epoch milliseconds. */
  readonly at: number;
}

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
