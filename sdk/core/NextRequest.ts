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

/** An event or a position, as the server takes several at once. */
const itemOf = ({ at, ...entry }: EventEntry | PositionEntry) => {
  if (entry.type === "event") return { ...entry, type: "custom", occurred_at: instant(at) };
  const { accuracy, latitude, longitude } = entry;
  return { latitude, longitude, accuracy_meters: accuracy, recorded_at: instant(at) };
};

/** The request for an entry that shares none with others. */
export const requestOf = (
  entry: Exclude<Entry, EventEntry | PositionEntry>,
  token: string,
): DeviceRequest => {
  if (entry.type === "change") return { method: "PATCH", path: "/devices/me", token, body: entry.body };
  const body = entry.type === "answers" ? { answers: entry.answers } : { occurred_at: instant(entry.at) };
  return { method: "POST", path: `/messages/${entry.message}/${entry.type}`, token, body };
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
  const { type } = first;
  if (type !== "event" && type !== "position") return { request: requestOf(first, token), taken: 1 };
  const end = entries.findIndex((entry) => entry.type !== type);
  const batch = entries.slice(0, end === -1 ? limit : Math.min(end, limit)) as ReadonlyArray<typeof first>;
  const path = `${type}s`;
  const request = { method: "POST", path: `/${path}`, token, body: { [path]: batch.map(itemOf) } } as const;
  return { request, taken: batch.length };
};
