/** Additions of deltas of interactions and answers to the rows of rollups, as pure functions. */
import { datesIn, type RollupSpan, spansOf } from "./RollupKeys.ts";
import type {
  AnswerAddition,
  AnswerDelta,
  Calendar,
  InteractionAddition,
  InteractionDelta,
  Mutable,
  ValueCounts,
} from "./RollupTypes.ts";

/** Each delta with its day, and with its month where that has rows. */
const withSpans = <Delta extends { readonly quarter: number }>(
  { monthsBefore, timezone }: Calendar,
  deltas: ReadonlyArray<Delta>,
): ReadonlyArray<readonly [RollupSpan, Delta]> => {
  const dateOf = datesIn(timezone);
  return deltas.flatMap((delta) =>
    spansOf(dateOf(delta.quarter), monthsBefore).map((span) => [span, delta] as const),
  );
};

/** Additions of deltas of interactions to the rows of their days, and of existing rows of their months. */
export const interactionAdditions = (
  calendar: Calendar,
  deltas: ReadonlyArray<InteractionDelta>,
): ReadonlyArray<InteractionAddition> => {
  const sums = new Map<string, Mutable<InteractionAddition>>();
  for (const [{ span, startsOn }, delta] of withSpans(calendar, deltas)) {
    const key = {
      span,
      startsOn,
      campaignKey: delta.campaign_key,
      notificationKey: delta.notification_key,
      contentType: delta.content_type,
      triggerType: delta.trigger_type,
    };
    const text = Object.values(key).join();
    let sum = sums.get(text);
    if (sum === undefined) sums.set(text, (sum = { ...key, opened: 0, clicked: 0, responses: 0 }));
    sum.opened += delta.opened;
    sum.clicked += delta.clicked;
    sum.responses += delta.responses;
  }
  // A delta that adds nothing is left out.
  return [...sums.values()].filter(
    ({ clicked, opened, responses }) => opened !== 0 || clicked !== 0 || responses !== 0,
  );
};

/** Adds counts to sums, by value. */
export const addCounts = (sums: Map<string, number>, counts: ValueCounts): void => {
  for (const value of Object.keys(counts)) sums.set(value, (sums.get(value) ?? 0) + (counts[value] ?? 0));
};

/** The sums of counts, by value. Values that are not given any more are left out. */
export const summedCounts = (all: Iterable<ValueCounts>): ValueCounts => {
  const sums = new Map<string, number>();
  for (const counts of all) addCounts(sums, counts);
  return Object.fromEntries([...sums].filter(([, count]) => count !== 0));
};

/** Additions of deltas of answers to the rows of their days, and of existing rows of their months. */
export const answerAdditions = (
  calendar: Calendar,
  deltas: ReadonlyArray<AnswerDelta>,
): ReadonlyArray<AnswerAddition> => {
  const bySpan = Map.groupBy(
    withSpans(calendar, deltas),
    ([{ span, startsOn }, { campaign_key, notification_key, question_id }]) =>
      [span, startsOn, campaign_key, notification_key, question_id].join(),
  );
  return [...bySpan.values()].flatMap((group) =>
    group.slice(0, 1).map(([span, delta]) => ({
      ...span,
      campaignKey: delta.campaign_key,
      notificationKey: delta.notification_key,
      questionId: delta.question_id,
      counts: group.length === 1 ? delta.counts : summedCounts(group.map(([, { counts }]) => counts)),
    })),
  );
};
