import { Context, Effect, Layer } from "effect";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { Conversions } from "../experiments/Conversions.ts";
import { Outbox } from "../outbox/Outbox.ts";
import { Experiments, type UnitArm } from "../sending/arms/Experiments.ts";
import { Deliveries } from "../sending/deliveries/Deliveries.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { Recipients } from "../sending/rendering/Recipients.ts";
import { idAt } from "../wire/Ids.ts";
import { CustomEventsSql, type EventDevice } from "./custom/CustomEventsSql.ts";
import { eventReceivers } from "./custom/EventReceivers.ts";
import { EventTriggersSql } from "./custom/EventTriggersSql.ts";
import { dwellsOf } from "./Dwell.ts";
import { DwellsSql } from "./DwellsSql.ts";
import type { EventBatch, TriggeredMessage } from "./EventBatch.ts";
import { EventBounds } from "./EventParts.ts";
import { EventsSql, type TriggerMatchRow } from "./EventsSql.ts";
import { eventWords } from "./words/EventWords.ts";
import { type IncomingCustom, type IncomingEvent, isTransition } from "./IncomingEvent.ts";
import { outgoingEvents } from "./OutgoingEvents.ts";
import { MatchContents } from "./words/MatchContents.ts";
import {
  deliveryEvents,
  earlyWords,
  experimentSubject,
  type FiredMatch,
  firedBy,
  pendingDeliveryOf,
  toMessage,
  wantedWords,
  wordsIn,
} from "./PendingDelivery.ts";
import { eventGoals, visitGoals } from "./ReachedGoals.ts";
import { triggerSpan } from "./Transition.ts";
import { canFire } from "./TriggerRule.ts";

/** Locations that are looked up at once. */
const maxLocations = 256;

/**
 * Records enters and exits, reported by devices or detected in their positions: stores them, updates where
 * the device is, and creates the deliveries they trigger through `sending/deliveries/Deliveries.ts`, which
 * applies the frequency caps.
 */
export class EventRecorder extends Context.Service<
  EventRecorder,
  {
    /** Finds the locations of a batch and the notifications that can fire there. */
    readonly locate: (batch: EventBatch) => Effect.Effect<void>;
    /**
     * Renders the messages that events can trigger, in time slices. Reported events are rendered before their
     * transaction, so that it waits for no template: the device is read after its request came and before
     * its event is stored, so the texts are those of a moment of the request. Fails a batch of several
     * workspaces by `TakesLong` if the messages of one take long; `isAlone` says that there is one only.
     */
    readonly render: (events: ReadonlyArray<IncomingEvent>, isAlone: boolean) => Effect.Effect<void>;
    /**
     * Stores events, with the dwells that they begin, and creates the deliveries they trigger, in the current
     * transaction. Their messages are rendered.
     */
    readonly write: (
      batch: EventBatch,
      events: ReadonlyArray<IncomingEvent>,
    ) => Effect.Effect<ReadonlyArray<TriggeredMessage>>;
  }
