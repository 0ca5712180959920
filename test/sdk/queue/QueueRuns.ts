import { assert, vi } from "@effect/vitest";
import { newDevice } from "../../../sdk/core/DeviceState.ts";
import type { Entry } from "../../../sdk/core/Entry.ts";
import { DeviceStore } from "../../../sdk/device/DeviceStore.ts";
import { sendQueue } from "../../../sdk/device/Sender.ts";
import { sendFirst } from "../../../sdk/worker/FirstEntries.ts";
import { BrowserWorld, type Tab } from "./BrowserWorld.ts";
import { Dice } from "../../sending/Dice.ts";

const settings = { url: "https://waypost.example", sdkKey: "wpk_key" };
const begin = 1_796_000_000_000;
const hour = 3_600_000;

/** Entries of all types, each with a number of its own. */
const entryOf = (number: number, at: number): Entry => {
  const message = `message-${number}`;
  switch (number % 7) {
    case 0:
      return { type: "position", latitude: number / 1_000, longitude: 4.9, accuracy: 10, at };
    case 1:
      return { type: "opened", message, at };
    case 2:
      return { type: "answers", message, answers: [] };
    case 3:
      return { type: "change", body: { attributes: { [`a${number}`]: number } } };
    default:
      return { type: "event", id: `event-${number}`, name: "step", properties: {}, at };
  }
};

/** The name of an entry in the ledger. */
const nameOf = (entry: Entry): string => {
  switch (entry.type) {
    case "event":
      return entry.id;
    case "position":
      return String(entry.latitude);
    case "change":
      return JSON.stringify(entry.body);
    default:
      return `${entry.message} ${entry.type}`;
  }
};

/** The names of what a request carries. */
const namesIn = (path: string, body: any): ReadonlyArray<string> => {
  if (path === "/events") return body.events.map(({ id }: { readonly id: string }) => id);
  if (path === "/positions")
    return body.positions.map(({ latitude }: { readonly latitude: number }) => String(latitude));
  const [, , message, action] = path.split("/");
  return [path === "/devices/me" ? JSON.stringify(body) : `${message} ${action}`];
};

/** A server that keeps a ledger of what arrived first, and answers as `chance` says. */
const ledgerServer = (chance: () => number) => {
  const ledger = new Set<string>();
  const registered = new Map<string, string>();
  const receive = (method: string, path: string, token: string, body: unknown) => {
    if (method === "PUT") {
      if (registered.has(path)) return { status: 403, body: { error: { code: "device_token_required" } } };
      const issued = `wpd_${registered.size}`;
      registered.set(path, issued);
      return { status: 201, body: { data: { device_token: issued } } };
    }
    if (![...registered.values()].includes(token)) return { status: 401, body: null };
    const all = namesIn(path, body);
    // A request works one entry at least.
    const names = all.slice(0, chance() < 0.2 ? Math.ceil(chance() * all.length) : all.length);
    for (const name of names) ledger.add(name);
    const rejected = path === "/events" && chance() < 0.1 ? [{ index: 0, reasons: ["unknown"] }] : [];
    const later = all.slice(names.length).map((_, index) => names.length + index);
    return { status: 200, body: { data: { rejected, ...(later.length > 0 && { later }) } } };
  };
  return { ledger, receive, endTokens: () => registered.clear() };
};

/**
 * A seeded run: two tabs and a worker queue and send, are killed between any two steps, lose requests and
 * answers, get 5xx, 429 and ended tokens, and see the clock jump. Then all is well, and the ledger must have
 * every committed entry once, in order. Returns the number of entries and of kills.
 */
