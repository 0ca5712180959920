/** Sends requests at a modest, steady pace, as a service in use gets them, and measures their durations. */
import { Agent, request } from "node:http";

/** A request that is repeated. */
export interface PacedRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: string;
}

const ask = (agent: Agent, { body = "", method, token, url }: PacedRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === "" ? {} : { "content-type": "application/json", "content-length": body.length }),
    };
    const sent = request(url, { agent, method, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${method} ${url} is answered ${answer.statusCode}`));
      answer.resume().once("end", () => resolve(performance.now() - began));
    });
    sent.once("error", reject).end(body);
  });

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

/** The quantile of sorted values; `part` from 0 to 1. */
export const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
