import { Console, Effect, Option } from "effect";
import type {
  Experiment,
  ExperimentArm,
  ExperimentDay,
  ExperimentComparison,
} from "../../client/WaypostClient.ts";
import { counted } from "../../wire/Text.ts";
import { visibleValue } from "../../wire/VisibleText.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { command } from "../DeclaredCommand.ts";
import { optionalFlag, switchFlag } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { campaignFlags, findCampaign, openPlatform } from "../Platform.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { fittedTable, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

const between = (interval: ReadonlyArray<number> | null, unit: string): string =>
  interval === null ? "-" : `${interval.join(" to ")}${unit}`;

/** The goal of a campaign. */
export const goalText = ({ goal }: Pick<Experiment, "goal">): string =>
  goal === null
    ? "none"
    : `${goal.type === "event" ? goal.event : goal.type} within ${counted(goal.within_hours, "hour")}`;

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

const columns = [
  { heading: "NOTIFICATION", kind: "id", cell: (arm: ExperimentArm) => arm.notification_id },
  { heading: "ARM", cell: ({ key }: ExperimentArm) => key },
  { heading: "ENROLLED", kind: "figure", cell: ({ enrolled }: ExperimentArm) => enrolled },
  { heading: "DELIVERED", kind: "figure", cell: ({ delivered }: ExperimentArm) => delivered },
  { heading: "CONVERTED", kind: "figure", cell: ({ converted }: ExperimentArm) => converted },
  { heading: "RATE", cell: ({ rate }: ExperimentArm) => (rate === null ? "-" : `${rate} %`) },
  { heading: "95 % INTERVAL", cell: ({ interval }: ExperimentArm) => between(interval, " %") },
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
  const arms = yield* fittedTable(columns, shown.arms);
  yield* Console.log([head, arms, shown.comparisons.map(comparisonText).join("\n")].join("\n\n"));
});

const printDays = Effect.fnUntraced(function* (days: ReadonlyArray<ExperimentDay>) {
  const rows = visibleValue(days).map((day) => ({ ...day, delivered: 0 }));
  const shown = yield* fittedTable(
    [
      { heading: "DAY", cell: ({ date }: (typeof rows)[number]) => date },
      ...columns.filter(({ heading }) => heading !== "DELIVERED"),
    ],
    rows,
  );
  yield* printOne(days, () => (days.length === 0 ? "Nobody is enrolled yet." : shown));
});

/** The winner by its key, and by its notification where several have such a variant. */
const winnerOf = Effect.fnUntraced(function* (
  { arms }: Experiment,
  key: string,
  notification: Option.Option<string>,
) {
  const named = Option.getOrNull(notification);
  const found = arms.flatMap(({ key: armKey, notification_id: id }) =>
    id !== null && armKey === key && (named === null || named === id) ? [id] : [],
  );
  const [notification_id] = found;
  if (notification_id === undefined) return yield* refused(`The experiment has no variant "${key}".`);
  if (found.length > 1)
    return yield* badUsage(`Several notifications have a variant "${key}": give --notification.`);
  return { notification_id, key };
});

/** `waypost campaign experiment` */
export const showExperiment = command("experiment", {
  description: "Show what the experiment of a campaign has found, or stop it",
  examples: [
    'waypost campaign experiment "Opening week" --workspace Acme --environment production',
    'waypost campaign experiment "Opening week" --workspace Acme --environment production --stop --winner b',
  ],
  flags: {
    ...campaignFlags,
    days: switchFlag("days", "Show the arms at the end of each day instead"),
    stop: switchFlag("stop", "Stop it: from now on everybody gets the winner"),
    winner: optionalFlag("winner", "Key of the variant that everybody gets; control if left out"),
    notification: optionalFlag("notification", "Id of the winner's notification, if several have such a key"),
    keepHoldout: switchFlag("keep-holdout", "Those who are held out go on getting nothing"),
  },
  *run(flags) {
    const isStop = Option.isSome(flags.winner) || Option.isSome(flags.notification) || flags.keepHoldout;
    if (flags.days && (isStop || flags.stop))
      return yield* badUsage("--days shows, --stop changes: give one.");
    if (isStop && !flags.stop)
      return yield* badUsage("--winner, --notification and --keep-holdout are for --stop.");
    const platform = yield* openPlatform(flags);
    const id = yield* findCampaign(platform, flags.campaign);
    if (flags.days) {
      return yield* printDays(yield* platform((client) => client.experiments.days(id)));
    }
    const experiment = yield* platform((client) => client.experiments.get(id));
    if (!flags.stop) return yield* printExperiment(experiment);
    const winner = Option.isNone(flags.winner)
      ? null
      : yield* winnerOf(experiment, flags.winner.value, flags.notification);
    const stopped = yield* platform((client) =>
      client.experiments.stop(id, { winner, keep_holdout: flags.keepHoldout }),
    );
    return yield* printExperiment(stopped);
  },
});
