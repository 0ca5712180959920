/** The requests of heavy work: many at a time, large, or read slowly. */
import { Effect } from "effect";
import { randomBytes, randomUUID } from "node:crypto";
import { Agent, get as httpGet } from "node:http";
import sharp from "sharp";
import type { Heavy } from "./Neighbour.ts";
import { exchange, type PacedRequest } from "./PacedLoad.ts";
import type { ServiceWorkspace } from "./ServiceApi.ts";

const answers = new Map<number, number>();

/** Counts an answer to heavy work by its status; 0 for none. */
export const noteAnswer = (status: number): void => {
  answers.set(status, (answers.get(status) ?? 0) + 1);
};

/** The counts since the last call, such as `200: 12, 429: 3`. */
export const takeAnswers = (): string => {
  const text = [...answers].toSorted(([a], [b]) => a - b).map((each) => each.join(": "));
  answers.clear();
  return text.join(", ");
};

/** Sends a request, and counts its answer. */
export const sendHeavy = (agent: Agent, request: PacedRequest): Promise<void> =>
  exchange(agent, request).then(
    ({ status }) => noteAnswer(status),
    () => noteAnswer(0),
  );

/** Sends requests, so many at a time, until the round ends. Many answers are refusals. */
export const repeated =
  (connections: number, next: () => PacedRequest, pause = 0): Heavy["work"] =>
  async (stop) => {
    const agent = new Agent({ keepAlive: true });
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (!stop()) {
          await sendHeavy(agent, next());
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
      }),
    );
    agent.destroy();
  };

/** A request with a body of JSON. */
export const post = (url: string, token: string, body: object): PacedRequest => ({
  method: "POST",
  url,
  token,
  body: JSON.stringify(body),
});

/** So many of something. */
export const several = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index));

/** The requests of devices with so many events each. */
export const reports = (
  { device }: ServiceWorkspace,
  tokens: ReadonlyArray<string>,
  events: number,
  event: object,
): (() => PacedRequest) => {
  let count = 0;
  return () =>
    post(`${device}/events`, tokens[count++ % tokens.length] ?? "", {
      events: several(events, () => ({ id: randomUUID(), occurred_at: new Date(), ...event })),
    });
};

/** Reads a file on a connection at about 20 kB/s, until the round ends. */
export const readSlowly = (url: string, token: string, stop: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const request = httpGet(url, { headers: { authorization: `Bearer ${token}` } }, (answer) => {
      noteAnswer(answer.statusCode ?? 0);
      const timer = setInterval(() => {
        answer.read(2_000);
        if (!stop()) return;
        clearInterval(timer);
        request.destroy();
        resolve();
      }, 100);
    });
    request.once("error", () => resolve());
  });

/** A JPEG of about 3 MB. */
export const photo = Effect.promise(() =>
  sharp(randomBytes(1_400 * 1_000 * 3), { raw: { width: 1_400, height: 1_000, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer(),
);
