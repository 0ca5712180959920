/**
 * Long reads of one workspace, eight at a time, and the requests of another one beside them, for the bench
 * and the trial of neighbours.
 */
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { type PacedRequest, quantile } from "./PacedLoad.ts";
import { geoCampaign, registerDevices, type ServiceWorkspace } from "./ServiceApi.ts";

/** The abilities of the tokens of both. */
export const abilities = [
  "campaigns:read",
  "campaigns:write",
  "locations:read",
  "locations:write",
  "notifications:write",
  "segments:read",
  "segments:write",
  "devices:read",
  "reports:read",
];

/** Gives the next request. */
export type Next = () => PacedRequest;

/** The status and the duration of a request, whose response is read and thrown away. */
const answered = (agent: Agent, { body = "", headers, method, token, url }: PacedRequest) =>
  new Promise<{ readonly status: number; readonly millis: number }>((resolve, reject) => {
    const began = performance.now();
    const sent = request(
      url,
      {
        agent,
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      },
      (response) => {
        response.once("error", reject).resume();
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, millis: performance.now() - began }),
        );
      },
    );
    sent.once("error", reject).end(body);
  });

/** Repeats requests on so many connections with a pause until the time is over. */
const repeated = async (next: Next, connections: number, pause: number, millis: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ends = performance.now() + millis;
  const answers: Array<Awaited<ReturnType<typeof answered>>> = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < ends) {
        answers.push(await answered(agent, next()));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }),
  );
  agent.destroy();
  return answers;
};

/** The resources that long reads are about. */
export interface LongReadTargets {
  readonly device: string;
  readonly location: string;
  readonly segments: ReadonlyArray<string>;
}

/** The long reads, each different from the one before where it could be kept. */
export const longReads = (
  { platform, token }: ServiceWorkspace,
  { device, location, segments }: LongReadTargets,
): Readonly<Record<string, Next>> => {
  let count = 0;
  const get = (path: () => string): Next => {
    return () => ({ method: "GET", url: `${platform}${path()}`, token });
  };
  const post = (path: string, body: () => object): Next => {
    return () => ({ method: "POST", url: `${platform}${path}`, token, body: JSON.stringify(body()) });
  };
  const rule = () => ({
    match: "all",
    conditions: [{ attribute: "city", op: "contains", value: String(count++) }],
  });
  return {
    attributes: get(() => "/attributes"),
    counts: post("/segments/count", () => ({ rule: rule() })),
    estimates: post("/campaigns/estimate", () => ({
      type: "geo",
      location_ids: [location],
      segment_ids: [segments[count++ % segments.length]],
    })),
    search: get(() => `/devices?q=${count++}`),
    segments: get(() => `/segments?limit=${1 + (count++ % 20)}`),
    near: get(() => `/locations?near=52.5,5.${count++ % 10}&radius_meters=100000`),
    explain: get(() => `/devices/${device}/explain`),
    exports: get(() => "/devices?format=csv"),
    reports: get(() => "/reports/summary?start=2026-01-01&end=2026-12-31"),
  };
};

/** Reads, writes and events of the other workspace, one after another. */
export const neighbour = Effect.fnUntraced(function* (workspace: ServiceWorkspace) {
  const { device, platform, token } = workspace;
  const { location } = yield* geoCampaign(workspace);
  const phones = yield* registerDevices(workspace, 20);
  let count = 0;
  const event = () => {
    const occurred_at = new Date().toISOString();
    return { events: [{ id: randomUUID(), type: "enter", location_id: location, occurred_at }] };
  };
  return (): PacedRequest => {
    const n = count++;
    if (n % 3 === 0) return { method: "GET", url: `${platform}/campaigns`, token };
    if (n % 3 === 1) {
      const body = JSON.stringify({ name: `Store ${n}` });
      return { method: "PATCH", url: `${platform}/locations/${location}`, token, body };
    }
    const phone = phones[n % phones.length]?.device_token ?? "";
    return { method: "POST", url: `${device}/events`, token: phone, body: JSON.stringify(event()) };
  };
});

/** Milliseconds of the requests of the neighbour, and the long reads meanwhile. */
export interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly longReads: Awaited<ReturnType<typeof repeated>>;
}

/** Measures the neighbour's requests, with long reads beside them or without. */
export const measure = (next: Next, reads: Next | null, millis: number) =>
  Effect.promise(async (): Promise<Measured> => {
    const [responses, long] = await Promise.all([
      repeated(next, 4, 10, millis),
      reads === null ? [] : repeated(reads, 8, 20, millis),
    ]);
    const failed = responses.find(({ status }) => status !== 200);
    if (failed !== undefined) throw new Error(`A request of the neighbour got ${failed.status}`);
    const times = responses.map((each) => each.millis).toSorted((a, b) => a - b);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), longReads: long };
  });
