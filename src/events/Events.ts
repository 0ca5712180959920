import { Clock, Context, Effect, Layer } from "effect";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { batchedByWorkspace } from "../database/WorkspaceGroups.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { dwellsOf } from "./Dwell.ts";
import { EventBatch } from "./EventBatch.ts";
import { type EventRequest, isTransition } from "./IncomingEvent.ts";
import { EventRecorder } from "./EventRecorder.ts";
import type { EventsBody } from "./EventsApi.ts";
import { EventsSql } from "./EventsSql.ts";
import { isLate } from "./Transition.ts";
import { readTransition } from "./TransitionParsing.ts";
import { isCustom, readCustomEvent } from "./custom/CustomEvent.ts";
import { canFire } from "./TriggerRule.ts";

const maxRequests = 64;
/** How many waiting requests start a second batch: smaller ones cost more than they save. */
const besideRequests = 24;

/**
 * Enters, exits and custom events that devices report. Concurrent requests are written as one batch by
 * `EventRecorder.ts`, which triggers campaigns; `Deliveries.ts` and `DeliveriesSql.ts` in
 * `sending/deliveries/` then apply the frequency caps.
 */
export class Events extends Context.Service<Events>()("waypost/events/Events", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* EventsSql;
    const recorder = yield* EventRecorder;
    const { customEventRetentionDays: keptDays } = yield* Settings;

    /** Marks duplicates among rejected and late events: a duplicate is not rejected. */
    const markDuplicates = Effect.fnUntraced(function* (batch: EventBatch) {
      const candidates = batch.incomingEvents
        .filter(isTransition)
        .filter(({ occurredAt, problem, receivedAt }) => problem !== null || isLate(occurredAt, receivedAt));
      if (candidates.length === 0) return;
      const recorded = yield* repository.recorded(candidates);
      batch.markDuplicates(recorded.flatMap(({ ord }) => candidates[ord - 1] ?? []));
    });

    /**
     * Writes a batch in one transaction: an event and the deliveries it triggers commit together (contract
     * L5), and a device's row is locked while its caps are counted (contract L4).
     */
    const write = Effect.fnUntraced(function* (batch: EventBatch, isAlone: boolean) {
      yield* recorder.locate(batch);
      yield* markDuplicates(batch);
      const events = batch.takeNew();
      if (events.length === 0) return batch.outcomes([]);
      yield* recorder.render(events, isAlone);
      const isMore = events.some(
        (incomingEvent) =>
          incomingEvent.webhookEvents.length > 0 ||
          !isTransition(incomingEvent) ||
          incomingEvent.goalCampaigns.length > 0 ||
          dwellsOf(incomingEvent).length > 0 ||
          incomingEvent.triggerMatches.some((triggerMatch) => canFire(triggerMatch, incomingEvent)),
      );
      // An enter or exit without deliveries, goals and webhooks is a single statement.
      const written = recorder.write(batch, events);
      return batch.outcomes(yield* isMore ? database.atomically(written) : written);
    });

    const report = yield* batchedByWorkspace({
      maxBatch: maxRequests,
      keyOf: ({ caller }: EventRequest) => caller.workspaceId,
      run: (requests, isAlone) => write(new EventBatch(requests), isAlone),
      beside: besideRequests,
    });

    return {
      /** Records events of one workspace in the current transaction, as `report` does those of a batch. */
      record: (requests: ReadonlyArray<EventRequest>) => write(new EventBatch(requests), true),

      /** Records 1 to 100 events of one device. An invalid one is rejected alone. @throws 401, 422 */
      report: Effect.fnUntraced(function* (caller: DeviceCaller["Service"], body: ParsedBody<EventsBody>) {
        const { events } = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const read = events.map((event) =>
          isCustom(event) ? readCustomEvent(event, now, keptDays, false) : readTransition(event, now),
        );
        return (yield* report({ caller, now, events: read })) ?? (yield* endedMeanwhile);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Events, Events.make).pipe(Layer.provide(EventsSql.layer));
}
