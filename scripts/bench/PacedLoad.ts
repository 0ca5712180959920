/** Sends requests at a modest, steady pace, as a service in use gets them, and measures their durations. */
import { Agent, request } from "node:http";

/** A request that is repeated. */
export interface PacedRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response; its body only if that is JSON. */
export interface PacedResponse {
  readonly status: number;
  readonly text: string;
  readonly millis: number;
}

/** Sends a request and reads the whole response. Fails when the connection breaks. */
export const exchange = (agent: Agent, each: PacedRequest): Promise<PacedResponse> =>
  new Promise((resolve, reject) => {
    const { body = "", method, token, url } = each;
    const began = performance.now();
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === "" ? {} : { "content-type": "application/json", "content-length": body.length }),
      ...each.headers,
    };
    const sent = request(url, { agent, method, headers }, (answer) => {
      let text = "";
      const isJson = answer.headers["content-type"]?.includes("json") === true;
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        if (isJson) text += chunk;
      });
      answer.once("error", reject);
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, text, millis: performance.now() - began }),
      );
    });
    sent.once("error", (error: NodeJS.ErrnoException) => {
      // The server has closed an idle connection at the same moment.
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(exchange(agent, each));
      else reject(error);
    });
    sent.end(body);
  });

const ask = async (agent: Agent, each: PacedRequest): Promise<number> => {
  const { millis, status } = await exchange(agent, each);
  if (status !== 200) throw new Error(`${each.method} ${each.url} is answered ${status}`);
  return millis;
};

/**
 * Repeats requests on each connection with a pause of 10 ms, until `stop`. Returns their durations in
 * milliseconds, sorted.
 */
export const pacedLoad = async (
  requests: ReadonlyArray<PacedRequest>,
  connections: number,
  stop: () => boolean,
): Promise<ReadonlyArray<number>> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: Array<number> = [];
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let count = connection; !stop(); count++) {
        const next = requests[count % requests.length];
        if (next !== undefined) times.push(await ask(agent, next));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }),
  );
  agent.destroy();
  return times.toSorted((a, b) => a - b);
};

/**
 * Does work at a rate over so many concurrent fibers until `stop`. A rate of Infinity is as fast as possible.
 * After a pause of more than a second the missed work is dropped, so that a stall causes no surge.
 */
export const atRate = async (
  perSecond: number,
  concurrency: number,
  stop: () => boolean,
  work: () => Promise<void>,
): Promise<void> => {
  let began = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (!stop()) {
        const ahead = began + (count++ / perSecond) * 1000 - performance.now();
        if (ahead < -1000) began -= ahead;
        if (ahead > 1) await new Promise((resolve) => setTimeout(resolve, ahead));
        await work();
      }
    }),
  );
};

/** The quantile of sorted values; `part` from 0 to 1. */
export const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
