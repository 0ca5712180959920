/**
 * A running Waypost that the trials of this folder attack: its workspaces, and what a neighbour notices of it
 * meanwhile. Only a server on this machine: a trial sends what must never be sent to another one's.
 */
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { geoCampaign, newWorkspace, send, type ServiceWorkspace } from "../bench/ServiceApi.ts";

/** A server, and its operator key. */
export interface Target {
  readonly origin: string;
  readonly operatorKey: string;
}

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * The server of the arguments `ADDRESS OPERATOR_KEY`, or of WAYPOST_URL and WAYPOST_OPERATOR_KEY.
 * Refuses any address that is not of loopback.
 */
export const targetOf = ([address, key]: ReadonlyArray<string>): Target => {
  const origin = address ?? process.env["WAYPOST_URL"] ?? "";
  const operatorKey = key ?? process.env["WAYPOST_OPERATOR_KEY"] ?? "";
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol) || !loopback.has(url.hostname))
    throw new Error(`Give the address of a server on this machine, such as http://127.0.0.1:8080: ${origin}`);
  if (operatorKey === "") throw new Error("Give the operator key after the address.");
  return { origin: url.origin, operatorKey };
};

/** A device that reports events. */
export interface Device {
  readonly token: string;
}

/** A workspace with one location, one campaign there with a message, and helpers. */
export interface Tenant extends ServiceWorkspace {
  readonly location: string;
  readonly campaign: string;
  readonly notification: string;
  readonly newDevice: () => Promise<Device>;
  /** The response of an enter or exit that a device reports now. */
  readonly reports: (device: Device, type: "enter" | "exit") => Promise<Reply>;
  /** The response of the platform API. */
  readonly asks: (method: string, path: string, body?: object) => Promise<Reply>;
}

/** The response to a request that may be refused, and how long it took. */
export interface Reply {
  readonly status: number;
  readonly millis: number;
  readonly body: unknown;
}

const reply = async (method: string, url: string, token: string, body?: object): Promise<Reply> => {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const since = performance.now();
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  const millis = performance.now() - since;
  return { status: response.status, millis, body: text.startsWith("{") ? JSON.parse(text) : text };
};

const abilities = ["campaigns:read", "campaigns:write", "notifications:read", "notifications:write"];

/** Makes a workspace without rate limits, whose Production has a location and a campaign. */
export const newTenant = async (
  { operatorKey, origin }: Target,
  more: ReadonlyArray<string> = [],
): Promise<Tenant> => {
  const all = [...abilities, "locations:read", "locations:write", ...more];
  const workspace = await Effect.runPromise(newWorkspace(origin, all, "production", operatorKey));
  const made = await Effect.runPromise(geoCampaign(workspace));
  const { device, platform, sdkKey, token } = workspace;
  return {
    ...workspace,
    ...made,
    newDevice: async () => {
      const address = `${device}/devices/${randomUUID()}`;
      const { device_token } = await send("PUT", address, sdkKey, { platform: "ios" });
      return { token: device_token };
    },
    reports: (from, type) => {
      const occurred_at = new Date().toISOString();
      const event = { id: randomUUID(), type, location_id: made.location, occurred_at };
      return reply("POST", `${device}/events`, from.token, { events: [event] });
    },
    asks: (method, path, body) => reply(method, platform + path, token, body),
  };
};

/** Schedules the deletion of the workspaces of a trial. */
export const removeTenants = async (
  { operatorKey }: Target,
  tenants: ReadonlyArray<Tenant>,
): Promise<void> => {
  for (const { operator } of tenants)
    await send("PATCH", operator, operatorKey, { deletion_scheduled: true });
};

/** How long the events of a neighbour took while something else ran, in milliseconds. */
export interface Noticed {
  readonly count: number;
  /** Responses that were not 200. */
  readonly failed: number;
  readonly p50: number;
  readonly p95: number;
  readonly longest: number;
}

const noticedIn = (replies: ReadonlyArray<Reply>): Noticed => {
  const millis = replies.map((each) => each.millis).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    millis[Math.min(millis.length - 1, Math.floor(millis.length * share))] ?? 0;
  return {
    count: replies.length,
    failed: replies.filter(({ status }) => status !== 200).length,
    p50: at(0.5),
    p95: at(0.95),
    longest: at(1),
  };
};

/** Reports events of a neighbour's device, one after the other, while an attack runs, 20 of them at least. */
export const whileAttacked = async <A>(
  neighbour: Tenant,
  device: Device,
  attack: () => Promise<A>,
): Promise<{ readonly result: A; readonly noticed: Noticed }> => {
  let isOver = false;
  const attacking = attack().finally(() => {
    isOver = true;
  });
  const replies: Array<Reply> = [];
  while (!isOver || replies.length < 20)
    replies.push(await neighbour.reports(device, replies.length % 2 === 0 ? "enter" : "exit"));
  return { result: await attacking, noticed: noticedIn(replies) };
};

/** Prints one line for each thing that a trial expects, with the outcome. */
export class Expectations {
  #missed = 0;

  /** Prints whether something is as expected. */
  expect(what: string, got: string, isMet: boolean): void {
    if (!isMet) this.#missed++;
    console.log(`${isMet ? "ok    " : "MISSED"}  ${what}: ${got}`);
  }

  /** The neighbour of an attack notices nothing: no failure, and no event that takes long. */
  expectCalm(during: string, { count, failed, longest, p50, p95 }: Noticed, bar: NoticedBar): void {
    this.expect(
      `${during}, a neighbour's events take at most ${bar.p95} ms (95 of 100) and ${bar.longest} ms`,
      `${count} events, median ${p50.toFixed(0)}, p95 ${p95.toFixed(0)}, ` +
        `longest ${longest.toFixed(0)} ms, ${failed} failed`,
      failed === 0 && p95 <= bar.p95 && longest <= bar.longest,
    );
  }

  /** Sets the exit code: 1 if anything was missed. */
  end(): void {
    console.log(this.#missed === 0 ? "\nAs expected." : `\n${this.#missed} missed.`);
    process.exitCode = this.#missed === 0 ? 0 : 1;
  }
}

/** The longest that events of a neighbour may take, in milliseconds. */
export interface NoticedBar {
  readonly p95: number;
  readonly longest: number;
}
