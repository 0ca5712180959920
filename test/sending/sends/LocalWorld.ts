import { Effect } from "effect";
import { at, drain, start } from "../ManualWorkers.ts";
import { sendWorld } from "./SendWorld.ts";

/** Moves the time and runs everything that is due, until the send has ended with its last part. */
export const run = (time: string) =>
  Effect.gen(function* () {
    yield* at(time);
    yield* start;
    yield* drain;
    yield* start;
  });

/** The trigger of a send at a local time. */
export const locally = (send_at: string, more: object = {}) => ({
  trigger_type: "fixed_time",
  trigger_config: { send_at, local: true, ...more },
});

/**
 * A campaign of 2026-11-23 in UTC with a notification at 09:00 where each device is, in Production, and a
 * device in each of some zones; `none` has no zone.
 */
export const localWorld = (more: object = {}, campaign: object = {}) =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const { production } = world;
    const device = (timezone?: string) =>
      production.phone(undefined, timezone === undefined ? {} : { timezone });
    const phones = {
      tokyo: yield* device("Asia/Tokyo"),
      kolkata: yield* device("Asia/Kolkata"),
      amsterdam: yield* device("Europe/Amsterdam"),
      none: yield* device(),
      york: yield* device("America/New_York"),
    };
    const campaignId = yield* production.push({ starts_at: "2026-11-23", ...campaign });
    const notificationId = yield* production.notification(campaignId, locally("09:00", more));
    const send = Effect.map(production.sends(), (sends) => sends.at(-1));
    /** The time of each part, its status and its devices. */
    const parts = Effect.map(send, (shown) =>
      (shown.parts as Array<any>).map(
        ({ due_at, status, targeted }) => `${due_at.slice(8, 16)} ${status} ${targeted}`,
      ),
    );
    /** How many messages the phones have got, in their order. */
    const messages = Effect.forEach(Object.values(phones), (phone) =>
      Effect.map(phone.inbox(), ({ length }) => length),
    );
    const edit = (fields: object) =>
      production.resent(campaignId, notificationId, "09:00", { ...locally("09:00", more), ...fields });
    return { ...world, campaignId, notificationId, device, edit, messages, parts, phones, send };
  });
