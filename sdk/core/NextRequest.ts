import type { DeviceRequest, DeviceState } from "./DeviceState.ts";
import type { Entry } from "./Entry.ts";

/** The next request, and how many of the first entries it carries: none for a registration. */
export interface NextRequest {
  readonly request: DeviceRequest;
  readonly taken: number;
}

/** The server takes so many events or positions at once. */
const maxBatch = 100;

const instant = (millis: number): string => new Date(millis).toISOString();

type EventEntry = Entry & { readonly type: "event" };
type PositionEntry = Entry & { readonly type: "position" };

const eventOf = ({ at, id, name, properties }: EventEntry) => ({
  id,
  type: "custom",
  name,
  properties,
  occurred_at: instant(at),
});

const positionOf = ({ accuracy, at, latitude, longitude }: PositionEntry) => ({
  latitude,
  longitude,
  accuracy_meters: accuracy,
  recorded_at: instant(at),
});

/** The first entries of a type: as many as one request takes. */
const batchOf = <Batched extends Entry>(
  entries: ReadonlyArray<Entry>,
  limit: number,
  isBatched: (entry: Entry) => entry is Batched,
): ReadonlyArray<Batched> => {
  const end = entries.findIndex((entry) => !isBatched(entry));
  return entries.slice(0, end === -1 ? limit : Math.min(end, limit)).filter(isBatched);
};

const isEvent = (entry: Entry): entry is EventEntry => entry.type === "event";
const isPosition = (entry: Entry): entry is PositionEntry => entry.type === "position";

/** The request for an entry that shares none with others. */
export const requestOf = (
  entry: Exclude<Entry, EventEntry | PositionEntry>,
  token: string,
): DeviceRequest => {
  switch (entry.type) {
    case "answers":
      return {
        method: "POST",
        path: `/messages/${entry.message}/answers`,
        token,
        body: { answers: entry.answers },
      };
    case "change":
      return { method: "PATCH", path: "/devices/me", token, body: entry.body };
    default:
      return {
        method: "POST",
        path: `/messages/${entry.message}/${entry.type}`,
        token,
        body: { occurred_at: instant(entry.at) },
      };
  }
};

/** The request for the first entries, in their order; null if there is nothing to send. */
export const nextRequest = (state: DeviceState, entries: ReadonlyArray<Entry>): NextRequest | null => {
  const { installation, isSingle, profile, token } = state;
  if (token === null) {
    const path = `/devices/${encodeURIComponent(installation)}`;
    return { request: { method: "PUT", path, token: null, body: { platform: "web", ...profile } }, taken: 0 };
  }
  const limit = isSingle ? 1 : maxBatch;
  const [first] = entries;
  if (first === undefined) return null;
  if (first.type === "event") {
    const batch = batchOf(entries, limit, isEvent);
    const body = { events: batch.map(eventOf) };
    return { request: { method: "POST", path: "/events", token, body }, taken: batch.length };
  }
  if (first.type === "position") {
    const batch = batchOf(entries, limit, isPosition);
    const body = { positions: batch.map(positionOf) };
    return { request: { method: "POST", path: "/positions", token, body }, taken: batch.length };
  }
  return { request: requestOf(first, token), taken: 1 };
};
