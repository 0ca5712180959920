import { Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { Conversions } from "../experiments/Conversions.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { Experiments } from "../sending/arms/Experiments.ts";
import { MessageIds } from "../sending/deliveries/MessageId.ts";
import { Recipients } from "../sending/rendering/Recipients.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import { CustomEventsSql, type EventDevice } from "./custom/CustomEventsSql.ts";
import { eventReceivers } from "./custom/EventReceivers.ts";
import { EventTriggersSql } from "./custom/EventTriggersSql.ts";
import { dwellsOf } from "./Dwell.ts";
import { DwellsSql } from "./DwellsSql.ts";
import { EventBounds, partOf } from "./EventParts.ts";
import { EventsSql, type LookupRow } from "./EventsSql.ts";
import {
  byRequest,
  type EventPart,
  type Fresh,
  type Located,
  locatedAt,
  outcomesOf,
  type PartOutcome,
  lookupOf,
  type Recorded,
  toStore,
} from "./EventStages.ts";
import { firedBy, firedMessages, toMessage, wantedWords } from "./FiredMessages.ts";
import {
  type EventRequest,
  type IncomingCustom,
  type IncomingTransition,
  incomingEventsOf,
  isCustomEvent,
  isTransition,
} from "./IncomingEvent.ts";
import type { StoredRow } from "./LockedDevicesSql.ts";
import { eventGoals, outgoingEvents, visitGoals } from "./RecordedEvents.ts";
import { type TriggerSpan, triggerSpan } from "./Transition.ts";
import { eventWords } from "./words/EventWords.ts";
import { MatchContents } from "./words/MatchContents.ts";

/** Locations that are looked up at once. */
const maxLocations = 256;

/**
 * Takes events, reported by devices or detected in their positions, through their stages (`EventStages.ts`):
 * stores them, updates where the device is, and creates the deliveries they trigger through
 * `sending/deliveries/Deliveries.ts`, which applies the frequency caps.
 */
export class EventRecorder extends Context.Service<
  EventRecorder,
  {
    /**
     * Locates the events of requests. Returns those that one transaction has room for. Fails a batch of
     * several workspaces by `TakesLong` if those of one are many; `isAlone` says that there is one only.
     */
    readonly locate: (requests: ReadonlyArray<EventRequest>, isAlone: boolean) => Effect.Effect<EventPart>;
    /**
     * Stores the events of a part, with the dwells that they begin, and creates the deliveries they trigger,
     * in the current transaction or one of their own. Their messages are rendered before it begins, in time
     * slices, so that it waits for no template: the device is read after its request came and before its
     * event is stored, so the texts are those of a moment of the request. `known` are the events that were
     * recorded before. Returns the result of each request; null if its device has unregistered meanwhile.
     */
    readonly record: (
      part: EventPart,
      isAlone: boolean,
      known?: ReadonlySet<Located>,
    ) => Effect.Effect<ReadonlyArray<PartOutcome | null>>;
  }
>()("waypost/events/EventRecorder") {
  static readonly layer = Layer.effect(
    EventRecorder,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* EventsSql;
      const ids = yield* MessageIds;
      const dwells = yield* DwellsSql;
      const conversions = yield* Conversions;
      const customEvents = yield* CustomEventsSql;
      const triggers = yield* EventTriggersSql;
      const receivers = yield* eventReceivers;
      const wordsOf = yield* eventWords;
      const fire = yield* firedMessages;
      const { media: mediaBase } = yield* PublicAddresses;
      const bounds = yield* EventBounds;
      const { matchRows } = bounds;

      /** The rows of the first locations, as many as one transaction has room for: those before `end`. */
      const lookUp = Effect.fnUntraced(function* (
        locations: ReadonlyArray<IncomingTransition>,
        span: TriggerSpan,
      ) {
        const rows: Array<LookupRow> = [];
        let [end, isFull] = [0, false];
        while (end < locations.length && !isFull) {
          const page = locations.slice(end, end + maxLocations);
          const read = yield* repository.locations(page, span, { limit: matchRows + 1 });
          const last = read[matchRows]?.ord ?? page.length + 1;
          const own = last > 1 ? read : yield* repository.locations(page.slice(0, 1), span, {});
          const count = Math.max(1, last - 1);
          for (const row of own) if (row.ord <= count) rows.push({ ...row, ord: row.ord + end });
          end += count;
          isFull = count < page.length || rows.length >= matchRows;
        }
        return { end, rows };
      });

      /** Chooses the devices of messages, and makes the words that no arm decides on (contract O1.6). */
      const withMessages = Effect.fnUntraced(function* (events: ReadonlyArray<Located>, isAlone: boolean) {
        const wanted = events.flatMap((event) =>
          event.fires.map((match) => ({
            event,
            workspaceId: event.workspaceId,
            environment: event.environment,
            match,
            deviceKeys: (isTransition(event) ? null : event.person?.deviceKeys) ?? [event.deviceKey],
          })),
        );
        const keys = yield* receivers(wanted);
        const chosen = wanted.flatMap(({ event, match }, index) => {
          const deviceKey = keys[index] ?? null;
          return deviceKey === null ? [] : [{ event, match, deviceKey }];
        });
        // Those in an arm that is not known yet come with it.
        const early = chosen.filter(({ match }) => match.varies || match.experiment === null);
        const made = yield* wordsOf(
          early.map(({ deviceKey, event, match }) => wantedWords({ ...event, deviceKey }, match)),
          isAlone,
        );
        const words = new Map(early.map((each, index) => [each, made[index]]));
        const messages = Map.groupBy(
          chosen.map((each) => ({ ...each, words: words.get(each) })),
          ({ event }) => event,
        );
        return events.map((event): Fresh => ({ ...event, messages: messages.get(event) ?? [] }));
      });

      /** Stores events. Returns each with its devices, which it locks. */
      const store = Effect.fnUntraced(function* (events: ReadonlyArray<Fresh>) {
        const transitions = events.filter(isTransition);
        const devices = events.filter(isCustomEvent).flatMap(devicesOf);
        if (transitions.length > 0 && devices.length > 0)
          yield* customEvents.lock([...transitions, ...devices]);
        const stored = new Map(events.map((event) => [event, new Map<DeviceKey, StoredRow>()]));
        for (const row of transitions.length === 0 ? [] : yield* repository.record(transitions))
          for (const event of transitions.slice(row.ord - 1, row.ord))
            stored.get(event)?.set(event.deviceKey, row);
        for (const row of devices.length === 0 ? [] : yield* customEvents.record(devices))
          for (const { deviceKey, event } of devices.slice(row.ord - 1, row.ord))
            stored.get(event)?.set(deviceKey, row);
        return Array.from(stored, ([event, own]) => ({ ...event, devices: own }));
      });

      const write = Effect.fnUntraced(function* (events: ReadonlyArray<Fresh>) {
        const stored = yield* store(events);
        const recorded = stored.flatMap((event): ReadonlyArray<Recorded> => {
          const device = event.devices.get(event.deviceKey);
          return device?.is_new === true ? [{ ...event, device }] : [];
        });
        const ended = stored.filter(({ deviceKey, devices }) => !devices.has(deviceKey));
        // Before anybody is enrolled: the event that triggers a message is no conversion of it.
        yield* conversions.convert(recorded.flatMap(visitGoals));
        yield* conversions.convertByEvents(recorded.flatMap(eventGoals));
        const begun = recorded.flatMap(dwellsOf);
        if (begun.length > 0) yield* dwells.begin(begun);
        const fired = recorded.flatMap(firedBy);
        const created = yield* fire(fired, recorded.flatMap(outgoingEvents));
        const messages = fired.flatMap(({ match, subject: { deviceKey, requestIndex } }, index) => {
          const message = created[index];
          const sourceId = message?.delivery?.sourceId;
          if (sourceId === undefined || message === undefined || message.words.failure !== null) return [];
          const id = ids.idOf({ sourceId, deviceKey });
          return [{ requestIndex, message: toMessage(id, match, message, mediaBase) }];
        });
        return { recorded, ended, messages };
      });

      return EventRecorder.of({
        locate: Effect.fnUntraced(function* (requests, isAlone) {
          const incoming = requests.flatMap(incomingEventsOf);
          const span = triggerSpan(requests.map(({ now }) => now));
          const distinct = [...new Map(incoming.map((event) => [lookupOf(event), event])).values()];
          const [names, locations] = [distinct.filter(isCustomEvent), distinct.filter(isTransition)];
          const heard = names.length === 0 ? [] : yield* triggers.ofNames(names, span);
          const { end, rows } = yield* lookUp(locations, span);
          const at = [...names, ...locations].map(lookupOf);
          const rowsOfAll = [...heard, ...rows.map((row) => ({ ...row, ord: row.ord + names.length }))];
          const found = Map.groupBy(rowsOfAll, ({ ord }) => at[ord - 1]);
          const left = new Set(at.slice(names.length + end));
          const events = incoming.map((event) => locatedAt(event, found.get(lookupOf(event))));
          const own = byRequest(events);
          const parts = requests.map(({ caller: { workspaceId }, worked = 0 }, request) => {
            const sent = own.get(request) ?? [];
            const later = left.size === 0 ? [] : sent.filter((event) => left.has(lookupOf(event)));
            return { workspaceId, worked, events: sent, end: Math.min(...later.map(({ index }) => index)) };
          });
          const ends = partOf(parts, bounds, isAlone);
          const isIn = ({ index, requestIndex }: Located) => index < (ends[requestIndex] ?? 0);
          return { requests, ends, events: events.filter(isIn) };
        }),

        record: Effect.fnUntraced(function* (part, isAlone, known = new Set()) {
          const events = yield* withMessages(toStore(part, known), isAlone);
          if (events.length === 0) return outcomesOf(part, known);
          // An enter or exit without deliveries, goals and webhooks is a single statement.
          const isSingle = events.every(
            ({ fires, goalCampaigns, type, waits, webhookEvents }) =>
              type !== "custom" &&
              fires.length + waits.length + goalCampaigns.length + webhookEvents.length === 0,
          );
          const written = isSingle ? write(events) : database.atomically(write(events));
          return outcomesOf(part, known, yield* written);
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

/** The devices of a custom event: its own, and those that get its messages. */
const devicesOf = (event: Fresh & IncomingCustom): ReadonlyArray<EventDevice> => {
  const { deviceKey, environment, messages, workspaceId } = event;
  const keys = new Set([deviceKey, ...messages.map((message) => message.deviceKey)]);
  return Array.from(keys, (each) => ({ workspaceId, environment, event, deviceKey: each }));
};
