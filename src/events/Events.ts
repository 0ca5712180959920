import { Clock, Context, Effect, Layer } from "effect";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { batchedByWorkspace } from "../database/WorkspaceGroups.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { dwellsOf } from "./Dwell.ts";
import { EventBatch, type PartOutcome } from "./EventBatch.ts";
import { type EventRequest, isTransition } from "./IncomingEvent.ts";
import { EventRecorder } from "./EventRecorder.ts";
import { AnsweredMessages, eventParts, laterFrom } from "./EventParts.ts";
import type { EventsBody, EventsOutcome } from "./EventsApi.ts";
import { EventsSql } from "./EventsSql.ts";
import { isLate } from "./Transition.ts";
import { readTransition } from "./Transition.ts";
import { isCustom, readCustomEvent } from "./custom/CustomEvent.ts";
import { canFire } from "./TriggerRule.ts";

const maxRequests = 64;
/** A batch with so many events takes no further request: others would wait for it. */
const maxEvents = 500;
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
    const { bounds, inParts } = yield* eventParts;
    const { customEventRetentionDays: keptDays } = yield* Settings;

    /** Marks duplicates among rejected and late events: a duplicate is not rejected. */
    const markDuplicates = Effect.fnUntraced(function* (batch: EventBatch) {
      const candidates = batch.incomingEvents
        .filter(isTransition)
        .filter(({ occurredAt, outcome, problem, receivedAt }) => {
          const isRejected = problem !== null || isLate(occurredAt, receivedAt);
          return isRejected && outcome === null;
        });
      if (candidates.length === 0) return;
      const recorded = yield* repository.recorded(candidates);
      batch.markDuplicates(recorded.flatMap(({ ord }) => candidates[ord - 1] ?? []));
    });

    /**
     * Writes a batch, as far as one transaction has room for it (contract TR1): an event and the deliveries
     * it triggers commit together (contract L5), and a device's row is locked while its caps are counted
     * (contract L4).
     */
    const write = Effect.fnUntraced(function* (batch: EventBatch, isAlone: boolean) {
      yield* recorder.locate(batch);
      batch.takePart(bounds, isAlone);
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
      sizeOf: ({ events }) => events.length,
      maxSize: maxEvents,
      run: (requests, isAlone) => write(new EventBatch(requests), isAlone),
      beside: besideRequests,
    });

    return {
      /**
       * Records events of one workspace, each a request, in parts. Returns the outcomes of those that were
       * worked, in their order; the others are later. A request with an Idempotency-Key records them in its
       * transaction, or, if that has no room for all, before it.
       */
      record: Effect.fnUntraced(function* (requests: ReadonlyArray<EventRequest>) {
        const work = (from: number, to: number) =>
          Effect.map(write(new EventBatch(requests.slice(from, to)), true), (part) => {
            const end = part.findIndex((outcome) => outcome?.end === 0);
            return end === -1 ? part : part.slice(0, end);
          });
        const inOwnTransactions = Effect.gen(function* () {
          const outcomes: Array<PartOutcome | null> = [];
          yield* inParts(requests.length, new AnsweredMessages(bounds), (from, to) =>
            Effect.map(work(from, to), (part) => {
              outcomes.push(...part);
              return part.length;
            }),
          );
          return outcomes;
        });
        if (!(yield* database.isInTransaction)) return yield* inOwnTransactions;
        const part = yield* work(0, requests.length);
        return part.length === requests.length
          ? part
          : yield* outsideTransaction("events", inOwnTransactions);
      }),

      /**
       * Records 1 to 100 events of one device, in parts. An invalid one is rejected alone. Those from
       * `allowed` on are later. @throws 401, 422
       */
      report: Effect.fnUntraced(function* (
        caller: DeviceCaller["Service"],
        body: ParsedBody<EventsBody>,
        allowed?: number,
      ) {
        const { events } = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const read = events
          .slice(0, allowed)
          .map((event) =>
            isCustom(event) ? readCustomEvent(event, now, keptDays, false) : readTransition(event, now),
          );
        const messages = new AnsweredMessages(bounds);
        const sum = { accepted: 0, duplicates: 0, rejected: new Array<EventsOutcome["rejected"][number]>() };
        const worked = yield* inParts(read.length, messages, (from, to) =>
          Effect.gen(function* () {
            const rest = read.slice(from, to);
            const part =
              (yield* report({ caller, now, events: rest, worked: from })) ?? (yield* endedMeanwhile);
            sum.accepted += part.accepted;
            sum.duplicates += part.duplicates;
            sum.rejected.push(
              ...part.rejected.map(({ index, reasons }) => ({ index: from + index, reasons })),
            );
            messages.add(part.messages);
            return Math.min(part.end, rest.length);
          }),
        );
        return { ...sum, ...messages.fields, ...laterFrom(worked, events.length) };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Events, Events.make).pipe(Layer.provide(EventsSql.layer));
}