>()("waypost/events/EventRecorder") {
  static readonly layer = Layer.effect(
    EventRecorder,
    Effect.gen(function* () {
      const repository = yield* EventsSql;
      const deliveries = yield* Deliveries;
      const ids = yield* MessageIds;
      const outbox = yield* Outbox;
      const dwells = yield* DwellsSql;
      const conversions = yield* Conversions;
      const customEvents = yield* CustomEventsSql;
      const triggers = yield* EventTriggersSql;
      const receivers = yield* eventReceivers;
      const wordsOf = yield* eventWords;
      const experiments = yield* Experiments;
      const { media: mediaBase } = yield* PublicAddresses;
      const { matchRows } = yield* EventBounds;

      /** Looks up locations, as many as one transaction has room for. */
      const locate = Effect.fnUntraced(function* (batch: EventBatch) {
        const span = batch.span(triggerSpan);
        const rows: Array<TriggerMatchRow> = [];
        let [located, isFull] = [0, false];
        while (located < batch.locations.length && !isFull) {
          const page = batch.locations.slice(located, located + maxLocations);
          const read = yield* repository.locations(page, span, { limit: matchRows + 1 });
          const last = read[matchRows]?.ord ?? page.length + 1;
          const own = last > 1 ? read : yield* repository.locations(page.slice(0, 1), span, {});
          const end = Math.max(1, last - 1);
          for (const row of own) if (row.ord <= end) rows.push({ ...row, ord: row.ord + located });
          located += end;
          isFull = end < page.length || rows.length >= matchRows;
        }
        batch.locate(rows, located);
      });

      /** Chooses the devices that get the messages of custom events. */
      const choose = Effect.fnUntraced(function* (events: ReadonlyArray<IncomingEvent>) {
        const wanted = events.flatMap((event) => (isTransition(event) ? [] : wantedMessages(event)));
        if (wanted.length === 0) return;
        const keys = yield* receivers(wanted);
        const chosen = wanted.map(({ event, match }, index) => ({ event, match, key: keys[index] ?? null }));
        for (const [event, own] of Map.groupBy(chosen, (each) => each.event))
          event.receivers = new Map(own.flatMap(({ key, match }) => (key === null ? [] : [[match, key]])));
      });

      /** Stores events, and gives the device of each (`ord`, from 1), which they lock. */
      const record = Effect.fnUntraced(function* (events: ReadonlyArray<IncomingEvent>) {
        const transitions = events.filter(isTransition);
        if (transitions.length === events.length) return yield* repository.record(transitions);
        const devices = events.flatMap((event) => (isTransition(event) ? [] : devicesOf(event)));
        if (transitions.length > 0) yield* customEvents.lock([...transitions, ...devices]);
        const ords = new Map(events.map((event, index) => [event, index + 1]));
        const ordOf = (event: IncomingEvent | undefined) =>
          event === undefined ? 0 : (ords.get(event) ?? 0);
        const rows = transitions.length === 0 ? [] : yield* repository.record(transitions);
        const recorded = rows.map((row) => ({ ...row, ord: ordOf(transitions[row.ord - 1]) }));
        for (const row of yield* customEvents.record(devices)) {
          const device = devices[row.ord - 1];
          if (device === undefined) continue;
          device.event.recorded.set(device.deviceKey, row);
          if (device.isFirst) recorded.push({ ...row, ord: ordOf(device.event) });
        }
        return recorded;
      });

      /** The messages of notifications with their words: those that are made, and others now. */
      const withWords = Effect.fnUntraced(function* (
        fired: ReadonlyArray<FiredMatch>,
        armOf: (each: FiredMatch) => UnitArm | null,
      ) {
        const missing = fired.filter((each) => wordsIn(each, armOf(each)) === undefined);
        const wanted = missing.map((each) => {
          const { deviceKey, incomingEvent, triggerMatch } = each;
          return { ...wantedWords(incomingEvent, triggerMatch, deviceKey), arm: armOf(each) };
        });
        const made = wanted.length === 0 ? [] : yield* wordsOf(wanted, true);
        const late = new Map(missing.map((each, index) => [each, made[index]]));
        return fired.flatMap((each) => {
          const words = wordsIn(each, armOf(each)) ?? late.get(each);
          return words === undefined ? [] : [pendingDeliveryOf(each, armOf(each), words)];
        });
      });

      return EventRecorder.of({
        locate: Effect.fnUntraced(function* (batch) {
          const { names } = batch;
          if (names.length > 0) batch.match(names, yield* triggers.ofNames(names));
          if (batch.locations.length > 0) yield* locate(batch);
        }),

        render: Effect.fnUntraced(function* (events, isAlone) {
          yield* choose(events);
          const wanted = events.map(earlyWords);
          const all = wanted.flat();
          if (all.length === 0) return;
          const made = yield* wordsOf(all, isAlone);
          const words = new Map(all.map((each, index) => [each, made[index]]));
          for (const [index, event] of events.entries())
            event.words = new Map(
              (wanted[index] ?? []).flatMap((each) => {
                const own = words.get(each);
                return own === undefined ? [] : [[each.triggerMatch, own]];
              }),
            );
        }),

        write: Effect.fnUntraced(function* (batch, events) {
          const accepted = batch.record(events, yield* record(events));
          // Before anybody is enrolled: the event that triggers a message is no conversion of it.
          yield* conversions.convert(accepted.flatMap(visitGoals));
          yield* conversions.convertByEvents(accepted.flatMap(eventGoals));
          const begun = accepted.flatMap(({ incomingEvent }) => dwellsOf(incomingEvent));
          if (begun.length > 0) yield* dwells.begin(begun);
          const fired = accepted.flatMap(({ device, incomingEvent }) => firedBy(incomingEvent, device));
          const experimental = fired.filter(({ triggerMatch }) => triggerMatch.experiment !== null);
          const assigned = yield* experiments.arms(experimental.map(experimentSubject));
          const arms = new Map(experimental.map((each, index) => [each, assigned[index] ?? null]));
          const pending = yield* withWords(fired, (each) => arms.get(each) ?? null);
          const created = yield* deliveries.create(pending.map(({ due }) => due));
          yield* outbox.record([
            ...accepted.flatMap(({ incomingEvent }) => outgoingEvents(incomingEvent)),
            ...pending.flatMap((pendingDelivery, index) =>
              deliveryEvents(pendingDelivery, created[index] ?? null),
            ),
          ]);
          return pending.flatMap((pendingDelivery, index): Array<TriggeredMessage> => {
            const delivery = created[index] ?? null;
            const { due, incomingEvent, words } = pendingDelivery;
            if (delivery === null || words.failure !== null) return [];
            if (words.texts === null) return [{ incomingEvent, message: null }];
            const id = ids.idOf({ sourceId: delivery.sourceId, deviceKey: due.deviceKey });
            const message = toMessage(id, pendingDelivery, words.texts, delivery, mediaBase);
            return [{ incomingEvent, message }];
          });
        }),
      });
    }),
  ).pipe(
    Layer.provide([
      EventsSql.layer,
      CustomEventsSql.layer,
      EventTriggersSql.layer,
      DwellsSql.layer,
      MessageIds.layer,
      Recipients.layer,
      MatchContents.layer,
      Experiments.layer,
      Conversions.layer,
    ]),
  );
}

/** The messages that a custom event fires at once, with the devices that they can go to. */
const wantedMessages = (event: IncomingCustom) => {
  const { deviceKey, environment, person, triggerMatches, workspaceId } = event;
  const deviceKeys = person?.deviceKeys ?? [deviceKey];
  return triggerMatches
    .filter((match) => canFire(match, event))
    .map((match) => ({ event, workspaceId, environment, match, deviceKeys }));
};

/** The devices of a custom event: its own, and those that get its messages. */
const devicesOf = (event: IncomingCustom): ReadonlyArray<EventDevice> => {
  const { deviceKey, environment, receivedAt, receivers, workspaceId } = event;
  const key = idAt(receivedAt);
  return [...new Set([deviceKey, ...receivers.values()])].map((each) => ({
    workspaceId,
    environment,
    event,
    deviceKey: each,
    isFirst: each === deviceKey,
    key,
  }));
};
