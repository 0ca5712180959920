/** What deltas of interactions and answers add to the rows of rollups, as pure functions. */
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type {
  AnswerAddition,
  AnswerDelta,
  InteractionAddition,
  InteractionDelta,
} from "./InteractionTypes.ts";
import { datesIn, type RollupSpan, spansOf } from "./RollupKeys.ts";
import type { RollupState } from "./RollupTypes.ts";

/** The zone that days are local in, and before which day months begin that have rows. */
type Calendar = Pick<RollupState, "timezone" | "monthsBefore">;

/** The sums of additions that have the same key. Those that add nothing are left out. */
const summed = <Addition extends object>(
  additions: ReadonlyArray<Addition>,
  keyOf: (addition: Addition) => string,
  sum: (one: Addition, other: Addition) => Addition,
  isNothing: (addition: Addition) => boolean,
): ReadonlyArray<Addition> => {
  const sums = new Map<string, Addition>();
  for (const addition of additions) {
    const key = keyOf(addition);
    const before = sums.get(key);
    sums.set(key, before === undefined ? addition : sum(before, addition));
  }
  return [...sums.values()].filter((addition) => !isNothing(addition));
};

/** Each delta with its day, and with its month where that has rows. */
const withSpans = <Delta extends { readonly quarter: number }>(
  { monthsBefore, timezone }: Calendar,
  deltas: ReadonlyArray<Delta>,
): ReadonlyArray<readonly [RollupSpan, Delta]> => {
  const dateOf = datesIn(timezone as TimeZoneName);
  return deltas.flatMap((delta) =>
    spansOf(dateOf(delta.quarter), monthsBefore).map((span) => [span, delta] as const),
  );
};

/** What deltas of interactions add to the rows of their days, and of their months where those have rows. */
export const interactionAdditions = (
  calendar: Calendar,
  deltas: ReadonlyArray<InteractionDelta>,
): ReadonlyArray<InteractionAddition> =>
  summed(
    withSpans(calendar, deltas).map(([span, delta]): InteractionAddition => {
      const { campaign_key, clicked, content_type, notification_key, opened, responses, trigger_type } =
        delta;
      return {
        ...span,
        campaignKey: campaign_key,
        notificationKey: notification_key,
        contentType: content_type,
        triggerType: trigger_type,
        opened,
        clicked,
        responses,
      };
    }),
    ({ campaignKey, contentType, notificationKey, span, startsOn, triggerType }) =>
      [span, startsOn, campaignKey, notificationKey, contentType, triggerType].join(),
    (one, other) => ({
      ...one,
      opened: one.opened + other.opened,
      clicked: one.clicked + other.clicked,
      responses: one.responses + other.responses,
    }),
    ({ clicked, opened, responses }) => opened === 0 && clicked === 0 && responses === 0,
  );

/** What deltas of answers add to the rows of their days, and of their months where those have rows. */
export const answerAdditions = (
  calendar: Calendar,
  deltas: ReadonlyArray<AnswerDelta>,
): ReadonlyArray<AnswerAddition> =>
  summed(
    withSpans(calendar, deltas).map(([span, delta]): AnswerAddition => {
      const { campaign_key, change, notification_key, question_id, value } = delta;
      return {
        ...span,
        campaignKey: campaign_key,
        notificationKey: notification_key,
        questionId: question_id,
        value,
        count: change,
      };
    }),
    ({ campaignKey, notificationKey, questionId, span, startsOn, value }) =>
      [span, startsOn, campaignKey, notificationKey, questionId, value].join(),
    (one, other) => ({ ...one, count: one.count + other.count }),
    ({ count }) => count === 0,
  );
