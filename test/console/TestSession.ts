import { Effect } from "effect";
import { type Ask, type Answer, asker } from "../TestWaypost.ts";

const cookieOf = (answer: Answer): string => (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";

/** A browser without a window: it sends one cookie, and the headers of a page of the server's own origin. */
export const sessionClient = (origin: string, cookie: string | null = null) => {
  const ask = asker(origin, null);
  return (path: string, { headers, ...rest }: Ask = {}) =>
    ask(path, {
      ...rest,
      headers: { ...(cookie === null ? {} : { cookie }), "sec-fetch-site": "same-origin", ...headers },
    });
};

/** Signs in, and gives the answer, the cookie and a client that sends it. */
export const signIn = (origin: string, body: object, headers: Ask["headers"] = {}) =>
  Effect.map(sessionClient(origin)("/console/session", { body, headers }), (answer) => {
    const cookie = cookieOf(answer);
    return { answer, cookie, ask: sessionClient(origin, cookie) };
  });
