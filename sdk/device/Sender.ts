import type { DeviceAnswer } from "../core/DeviceState.ts";
import { withInbox } from "../core/Inbox.ts";
import { nextRequest } from "../core/NextRequest.ts";
import { type Outcome, outcomeOf, pauseEnd } from "../core/Outcome.ts";
import type { DeviceSettings, DeviceStore } from "./DeviceStore.ts";

/** One request carries at most so many entries. */
const maxTaken = 100;

const timeoutMillis = 30_000;

/** A request to the device interface; null if the server could not be reached. */
export const callServer = async (
  { url }: DeviceSettings,
  request: {
    readonly method: string;
    readonly path: string;
    readonly credential: string;
    readonly body?: unknown;
  },
): Promise<DeviceAnswer | null> => {
  try {
    const response = await fetch(`${url}/device/v1${request.path}`, {
      method: request.method,
      headers: {
        authorization: `Bearer ${request.credential}`,
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: JSON.stringify(request.body),
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMillis),
    });
    const retryAfter = Number(response.headers.get("retry-after")) || null;
    const body = (await response.json().catch(() => null)) as DeviceAnswer["body"];
    return { status: response.status, retryAfter, body };
  } catch {
    return null;
  }
};

/** Reads from the server as the device; null if that fails. A token that ended is given up. */
export const readServer = async (
  store: DeviceStore,
  settings: DeviceSettings,
  path: string,
): Promise<DeviceAnswer["body"]> => {
  const credential = await store.token();
  if (credential === null) return null;
  const answer = await callServer(settings, { method: "GET", path, credential });
  if (answer?.status === 401)
    await store.update("state", (state) =>
      state?.token === credential ? { ...state, token: null } : undefined,
    );
  return answer?.status === 200 ? answer.body : null;
};

/** Runs alone, of what has the same name, among all tabs and the service worker of this browser. */
export const alone = <A>(run: () => Promise<A>, name = "waypost"): Promise<A> =>
  "locks" in navigator ? navigator.locks.request(name, run) : run();

/**
 * Sends the queue until nothing is left or an attempt has failed (contract BW4). Returns the time of the next
 * attempt in epoch milliseconds, null if nothing waits.
 */
export const sendQueue = (
  store: DeviceStore,
  settings: DeviceSettings,
  report: (dropped: Outcome["dropped"], messages: Outcome["messages"]) => void,
): Promise<number | null> =>
  alone(async () => {
    for (;;) {
      const state = await store.get("state");
      if (state === undefined) return null;
      const end = pauseEnd(state, Date.now());
      if (end !== null) return end;
      const waiting = await store.first(maxTaken);
      const entries = waiting.map(([, entry]) => entry);
      const next = nextRequest(state, entries);
      if (next === null) return null;
      const { taken } = next;
      const { token, ...request } = next.request;
      const answer = await callServer(settings, { ...request, credential: token ?? settings.sdkKey });
      const outcome = outcomeOf(state, entries.slice(0, taken), answer, {
        now: Date.now(),
        random: Math.random(),
        newId: crypto.randomUUID(),
      });
      const done = waiting.slice(0, outcome.done).map(([key]) => key);
      await store.settle(done, state, outcome.state);
      const { dropped, messages, more } = outcome;
      const inbox = more === true ? await readServer(store, settings, "/messages?limit=100") : null;
      report(dropped, withInbox(messages, (inbox?.data ?? []) as ReadonlyArray<unknown>));
    }
  });
