/** Counts of reports: read by `rollups/RollupReader.ts`, put into rows by the `…ReportSql.ts` files. */
import type { CampaignKey, NotificationKey } from "../wire/Ids.ts";

/** Deliveries of a day or a range, and the distinct devices that they reached. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly reached: number;
}

/** Entries and exits of a day or a range. */
export interface TransitionCounts {
  readonly entries: number;
  readonly exits: number;
}

/** Counts of a range and of each of its days, in order. */
export interface SummaryCounts {
  readonly deliveries: { readonly total: DeliveryCounts; readonly days: ReadonlyArray<DeliveryCounts> };
  readonly transitions: { readonly total: TransitionCounts; readonly days: ReadonlyArray<TransitionCounts> };
}

/** Deliveries of one campaign or notification, by its key. `reached` counts distinct devices. */
export interface OutcomeCounts extends DeliveryCounts {
  readonly key: number;
  readonly failed: number;
}

/**
 * Events at one location, by its key. `entered` counts distinct devices. A visit is an entry together with
 * the same device's next exit there (contract K5); `visitMicros` is the length of all visits in microseconds.
 */
export interface LocationCounts extends TransitionCounts {
  readonly key: number;
  readonly entered: number;
  readonly visits: number;
  readonly visitMicros: bigint;
}

/** Deliveries of one notification, by its key, and how many deliveries were opened and clicked. */
export interface InteractionCounts {
  readonly key: number;
  readonly delivered: number;
  readonly opened: number;
  readonly clicked: number;
}

/** A survey on a campaign, by the keys of both. */
export interface SurveyKey {
  readonly campaignKey: CampaignKey;
  readonly notificationKey: NotificationKey;
}

/** Devices that answered a survey of a campaign. */
export interface ResponseCounts extends SurveyKey {
  readonly responses: number;
}
