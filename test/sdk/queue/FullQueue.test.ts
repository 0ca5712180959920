import { assert, describe, it, vi } from "@effect/vitest";
import { newDevice } from "../../../sdk/core/DeviceState.ts";
import { type Entry, maxEntries } from "../../../sdk/core/Entry.ts";
import { DeviceStore } from "../../../sdk/device/DeviceStore.ts";
import { start } from "../../../sdk/page/WaypostPage.ts";
import { BrowserWorld } from "./BrowserWorld.ts";

/** Runs code in a tab of a browser, and gives its result. */
const inBrowser = async <A>(code: () => Promise<A>): Promise<A> => {
  const world = new BrowserWorld();
  vi.stubGlobal("indexedDB", world.indexedDB);
  vi.stubGlobal("navigator", { language: "en", locks: world.locks });
  let isRunning = true;
  const result = world.run({ isAlive: true }, code).finally(() => (isRunning = false));
  result.catch(() => {});
  while (isRunning) await world.step(0);
  vi.unstubAllGlobals();
  return result;
};

const event = (number: number): Entry => ({
  type: "event",
  id: String(number),
  name: "step",
  properties: {},
  at: number,
});

describe("The queue of a browser", () => {
  it("a full queue of events drops a position that comes, and none of the events (BW4)", async () => {
    const position: Entry = { type: "position", latitude: 52.37, longitude: 4.9, accuracy: 10, at: 1 };
    const [dropped, first, later] = await inBrowser(async () => {
      const store = await DeviceStore.open();
      await store.update("state", () => newDevice("i-1", {}));
      for (let number = 0; number < maxEntries; number += 1) await store.append(event(number));
      const droppedFirst = await store.append(position);
      const [[, kept] = []] = await store.first(1);
      return [droppedFirst, kept, await store.append(event(maxEntries))] as const;
    });
    assert.deepStrictEqual([dropped, first, later], [position, event(0), event(0)]);
  });

  it("what has no JSON is refused at once, and holds nothing up (BW4)", async () => {
    const sent: Array<string> = [];
    vi.stubGlobal("BroadcastChannel", class extends EventTarget {});
    vi.stubGlobal("document", new EventTarget());
    vi.stubGlobal("addEventListener", () => {});
    const fetch = async (_: string, { body }: { readonly body: string }) => {
      sent.push(body);
      const data = { device_token: "wpd_token" };
      return { status: 200, headers: new Headers(), json: () => Promise.resolve({ data }) };
    };
    const refusals = await inBrowser(async () => {
      vi.stubGlobal("fetch", fetch);
      const begin = (attributes: Readonly<Record<string, unknown>>) =>
        start({ url: "https://waypost.example", sdkKey: "wpk_key", attributes });
      const round: Record<string, unknown> = {};
      round["round"] = round;
      const outcomes: Array<unknown> = [await begin(round).catch(String)];
      const device = await begin({ plan: "gold" });
      outcomes.push(await device.setAttributes({ visits: 1n }).catch(String));
      await device.track("basket.filled");
      await device.send();
      return outcomes;
    });
    for (const refusal of refusals) assert.match(String(refusal), /^TypeError/);
    assert.match(sent.join(), /"plan":"gold".*basket\.filled/);
  });
});
