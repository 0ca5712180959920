/** Posts event after event, each of its own, from devices that take turns. */
import { randomUUID } from "node:crypto";
import { type Loaded, postHead, postLoad } from "./PostLoad.ts";

/** A device that posts. */
export interface Poster {
  readonly headers: Readonly<Record<string, string>>;
}

/** Posts `count` events, each of its own, from so many connections; each fires a message. */
export const eventLoad = (
  url: string,
  posters: ReadonlyArray<Poster>,
  event: { readonly location_id: string; readonly occurred_at: string },
  connections: number,
  count: number,
): Promise<Loaded> => {
  const start = '{"events":[{"id":"';
  const end = `","type":"enter","location_id":"${event.location_id}","occurred_at":"${event.occurred_at}"}]}`;
  const length = start.length + 36 + end.length;
  const heads = posters.map(({ headers }) => postHead(url, headers, length) + start);
  let turn = 0;
  const request = (): string => `${heads[turn++ % heads.length]}${randomUUID()}${end}`;
  return postLoad(url, connections, count, request, '"deliveries":[{"');
};
