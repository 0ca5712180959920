import { Clock, Context, Effect, Layer } from "effect";
import { Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { batchedByWorkspace } from "../database/WorkspaceGroups.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { isCustom, readCustomEvent } from "./custom/CustomEvent.ts";
import { eventParts, laterFrom } from "./EventParts.ts";
import { EventRecorder } from "./EventRecorder.ts";
import type { EventsBody, EventsOutcome } from "./EventsApi.ts";
import { EventsSql } from "./EventsSql.ts";
import type { EventPart, Located, PartOutcome } from "./EventStages.ts";
import { type EventRequest, isTransition } from "./IncomingEvent.ts";
import { isLate, readTransition } from "./Transition.ts";

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
    const inParts = yield* eventParts;
    const { customEventRetentionDays: keptDays } = yield* Settings;

    /** The events among rejected and late ones that were recorded before: a duplicate is not rejected. */
    const known = Effect.fnUntraced(function* ({ events }: EventPart) {
      const candidates = events
        .filter(isTransition)
        .filter(({ occurredAt, problem, receivedAt }) => problem !== null || isLate(occurredAt, receivedAt));
      const rows = candidates.length === 0 ? [] : yield* repository.recorded(candidates);
      return new Set<Located>(rows.flatMap(({ ord }) => candidates.slice(ord - 1, ord)));
    });

    /**
     * Writes events, as far as one transaction has room for them (contract TR1): an event and the deliveries
     * it triggers commit together (contract L5), and a device's row is locked while its caps are counted
     * (contract L4).
     */
    const write = Effect.fnUntraced(function* (requests: ReadonlyArray<EventRequest>, isAlone: boolean) {
      const part = yield* recorder.locate(requests, isAlone);
      return yield* recorder.record(part, isAlone, yield* known(part));
    });

    const report = yield* batchedByWorkspace({
      maxBatch: maxRequests,
      keyOf: ({ caller }: EventRequest) => caller.workspaceId,
      sizeOf: ({ events }) => events.length,
      maxSize: maxEvents,
      run: write,
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
          Effect.map(write(requests.slice(from, to), true), (part) => {
            const end = part.findIndex((outcome) => outcome?.end === 0);
            return end === -1 ? part : part.slice(0, end);
          });
        const inOwnTransactions = Effect.gen(function* () {
          const outcomes: Array<PartOutcome | null> = [];
          yield* inParts(requests.length, (from, to) =>
            Effect.map(work(from, to), (part) => ({ entries: outcomes.push(...part) - from, messages: [] })),
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
        const sum = { accepted: 0, duplicates: 0, rejected: new Array<EventsOutcome["rejected"][number]>() };
        const { worked, ...messages } = yield* inParts(read.length, (from, to) =>
          Effect.gen(function* () {
            const rest = read.slice(from, to);
            const part =
              (yield* report({ caller, now, events: rest, worked: from })) ?? (yield* endedMeanwhile);
            sum.accepted += part.accepted.length;
            sum.duplicates += part.duplicates;
            for (const { index, reasons } of part.rejected)
              sum.rejected.push({ index: from + index, reasons });
            return { entries: Math.min(part.end, rest.length), messages: part.messages };
          }),
        );
        return { ...sum, ...messages, ...laterFrom(worked, events.length) };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Events, Events.make).pipe(Layer.provide(EventsSql.layer));
}
