import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { batched } from "../database/Batched.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { EventsBody } from "./EventsApi.ts";
import { EventsSql } from "./EventsSql.ts";
import { canFire } from "./TriggerRule.ts";
import { type EventRequest, EventBatch } from "./EventBatch.ts";
import { EventRecorder } from "./EventRecorder.ts";
import { isLate } from "./Transition.ts";
import { readTransition } from "./TransitionParsing.ts";

/** Most reports that are written together. */
const mostReports = 64;

/** What devices report: it is counted, and campaigns fire. */
export class Events extends Context.Service<Events>()("waypost/events/Events", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* EventsSql;
    const incomingEvents = yield* EventRecorder;

    /** Of the events that would be rejected or come late, those that were taken earlier: the same again is a duplicate. */
    const findKnown = Effect.fnUntraced(function* (batch: EventBatch) {
      const doubtful = batch.incomingEvents.filter(
        ({ now, occurredAt, problem }) => problem !== null || isLate(occurredAt, now),
      );
      if (doubtful.length === 0) return;
      for (const { ord } of yield* repository.known(doubtful)) {
        const incomingEvent = doubtful[ord - 1];
        if (incomingEvent !== undefined) incomingEvent.outcome = "duplicate";
      }
    });

    /**
     * Several reports, each answered by itself, in one transaction: what an event counts for and what it fires are there
     * together or not at all (contract L5), and a device's row is held while its caps are counted (contract L4).
     */
    const take = Effect.fnUntraced(function* (batch: EventBatch) {
      yield* incomingEvents.place(batch);
      yield* findKnown(batch);
      const toStore = batch.toStore;
      const fires = toStore.some((incomingEvent) =>
        incomingEvent.triggerMatches.some((triggerMatch) => canFire(triggerMatch, incomingEvent)),
      );
      const written = incomingEvents.write(toStore);
      const fired = toStore.length === 0 ? [] : yield* fires ? database.atomically(written) : written;
      return batch.outcomes(fired);
    });

    const together = yield* batched(mostReports, (reports: ReadonlyArray<EventRequest>) =>
      take(new EventBatch(reports)),
    );

    return {
      /** Takes 1 to 100 events of one device; a bad one is rejected alone. @throws 401, 422 */
      report: Effect.fnUntraced(function* (caller: DeviceCaller["Service"], body: ParsedBody<EventsBody>) {
        const { events } = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const outcome = yield* together({
          caller,
          now,
          events: events.map((event) => readTransition(event, now)),
        });
        return outcome ?? (yield* endedMeanwhile);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Events, Events.make).pipe(Layer.provide(EventsSql.layer));
}
