import { testStart } from "../TestWaypost.ts";

/**
 * Everything that happened in one environment. Items refer to each other by list index; times are epoch ms.
 */
export interface ReportHistory {
  readonly devices: ReadonlyArray<{ readonly unregistered: boolean }>;
  readonly locations: ReadonlyArray<PastLocation>;
  readonly groups: ReadonlyArray<{ readonly members: ReadonlyArray<number> }>;
  readonly notifications: ReadonlyArray<PastNotification>;
  readonly campaigns: ReadonlyArray<PastCampaign>;
  readonly deliveries: ReadonlyArray<PastDelivery>;
  readonly events: ReadonlyArray<PastEvent>;
}

export interface PastLocation {
  readonly name: string;
  readonly deleted: boolean;
}

export interface PastNotification {
  readonly name: string;
  readonly type: ContentType;
  readonly deleted: boolean;
}

export interface PastCampaign {
  readonly name: string;
  readonly type: "geo" | "push";
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly paused: boolean;
  readonly deleted: boolean;
  readonly locations: ReadonlyArray<number>;
  readonly groups: ReadonlyArray<number>;
  readonly notifications: ReadonlyArray<{ readonly notification: number; readonly trigger: Trigger }>;
}

export interface PastDelivery {
  readonly campaign: number;
  readonly device: number;
  readonly notification: number;
  readonly type: ContentType;
  readonly trigger: Trigger;
  readonly status: "queued" | "handed_over" | "delivered" | "failed";
  readonly settledAt: number;
  /** When a delivered message was opened and clicked; null for never. A click is an open, too. */
  readonly openedAt: number | null;
  readonly clickedAt: number | null;
}

export interface PastEvent {
  readonly location: number;
  readonly device: number;
  readonly type: "enter" | "exit";
  readonly occurredAt: number;
}

export type ContentType = "message" | "survey";
export type Trigger = "on_enter" | "on_exit" | "on_dwell" | "fixed_time";

const hour = 3_600_000;

/** A geo campaign that is active when the tests begin, by default. */
export const campaign = (name: string, more: Partial<PastCampaign> = {}): PastCampaign => ({
  name,
  type: "geo",
  startsAt: testStart - hour,
  endsAt: null,
  paused: false,
  deleted: false,
  locations: [],
  groups: [],
  notifications: [],
  ...more,
});

/** A message, by default. */
export const notification = (name: string, more: Partial<PastNotification> = {}): PastNotification => ({
  name,
  type: "message",
  deleted: false,
  ...more,
});

/** A delivery of the first notification, a message, on entering, now, by default. */
export const delivery = (
  campaign: number,
  device: number,
  more: Partial<PastDelivery> = {},
): PastDelivery => ({
  campaign,
  device,
  notification: 0,
  type: "message",
  trigger: "on_enter",
  status: "delivered",
  settledAt: testStart,
  openedAt: null,
  clickedAt: null,
  ...more,
});

/** An entry, now, by default. */
export const event = (location: number, device: number, more: Partial<PastEvent> = {}): PastEvent => ({
  location,
  device,
  type: "enter",
  occurredAt: testStart,
  ...more,
});

/** Registered devices. */
export const devices = (count: number) => Array.from({ length: count }, () => ({ unregistered: false }));
/** Locations named "Store 0" and so on. */
export const locations = (count: number): ReadonlyArray<PastLocation> =>
  Array.from({ length: count }, (_, index) => ({ name: `Store ${index}`, deleted: false }));
