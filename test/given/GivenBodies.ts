import { Clock, Effect } from "effect";
import { randomUUID } from "node:crypto";

/** The content of a message. */
export const message = { name: "Note", type: "message", headline: "Hello", body: "World" };

/** A campaign of today in UTC, by default at locations. */
export const campaignBody = (fields: object = {}) => ({
  name: `Campaign ${randomUUID()}`,
  type: "geo",
  timezone: "UTC",
  starts_at: "2026-11-21",
  ...fields,
});

/** A message on a geo campaign, by default on entering. */
export const notificationBody = (fields: object = {}) => ({
  ...message,
  trigger_type: "on_enter",
  ...fields,
});

/** A message on a push campaign at a time of day. */
export const sentBody = (send_at: string, fields: object = {}) =>
  notificationBody({ trigger_type: "fixed_time", trigger_config: { send_at }, ...fields });

/** A rule of these conditions. */
export const rule = (...conditions: ReadonlyArray<object>) => ({ match: "all", conditions });
/** The devices whose plan is gold. */
export const gold = rule({ attribute: "plan", op: "eq", value: "gold" });

/** The smallest image: one pixel. */
export const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The instant so many milliseconds from now, as ISO text. */
export const fromNow = (millis: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => new Date(now + millis).toISOString());

/** An event as a device reports it. */
export interface ReportedEvent {
  readonly id?: string;
  readonly type?: string;
  readonly name?: string;
  readonly location_id?: string;
  readonly occurred_at?: string;
}

/** An enter of now, or another event. */
export const eventNow = (location_id: string | undefined, event: ReportedEvent = {}) =>
  Effect.map(fromNow(0), (occurred_at) => ({
    id: randomUUID(),
    type: "enter",
    location_id,
    occurred_at,
    ...event,
  }));
