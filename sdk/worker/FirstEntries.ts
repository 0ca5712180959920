import { requestOf } from "../core/NextRequest.ts";
import type { DeviceStore } from "../device/DeviceStore.ts";
import { alone, callServer } from "../device/Sender.ts";

/**
 * Sends the first entries of the queue while the server takes each. Events, positions and refusals stay for
 * the next page of the app, which knows how to go on: the worker is small.
 */
export const sendFirst = (store: DeviceStore): Promise<void> =>
  alone(async () => {
    for (;;) {
      const [state, settings] = await Promise.all([store.get("state"), store.get("settings")]);
      const [[key, entry] = []] = await store.first(1);
      if (key === undefined || entry === undefined || settings === undefined) return;
      if (state === undefined || state.token === null || state.retryAt > Date.now()) return;
      if (entry.type === "event" || entry.type === "position") return;
      const { token, ...request } = requestOf(entry, state.token);
      const answer = await callServer(settings, { ...request, credential: token ?? "" });
      if (answer === null || answer.status >= 300) return;
      await store.settle([key], state, state);
    }
  });
