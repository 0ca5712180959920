import { Console, Effect } from "effect";
import type {
  Experiment,
  ExperimentArm,
  ExperimentDay,
  ExperimentComparison,
} from "../../client/WaypostClient.ts";
import { visibleValue } from "../../wire/VisibleText.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { optionalFlag, switchFlag } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { inProduction } from "../Resource.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { figures } from "../terminal/ItemFields.ts";
import { fittedTable, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import { campaigns, goalText } from "./CampaignResource.ts";

const between = (interval: ReadonlyArray<number> | null, unit: string): string =>
  interval === null ? "-" : `${interval.join(" to ")}${unit}`;

const ratioText = ({ sample_ratio: ratio }: Experiment): string =>
  ratio === null || ratio.ok
    ? "as they should be"
    : "NOT by their weights: something is wrong, and these figures mislead";

const winnerText = ({ stopped_at, winner }: Experiment): string =>
  stopped_at === null ? "-" : winner === null ? "control" : `${winner.key} of ${winner.notification_id}`;

const comparisonText = ({
  against,
  difference,
  interval,
  p_value,
  significant,
  ...one
}: ExperimentComparison) => {
  const name = `${one.key} against ${against}`;
  if (difference === null) return `${name}: nothing to compare yet.`;
  const sign = difference > 0 ? "+" : "";
  const verdict = significant ? "decided" : "not decided yet";
  const sure = interval === null ? "" : `, between ${between(interval, " points")}`;
  return `${name}: ${sign}${difference} points${sure}; ${verdict} (p ${p_value?.toPrecision(2) ?? "-"}).`;
};

/** The figures of an arm, now or at the end of a day. */
const ratesOf = (arm: Pick<ExperimentArm, "converted" | "interval" | "rate">) =>
  [
    ...figures(arm, "converted"),
    ["rate", arm.rate === null ? "-" : `${arm.rate} %`],
    ["95 % interval", between(arm.interval, " %")],
  ] as const;

const printExperiment = Effect.fnUntraced(function* (experiment: Experiment) {
  if ((yield* Json) || experiment.status === "none")
    return yield* printOne(experiment, () => "The campaign has neither a holdout nor variants.");
  const shown = visibleValue(experiment);
  const head = details([
    ["status", shown.status],
    ["goal", goalText(shown)],
    ["started", formatInstant(shown.started_at)],
    ["stopped", formatInstant(shown.stopped_at)],
    ["winner", winnerText(shown)],
    ["people per arm", ratioText(shown)],
  ]);
  const arms = yield* fittedTable(shown.arms, (arm) => [
    "notification_id",
    ["arm", arm.key],
    ...figures(arm, "enrolled", "delivered"),
    ...ratesOf(arm),
  ]);
  yield* Console.log([head, arms, shown.comparisons.map(comparisonText).join("\n")].join("\n\n"));
});

const printDays = Effect.fnUntraced(function* (days: ReadonlyArray<ExperimentDay>) {
  const shown = yield* fittedTable(visibleValue(days), (arm) => [
    ["day", arm.date],
    "notification_id",
    ["arm", arm.key],
    ...figures(arm, "enrolled"),
    ...ratesOf(arm),
  ]);
  yield* printOne(days, () => (days.length === 0 ? "Nobody is enrolled yet." : shown));
});

/** The winner by its key, and by its notification where several have such a variant. */
const winnerOf = Effect.fnUntraced(function* ({ arms }: Experiment, key: string, named: string | undefined) {
  const found = arms.flatMap(({ key: armKey, notification_id: id }) =>
    id !== null && armKey === key && (named === undefined || named === id) ? [id] : [],
  );
  const [notification_id] = found;
  if (notification_id === undefined) return yield* refused(`The experiment has no variant "${key}".`);
  if (found.length > 1)
    return yield* badUsage(`Several notifications have a variant "${key}": give --notification.`);
  return { notification_id, key };
});

/** `waypost campaign experiment` */
export const showExperiment = campaigns.command("experiment", {
  description: "Show what the experiment of a campaign has found, or stop it",
  examples: [
    `waypost campaign experiment "Opening week" ${inProduction}`,
    `waypost campaign experiment "Opening week" ${inProduction} --stop --winner b`,
  ],
  flags: {
    days: switchFlag("days", "Show the arms at the end of each day instead"),
    stop: switchFlag("stop", "Stop it: from now on everybody gets the winner"),
    winner: optionalFlag("winner", "Key of the variant that everybody gets; control if left out"),
    notification: optionalFlag("notification", "Id of the winner's notification, if several have such a key"),
    keepHoldout: switchFlag("keep-holdout", "Those who are held out go on getting nothing"),
  },
  *run(ask, { days, keepHoldout, notification, stop, winner: key }) {
    const isStop = key !== undefined || notification !== undefined || keepHoldout;
    if (days && (isStop || stop)) return yield* badUsage("--days shows, --stop changes: give one.");
    if (isStop && !stop)
      return yield* badUsage("--winner, --notification and --keep-holdout are for --stop.");
    if (days) return yield* printDays(yield* ask((client, id) => client.experiments.days(id)));
    const experiment = yield* ask((client, id) => client.experiments.get(id));
    if (!stop) return yield* printExperiment(experiment);
    const winner = key === undefined ? null : yield* winnerOf(experiment, key, notification);
    return yield* printExperiment(
      yield* ask((client, id) => client.experiments.stop(id, { winner, keep_holdout: keepHoldout })),
    );
  },
});
