/** The experiment of a campaign, as the platform API shows it (contract U6). */
import { Schema, Struct } from "effect";
import { Campaign } from "../campaigns/Campaign.ts";
import {
  nullableId,
  nullableInstant,
  nullableInteger,
  shownId,
  shownInteger,
  shownText,
} from "../wire/ShownFields.ts";
import { flag, optionalOrNull } from "../wire/Text.ts";

const nullableNumber = (description: string, example: number) =>
  Schema.NullOr(Schema.Finite).annotate({ description, examples: [example] });

const interval = (description: string, example: readonly [number, number]) =>
  Schema.NullOr(Schema.Tuple([Schema.Finite, Schema.Finite])).annotate({ description, examples: [example] });

const notificationId = (description: string) =>
  nullableId(description, "01980a6c-3e77-7a18-b2c4-91d5e6f70a11");

/** A variant of a notification of the campaign. */
export const ExperimentWinner = Schema.Struct({
  notification_id: shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
  key: shownText("Key of its variant, or `control`.", "question"),
}).annotate({ identifier: "ExperimentWinner" });
export type ExperimentWinner = typeof ExperimentWinner.Type;

/** People of an experiment who get the same. */
export const ExperimentArm = Schema.Struct({
  notification_id: notificationId("Id of the notification; null for `holdout` and `all`."),
  key: shownText(
    "`holdout` for people who get nothing; else the key of a variant, or `control`; `all` where no " +
      "notification has variants.",
    "question",
  ),
  enrolled: shownInteger("People, and devices without a person, that are enrolled in the arm.", 4812),
  delivered: shownInteger("Messages that were delivered to them while the experiment ran.", 4790),
  converted: nullableInteger("How many of them reached the goal in time; null without a goal.", 391),
  rate: nullableNumber("`converted` per 100 enrolled, to two decimals; null where nobody is enrolled.", 8.13),
  interval: interval(
    "The 95 % Clopper–Pearson interval of the rate, per 100, to four decimals.",
    [7.3703, 8.9349],
  ),
}).annotate({ identifier: "ExperimentArm" });
export type ExperimentArm = typeof ExperimentArm.Type;

/** An arm at the end of a day. */
export const ExperimentDay = Schema.Struct({
  date: Schema.String.annotate({
    description: "The day, in the campaign's time zone.",
    examples: ["2026-11-21"],
  }),
  ...Struct.omit(ExperimentArm.fields, ["delivered"]),
  enrolled: shownInteger("People, and devices without a person, that were enrolled by its end.", 4812),
  converted: nullableInteger("How many of them had reached the goal by its end; null without a goal.", 391),
}).annotate({ identifier: "ExperimentDay" });
export type ExperimentDay = typeof ExperimentDay.Type;

/** The difference between two arms. */
export const ExperimentComparison = Schema.Struct({
  notification_id: notificationId("Id of the notification; null for `all` against `holdout`."),
  key: shownText("A variant, or `all` for everyone who got messages.", "question"),
  against: shownText("`control` of the same notification, or `holdout`.", "control"),
  difference: nullableNumber(
    "Rate of `key` less that of `against`, in percentage points, to two decimals; null where one of them " +
      "has nobody.",
    1.42,
  ),
  interval: interval(
    "The interval that has the true difference at every reading in at least 95 % of experiments, to four " +
      "decimals; null while the rates have no variance.",
    [0.2143, 2.6257],
  ),
  p_value: nullableNumber("Sequential p-value: it is valid however often it is read.", 0.0173),
  fisher_p_value: nullableNumber(
    "P-value of Fisher's exact test, for one reading that was planned before; null above a million units.",
    0.0081,
  ),
  significant: flag("Whether `p_value` is below 0.05.", true),
}).annotate({ identifier: "ExperimentComparison" });
export type ExperimentComparison = typeof ExperimentComparison.Type;

/** The experiment of a campaign: its holdout, and the variants of its notifications. */
export const ShownExperiment = Schema.Struct({
  goal: Campaign.fields.goal,
  status: Schema.Literals(["none", "running", "stopped"]).annotate({
    description: "`none` for a campaign without a holdout and without variants.",
    examples: ["running"],
  }),
  started_at: nullableInstant("When the first was enrolled; null before.", "2026-11-21T09:31:00+00:00"),
  stopped_at: nullableInstant("When it was stopped; null before.", "2026-11-28T16:02:11+00:00"),
  winner: Schema.NullOr(ExperimentWinner).annotate({
    description: "The variant that everybody gets since the stop; null for `control`, and before the stop.",
    examples: [null],
  }),
  arms: Schema.Array(ExperimentArm).annotate({
    description:
      "`holdout`, if there is one, then the variants of each notification and its `control`, in the order " +
      "of the notifications and variants.",
  }),
  comparisons: Schema.Array(ExperimentComparison).annotate({
    description: "Each variant against its `control`, then `all` against `holdout`.",
  }),
  sample_ratio: Schema.NullOr(
    Schema.Struct({
      p_value: nullableNumber(
        "How likely such a split of people is by chance (chi-squared); null before anybody is enrolled.",
        0.48,
      ),
      ok: flag("False below 0.001: then something is wrong, and the figures mislead.", true),
    }),
  ).annotate({ description: "Whether people are split by the weights; null without an experiment." }),
}).annotate({ identifier: "Experiment" });
export type ShownExperiment = typeof ShownExperiment.Type;

/** The body of a stop. */
export const ExperimentStop = Schema.Struct({
  winner: Schema.NullOr(
    Schema.Struct({
      notification_id: Schema.String.annotate({
        description: "Id of the notification.",
        format: "uuid",
        examples: ["01980a6c-3e77-7a18-b2c4-91d5e6f70a11"],
      }),
      key: Schema.String.annotate({
        description: "Key of its variant, or `control`.",
        examples: ["question"],
      }),
    }),
  ).annotate({
    description:
      "The variant that everybody gets from now on; null for `control`. It must be sent. Other " +
      "notifications go on with their `control`.",
  }),
  keep_holdout: optionalOrNull(
    flag("Whether those who are held out go on getting nothing; false if left out.", true),
  ),
}).annotate({ identifier: "ExperimentStop" });
export type ExperimentStop = typeof ExperimentStop.Type;
