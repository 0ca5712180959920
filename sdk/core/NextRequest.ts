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

/** The request for the first entries, in their order; null if there is nothing to send. */
export const nextRequest = (state: DeviceState, entries: ReadonlyArray<Entry>): NextRequest | null => {
  const { installation, isSingle, profile, token } = state;
  if (token === null)
    return {
      request: {
        method: "PUT",
        path: `/devices/${encodeURIComponent(installation)}`,
        token: null,
        body: { platform: "web", ...profile },
      },
      taken: 0,
    };
  const post = (path: string, body: unknown, taken = 1): NextRequest => ({
    request: { method: "POST", path, token, body },
    taken,
  });
  const limit = isSingle ? 1 : maxBatch;
  const [first] = entries;
  switch (first?.type) {
    case undefined:
      return null;
    case "event": {
      const batch = batchOf(entries, limit, isEvent);
      return post("/events", { events: batch.map(eventOf) }, batch.length);
    }
    case "position": {
      const batch = batchOf(entries, limit, isPosition);
      return post("/positions", { positions: batch.map(positionOf) }, batch.length);
    }
    case "opened":
    case "clicked":
      return post(`/messages/${first.message}/${first.type}`, { occurred_at: instant(first.at) });
    case "answers":
      return post(`/messages/${first.message}/answers`, { answers: first.answers });
    case "change":
      return { request: { method: "PATCH", path: "/devices/me", token, body: first.body }, taken: 1 };
  }
};