export const queueRun = async (seed: number) => {
  const chance = new Dice(seed).next;
  const world = new BrowserWorld();
  const server = ledgerServer(chance);
  const inFlight = new Set<Tab>();
  let now = begin;
  let isTroubled = true;
  let isOffline = false;
  let overlaps = 0;

  const exchange = (url: string, { body, headers, method }: any) => {
    const token = headers.authorization.slice("Bearer ".length);
    const path = url.slice(`${settings.url}/device/v1`.length);
    if (isOffline) return null;
    const luck = isTroubled ? chance() : 1;
    if (luck < 0.1) return null;
    if (luck < 0.2) return { status: 503, body: null, retryAfter: null };
    if (luck < 0.25) return { status: 429, body: null, retryAfter: "7200" };
    if (luck < 0.28) server.endTokens();
    const answer = server.receive(method, path, token, body === undefined ? null : JSON.parse(body));
    return luck < 0.4 ? null : { ...answer, retryAfter: null };
  };
  const fetch = async (url: string, options: object) => {
    const tab = world.tab();
    if ([...inFlight].some((each) => each.isAlive)) overlaps += 1;
    inFlight.add(tab);
    // A request of a tab that is killed meanwhile has arrived, or never will.
    const isEarly = chance() < 0.5;
    const early = isEarly ? exchange(url, options) : null;
    const answer = await world.later(() => {
      inFlight.delete(tab);
      return isEarly ? early : exchange(url, options);
    });
    if (answer === null) throw new TypeError("Failed to fetch");
    return {
      status: answer.status,
      headers: { get: () => answer.retryAfter },
      json: () => Promise.resolve(answer.body),
    };
  };
  vi.stubGlobal("indexedDB", world.indexedDB);
  vi.stubGlobal("navigator", { locks: world.locks });
  vi.stubGlobal("fetch", fetch);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now);
  const jitter = vi.spyOn(Math, "random").mockImplementation(new Dice(seed + 1).next);

  const stores = new Map<Tab, DeviceStore>();
  const open = (): Tab => {
    const tab = { isAlive: true };
    void world.run(tab, async () => {
      const store = await DeviceStore.open();
      await store.update("state", (before) => before ?? newDevice(`i-${seed}`, {}));
      await store.update("settings", () => settings);
      stores.set(tab, store);
    });
    return tab;
  };
  const tabs = [open(), open()];
  const failures: Array<unknown> = [];
  const inTab = (tab: Tab, code: (store: DeviceStore) => Promise<unknown>): void => {
    const store = stores.get(tab);
    if (store !== undefined)
      world.run(tab, () => code(store)).catch((error: unknown) => failures.push(error));
  };
  const send = (store: DeviceStore) => sendQueue(store, settings, () => {});

  let entries = 0;
  let kills = 0;
  for (let round = 0; round < 400; round += 1) {
    const choice = chance();
    const at = Math.floor(chance() * tabs.length);
    const tab = tabs[at] ?? open();
    if (choice < 0.12) {
      const entry = entryOf((entries += 1), now);
      inTab(tab, async (store) => {
        await store.append(entry);
        await send(store);
      });
    } else if (choice < 0.15) inTab(tab, sendFirst);
    else if (choice < 0.2) inTab(tab, send);
    else if (choice < 0.23) {
      await world.kill(tab);
      kills += 1;
      tabs[at] = open();
    } else if (choice < 0.25) isOffline = !isOffline;
    else if (choice < 0.28) now += Math.round((chance() - 0.4) * 48 * hour);
    else {
      now += 200;
      await world.step(chance());
    }
  }

  [isTroubled, isOffline] = [false, false];
  for (const tab of tabs) await world.kill(tab);
  const last = open();
  while (await world.step(chance()));
  let isEmpty = false;
  while (!isEmpty) {
    inTab(last, async (store) => {
      const nextAt = await send(store);
      isEmpty = nextAt === null;
      now = nextAt ?? now;
    });
    while (await world.step(chance()));
  }
  clock.mockRestore();
  jitter.mockRestore();
  vi.unstubAllGlobals();

  assert.isEmpty(failures);
  assert.strictEqual(overlaps, 0, "one tab at a time sends");
  const expected = [...world.committed].toSorted(([a], [b]) => Number(a) - Number(b));
  assert.deepStrictEqual(
    [...server.ledger],
    expected.map(([, entry]) => nameOf(entry as Entry)),
    `seed ${seed}`,
  );
  return { entries: expected.length, kills };
};
