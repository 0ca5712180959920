/** Rows of interactions, responses and answers: their rollups are numbers without sets of devices. */
import type { DeliveryKey } from "./RollupTypes.ts";
import type { RollupSpan } from "./RollupKeys.ts";

/** Deliveries that were opened and clicked, and devices that answered a survey of a campaign. */
export interface InteractionCounts {
  readonly opened: number;
  readonly clicked: number;
  readonly responses: number;
}

/** A row of `interaction_delta`, or of source rows of a day: changes in a quarter of an hour (epoch ms). */
export interface InteractionDelta extends InteractionCounts {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly content_type: string;
  readonly trigger_type: string;
}

/** An addition to a row of `interaction_rollup`. */
export interface InteractionAddition extends DeliveryKey, InteractionCounts {}

/** How often each value was given. The values are those of the SQL function `answer_value`. */
export type ValueCounts = Readonly<Record<string, number>>;

/** A row of `answer_delta`, or of source rows of a day: a change of how often values were given. */
export interface AnswerDelta {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly question_id: string;
  readonly counts: ValueCounts;
}

/** The key of a row of `answer_rollup` within an environment. */
export interface AnswerKey extends RollupSpan {
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly questionId: string;
}

/** An addition to a row of `answer_rollup`. */
export interface AnswerAddition extends AnswerKey {
  readonly counts: ValueCounts;
}
