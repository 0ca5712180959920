import { randomUUID } from "node:crypto";
import { postHead } from "./RequestLoad.ts";

/**
 * Requests that report visits: a device enters, and leaves again about two thousand requests later. Few
 * locations have most of them.
 */
export const visitRequests = (
  url: string,
  tokens: ReadonlyArray<string>,
  locations: ReadonlyArray<string>,
): (() => string) => {
  const body = (type: "enter" | "exit", location: string) => {
    const event = { id: randomUUID(), location_id: location, occurred_at: new Date().toISOString(), type };
    return JSON.stringify({ events: [event] });
  };
  const { length } = body("enter", randomUUID());
  const heads = tokens.map((token) => postHead(url, { authorization: `Bearer ${token}` }, length));
  const inside: Array<readonly [head: string, location: string]> = [];
  const pick = <A>(list: ReadonlyArray<A>, share: number) => list[Math.floor(share * list.length)];
  return () => {
    const left = inside.length > 1000 && Math.random() < 0.5 ? inside.shift() : undefined;
    if (left !== undefined) return `${left[0]}${body("exit", left[1])} `;
    const head = pick(heads, Math.random()) ?? "";
    const location = pick(locations, Math.random() * Math.random()) ?? "";
    inside.push([head, location]);
    return head + body("enter", location);
  };
};
