import { Context, Effect, Layer } from "effect";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { StartedSend } from "../sends/Send.ts";
import { unitKeyOf, unitOf } from "./Arm.ts";
import type { SendArms } from "./ArmsSql.ts";
import { type Arm, armOf, armRuleOf } from "./Experiment.ts";
import { type ExperimentKey, ExperimentsSql } from "./ExperimentsSql.ts";

/** A message of a campaign that has an experiment, for a device whose row is locked. */
export interface ExperimentSubject extends ExperimentKey {
  readonly notificationId: string;
  readonly deviceId: string;
  readonly deviceKey: DeviceKey;
  readonly userId: string | null;
  readonly userKey: number | null;
}

/** The arm of the unit of a message. */
export interface UnitArm extends Arm {
  /** The key of the unit in `enrolment`. */
  readonly unitKey: number;
}

/** Assigns arms under the locks of campaigns, which hold until the transaction ends (contract U3, U7). */
export class Experiments extends Context.Service<
  Experiments,
  {
    /** The arms of messages, in their order; null once it has left its campaign. Reads nothing for none. */
    readonly arms: (
      subjects: ReadonlyArray<ExperimentSubject>,
    ) => Effect.Effect<ReadonlyArray<UnitArm | null>>;
    /** The arms of sends with an experiment. Reads nothing for none. */
    readonly ofSends: (sends: ReadonlyArray<StartedSend>) => Effect.Effect<ReadonlyArray<SendArms>>;
  }
>()("waypost/sending/Experiments") {
  static readonly layer = Layer.effect(
    Experiments,
    Effect.map(ExperimentsSql, (repository) =>
      Experiments.of({
        arms: Effect.fnUntraced(function* (subjects) {
          if (subjects.length === 0) return [];
          const experiments = new Map(
            (yield* repository.lock(subjects)).map(({ experiment }) => [experiment.campaignKey, experiment]),
          );
          // A younger snapshot than that of the lock.
          const splits = new Map(
            (yield* repository.splits(subjects)).map((row) => [row.ord - 1, row.variants]),
          );
          return subjects.map((subject, index): UnitArm | null => {
            const { campaignKey, deviceId, deviceKey, notificationId, userId, userKey } = subject;
            const experiment = experiments.get(campaignKey);
            const split = splits.get(index);
            if (experiment === undefined || split === undefined) return null;
            const arm = armOf(experiment, notificationId, split, unitOf(deviceId, userId));
            return { ...arm, unitKey: unitKeyOf(deviceKey, userKey) };
          });
        }),

        ofSends: Effect.fnUntraced(function* (sends) {
          if (sends.length === 0) return [];
          const found = yield* repository.ofSends(sends);
          return found.flatMap(({ experiment, notificationId, variants, ...send }) =>
            experiment === null ? [] : [{ ...send, ...armRuleOf(experiment, notificationId, variants) }],
          );
        }),
      }),
    ),
  ).pipe(Layer.provide(ExperimentsSql.layer));
}
