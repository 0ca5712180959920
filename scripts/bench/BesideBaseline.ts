import { Effect } from "effect";
import { deepStrictEqual } from "node:assert";
import { BenchWorld, type Served, stateLoad } from "./BenchWorld.ts";
import { getRequest, requestLoad } from "./RequestLoad.ts";

const connections = 64;

/**
 * Sends the same `GET` to Waypost and to PlatformBaseline.ts, alternately, after both have given the same
 * body, and states the figures. `queries` are different ones with the same answer.
 */
export const besideBaseline = Effect.fnUntraced(function* (
  waypost: Served,
  baseline: Served,
  url: string,
  token: string,
  perRound: number,
  id: string,
  bars: Parameters<typeof stateLoad>[4],
  queries: ReadonlyArray<string> = [""],
) {
  const headers = { authorization: `Bearer ${token}` };
  const side = ({ pid }: Served, address: string) => {
    const requests = queries.map((query) => getRequest(`${address}${query}`, headers));
    let sent = 0;
    const next = (): string => requests[sent++ % requests.length] ?? "";
    return {
      pid,
      answer: () => fetch(address, { headers }).then((response) => response.json() as unknown),
      load: (count: number) => requestLoad(address, connections, count, next, '{"data":'),
    };
  };
  const path = url.slice(url.lastIndexOf("/"));
  const [own, bare] = [side(waypost, url), side(baseline, `${baseline.origin}${path}`)];
  deepStrictEqual(yield* Effect.promise(own.answer), yield* Effect.promise(bare.answer));
  const rounds = yield* BenchWorld.compare(perRound, { bare, own });
  const what = `\`GET ${path}\` from ${connections} connections`;
  const about = queries.length === 1 ? what : `${what}, ${queries.length} different pages`;
  stateLoad(id, about, rounds.own, ["Fastify and pg", rounds.bare], bars);
});
