/** The experiment of a campaign, and what it makes of a message (contract U2–U4, U7). */
import { control } from "../../notifications/variants/Variant.ts";
import type { CampaignKey } from "../../wire/Ids.ts";
import type { Problems } from "../../wire/Problems.ts";
import {
  holdoutText,
  holdoutThreshold,
  isHeldOut,
  type Split,
  variantOf,
  variantText,
  variantThresholds,
} from "./Arm.ts";

/** The experiment of a campaign that has a holdout or variants, as `experimentSql` reads it. */
export interface Experiment {
  readonly campaignKey: CampaignKey;
  readonly campaignId: string;
  readonly holdoutPercent: number;
  readonly isStopped: boolean;
  /** After a stop: whether the held out still get nothing. */
  readonly keepHoldout: boolean;
  /** After a stop: the notification that has a winner, and its variant; null for control. */
  readonly winnerNotificationId: string | null;
  readonly winnerKey: string | null;
  /** The goal as `enrolment` has it: its type, or `event:` and the name of the event; null for none. */
  readonly goal: string | null;
  readonly goalHours: number | null;
}

/** The part of an experiment that a unit gets of a notification. */
export interface Arm {
  readonly isHeldOut: boolean;
  /** The variant it is made for, `control` included; null without variants and after a stop. */
  readonly variant: string | null;
  /** After a stop: the variant whose words it has; null for those of control. */
  readonly winner: string | null;
  /** Whether the unit is enrolled by it. */
  readonly enrols: boolean;
  /** The goal of the campaign, with the hours in which the unit can reach it. */
  readonly goal: string | null;
  readonly goalHours: number | null;
}

/** The holdout that holds now, in percent. */
const holdoutNow = ({ holdoutPercent, isStopped, keepHoldout }: Experiment): number =>
  isStopped && !keepHoldout ? 0 : holdoutPercent;

const winnerOf = ({ winnerKey, winnerNotificationId }: Experiment, notificationId: string): string | null =>
  winnerNotificationId === notificationId && winnerKey !== control ? winnerKey : null;

/** The arm of a unit. */
export const armOf = (experiment: Experiment, notificationId: string, split: Split, unit: string): Arm => ({
  isHeldOut: holdsOut(experiment, unit),
  variant: experiment.isStopped ? null : variantOf(notificationId, split, unit),
  winner: winnerOf(experiment, notificationId),
  enrols: !experiment.isStopped,
  goal: experiment.goal,
  goalHours: experiment.goalHours,
});

/** The same for a statement that computes the arms of many units (`ArmsSql.ts`). */
export const armRuleOf = (experiment: Experiment, notificationId: string, split: Split) => {
  const { isStopped } = experiment;
  const hasArms = !isStopped && split.length > 0;
  return {
    holdoutText: holdoutText(experiment.campaignId),
    holdoutBelow: holdoutThreshold(holdoutNow(experiment)),
    variantText: variantText(notificationId),
    below: hasArms ? variantThresholds(split) : [],
    keys: hasArms ? [...split.map(({ key }) => key), control] : [],
    winner: winnerOf(experiment, notificationId),
    enrols: !isStopped,
    goal: experiment.goal,
    goalHours: experiment.goalHours,
  };
};

/** The variant whose words come before those of the notification; null for none. */
export const wordsOf = <Variant extends { readonly key: string }>(
  variants: ReadonlyArray<Variant>,
  arm: Pick<Arm, "variant" | "winner"> | null,
): Variant | null => variants.find(({ key }) => key === (arm?.variant ?? arm?.winner)) ?? null;

/** Whether an experiment holds a unit out now. */
export const holdsOut = (experiment: Experiment, unit: string): boolean =>
  isHeldOut(experiment.campaignId, holdoutNow(experiment), unit);

/** Checks the variant that a preview or a test chooses; null for none (contract U4). */
export const checkVariant = (
  chosen: string | null,
  variants: ReadonlyArray<{ readonly key: string }>,
  problems: Problems,
): void => {
  const keys = [...variants.map(({ key }) => key), control];
  if (chosen === null) return;
  if (variants.length === 0)
    problems.add("variant", "The notification has no variants: leave the variant out.");
  else if (!keys.includes(chosen)) problems.add("variant", `The variant must be one of ${keys.join(", ")}.`);
};
