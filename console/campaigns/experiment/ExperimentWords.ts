/** The findings of an experiment, in sentences. */
import type {
  Experiment,
  ExperimentArm,
  ExperimentComparison,
  Goal,
  Notification,
} from "../../data/Resources.ts";
import { formatNumber, formatPercent } from "../../parts/DisplayFormats.ts";

/** The goals with their names, and with what people did. */
export const goals: Readonly<Record<Goal["type"], readonly [name: string, did: string]>> = {
  opened: ["They open the message", "opened the message"],
  clicked: ["They press a button of the message", "pressed a button"],
  answered: ["They answer the survey", "answered"],
  visit: ["They visit a location", "visited a location"],
  event: ["Something of your app happens", "did it in the app"],
};

const signed = new Intl.NumberFormat("en", { signDisplay: "exceptZero", maximumSignificantDigits: 2 });
const formatPoints = (points: number): string => signed.format(points).replace("-", "−");

/** The rate of an arm with its range. */
export const rateText = ({ interval, rate }: Pick<ExperimentArm, "interval" | "rate">): string => {
  if (rate === null) return "–";
  if (interval === null) return formatPercent(rate);
  const [low, high] = interval.map((end) => formatNumber(Math.round(end * 10) / 10));
  return `${formatPercent(rate)} (${low} to ${high})`;
};

type ArmName = Pick<ExperimentArm, "key" | "notification_id">;

/** Names of arms, which name the notification where several have variants. */
export const namesOf = (experiment: Experiment, messages: ReadonlyArray<Notification> | undefined) => {
  const tested = new Set(experiment.arms.flatMap(({ notification_id: id }) => id ?? []));
  return ({ key, notification_id: id }: ArmName): string => {
    if (key === "holdout") return "no message";
    if (key === "all") return "the message";
    const name = key === "control" ? "the original" : key.charAt(0).toUpperCase() + key.slice(1);
    const message = tested.size > 1 ? messages?.find((each) => each.id === id)?.name : undefined;
    return message === undefined ? name : `${name} of “${message}”`;
  };
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const outcomeOf = ({ difference, significant }: ExperimentComparison, arm: string, other: string): string => {
  if (!significant) return `${capital(arm)} and ${other} may be equal`;
  const isMore = (difference ?? 0) > 0;
  if (other === "no message") return isMore ? "The message works" : "The message does harm";
  return `${capital(arm)} does ${isMore ? "better" : "worse"} than ${other}`;
};

/** The event in one sentence, and how sure it is. */
export const findingOf = (
  { arms, goal }: Experiment,
  comparison: ExperimentComparison,
  nameOf: (arm: ArmName) => string,
): readonly [happened: string, sure: string] => {
  const { against, difference, interval, notification_id: id, significant } = comparison;
  const [arm, other] = [nameOf(comparison), nameOf({ key: against, notification_id: id })];
  const base = arms.find((each) => each.key === against && each.notification_id === id)?.rate;
  if (goal === null || difference === null || typeof base !== "number")
    return [`There is nothing to compare ${arm} with ${other} yet.`, ""];
  const [, did] = goals[goal.type];
  // `all` is no arm of its own where notifications have variants.
  const rates = [formatPercent(base + difference), formatPercent(base)] as const;
  const shares = `with ${arm} ${rates[0]} ${did}, with ${other} ${rates[1]}`;
  const happened = `${outcomeOf(comparison, arm, other)}: ${shares}.`;
  const range =
    interval === null
      ? "too little has happened"
      : `between ${formatPoints(interval[0])} and ${formatPoints(interval[1])} points`;
  return [happened, significant ? `Decided: ${range}.` : `Not decided yet: ${range}.`];
};

/** Comparisons, those that are decided first. */
export const inOrder = ({ comparisons }: Experiment): ReadonlyArray<ExperimentComparison> =>
  comparisons.toSorted((one, other) => (one.p_value ?? 2) - (other.p_value ?? 2));

/** The figures for those who ask for them. */
export const figuresOf = (comparison: ExperimentComparison, nameOf: (arm: ArmName) => string): string => {
  const { fisher_p_value: fisher, notification_id: id, p_value: p } = comparison;
  const shown = (value: number | null) => (value === null ? "unknown" : value.toPrecision(2));
  const other = nameOf({ key: comparison.against, notification_id: id });
  return (
    `${capital(nameOf(comparison))} against ${other}: p = ${shown(p)} at any reading, ` +
    `Fisher's p = ${shown(fisher)} at a single one.`
  );
};
