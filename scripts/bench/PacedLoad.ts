/** Asks at a modest, steady pace, as a service that is in use does, and tells how long the answers took. */
import { Agent, request } from "node:http";

/** What is asked over and over. */
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

/** Goes through the requests again and again, on so many connections with a pause of 10 ms, until `stop`; gives milliseconds, sorted. */
export const pacedLoad = async (
  requests: ReadonlyArray<PacedRequest>,
  connections: number,
  stop: () => boolean,
): Promise<ReadonlyArray<number>> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: Array<number> = [];
  await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      for (let turn = at; !stop(); turn++) {
        const next = requests[turn % requests.length];
        if (next !== undefined) times.push(await ask(agent, next));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }),
  );
  agent.destroy();
  return times.toSorted((a, b) => a - b);
};

/** The value that so large a part of the sorted values does not exceed. */
export const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
