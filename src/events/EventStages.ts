/**
 * The stages of an event. It is read (`IncomingEvent`), then located: its location or its name tells what it
 * can fire. Of the located events that one transaction has room for, those that are fresh are stored, each
 * with the messages that it fires; a recorded one is new, and its devices are locked.
 */
import type { Message } from "../sending/rendering/Message.ts";
import type { CampaignKey, DeviceKey, LocationKey } from "../wire/Ids.ts";
import type { EventsOutcome } from "./EventsApi.ts";
import type { LookupRow } from "./EventsSql.ts";
import { type EventRequest, type IncomingEvent, isTransition } from "./IncomingEvent.ts";
import type { LockedDevice } from "./LockedDevicesSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { canFire, hears, type WaitingMatch, waitsOf } from "./TriggerRule.ts";
import type { MessageWords } from "./words/MatchContents.ts";

/** An event with what was looked up for it. */
export type Located = IncomingEvent & {
  /** Null at an unknown location, and of a custom event. */
  readonly locationKey: LocationKey | null;
  /** The campaigns whose goal it meets. */
  readonly goalCampaigns: ReadonlyArray<CampaignKey>;
  /** The notifications that fire at once, older ones first. */
  readonly fires: ReadonlyArray<TriggerMatch>;
  readonly waits: ReadonlyArray<WaitingMatch>;
};

/** A message that an event fires at once, with the device that gets it. */
export interface EventMessage {
  readonly match: TriggerMatch;
  readonly deviceKey: DeviceKey;
  /** Undefined where its arm decides on them. The arm of its unit may be another one. */
  readonly words?: MessageWords | undefined;
}

/** A located event that is to be stored. */
export type Fresh = Located & { readonly messages: ReadonlyArray<EventMessage> };

/** An event that was stored as new. */
export type Recorded = Fresh & {
  readonly device: LockedDevice;
  /** Its device and those that get its messages, as far as they are registered. */
  readonly devices: ReadonlyMap<DeviceKey, LockedDevice>;
};

/** The events of requests that one transaction works: of each request the entries before an index. */
export interface EventPart {
  readonly requests: ReadonlyArray<EventRequest>;
  /** Infinity for all entries. */
  readonly ends: ReadonlyArray<number>;
  readonly events: ReadonlyArray<Located>;
}

/** The result of storing the events of a part. */
export interface Written {
  readonly recorded: ReadonlyArray<Recorded>;
  /** Events whose device has unregistered meanwhile. */
  readonly ended: ReadonlyArray<Fresh>;
  /** Null for a message that no answer has room for. */
  readonly messages: ReadonlyArray<{ readonly requestIndex: number; readonly message: Message | null }>;
}

/** The result of a request in one transaction. */
export interface PartOutcome extends Pick<EventsOutcome, "duplicates" | "rejected"> {
  readonly accepted: ReadonlyArray<Recorded>;
  readonly messages: ReadonlyArray<Message | null>;
  /** The entries before this index were worked; Infinity for all. */
  readonly end: number;
}

const unknownLocation = "There is no location with this id in this workspace and environment.";

/** The location or the name of an event, as the key of a map: each is looked up once. */
export const lookupOf = (event: IncomingEvent): string => {
  const { environment, type, workspaceId } = event;
  return `${workspaceId}/${environment}/${type}/${isTransition(event) ? event.locationId : event.name}`;
};

/** An event with the rows of its location or its name; undefined for an unknown location. */
export const locatedAt = (event: IncomingEvent, rows: ReadonlyArray<LookupRow> | undefined): Located => {
  const matches = (rows ?? [])
    .filter((row) => row.campaign_id !== null)
    .filter((match) => hears(event, match));
  return {
    ...event,
    problem: event.problem ?? (isTransition(event) && rows === undefined ? unknownLocation : null),
    locationKey: rows?.[0]?.location_key ?? null,
    goalCampaigns: rows?.[0]?.goal_campaigns ?? [],
    fires: matches.filter((match) => canFire(match, event)),
    waits: waitsOf(matches, event),
  };
};

/** Custom events have ids of their own, and the database knows whether two devices share a person. */
const idOf = (event: IncomingEvent): string => {
  const { deviceKey, environment, id, workspaceId } = event;
  const owner = isTransition(event) ? deviceKey : `custom/${event.person?.userKey ?? 0}/${deviceKey}`;
  return `${workspaceId}/${environment}/${owner}/${id}`;
};

/** The events of a part that are to be stored: those without a problem that are not known, each id once. */
export const toStore = ({ events }: EventPart, known: ReadonlySet<Located>): ReadonlyArray<Located> => {
  const first = new Map<string, Located>();
  for (const event of events)
    if (event.problem === null && !known.has(event) && !first.has(idOf(event))) first.set(idOf(event), event);
  return [...first.values()];
};

/** Items of events by the index of their request. */
export const byRequest = <Item extends { readonly requestIndex: number }>(items: ReadonlyArray<Item>) =>
  Map.groupBy(items, ({ requestIndex }) => requestIndex);

const nothing: Written = { recorded: [], ended: [], messages: [] };

/**
 * The result of each request of a part; null if its device has unregistered meanwhile. `known` are the events
 * that were recorded before: a duplicate is not rejected.
 */
export const outcomesOf = (
  { ends, events, requests }: EventPart,
  known: ReadonlySet<Located>,
  { ended, messages, recorded }: Written = nothing,
): ReadonlyArray<PartOutcome | null> => {
  const endedRequests = new Set(ended.map(({ requestIndex }) => requestIndex));
  const [read, stored, triggered] = [byRequest(events), byRequest(recorded), byRequest(messages)];
  return requests.map((sent, request) => {
    if (endedRequests.has(request)) return null;
    const end = ends[request] ?? Infinity;
    const own = read.get(request) ?? [];
    const accepted = stored.get(request) ?? [];
    const wrong = own.filter((event) => event.problem !== null && !known.has(event));
    const rejected = [
      ...sent.events.flatMap((reading, index) =>
        "reasons" in reading && index < end ? [{ index, reasons: reading.reasons }] : [],
      ),
      ...wrong.flatMap(({ index, problem }) => (problem === null ? [] : [{ index, reasons: [problem] }])),
    ];
    return {
      accepted,
      duplicates: own.length - accepted.length - wrong.length,
      rejected: rejected.sort((one, other) => one.index - other.index),
      messages: (triggered.get(request) ?? []).map(({ message }) => message),
      end,
    };
  });
};
