/**
 * Event loop, memory and health while hostile imports of 20 MiB arrive at once, of Waypost and of a server
 * that parses bodies on its event loop. The bar is a 99th percentile of 50 ms of the event loop's delay.
 */
import { Effect } from "effect";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { mebibytesOf } from "./BenchChild.ts";
import { BenchWorld, runBench } from "./BenchWorld.ts";
import { probed } from "./LoopProbe.ts";
import { collection as collectionOf, polygon } from "./Polygons.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { figure } from "./Rounds.ts";

const limitBytes = 20 * 1_048_576;

const collection = (list: string): Uint8Array => new TextEncoder().encode(collectionOf(list));

const repeated = (part: string): string =>
  `${part},`.repeat(Math.floor((limitBytes - 100) / (part.length + 1))).slice(0, -1);

const polygons = (isCrossing: boolean): string =>
  Array.from({ length: 90 }, (_, n) => polygon(n, 9900, isCrossing)).join(",");

const circles = (): string =>
  Array.from({ length: 10_000 }, (_, n) =>
    JSON.stringify({
      type: "Feature",
      geometry: { type: "Point", coordinates: [n / 100, n / 200] },
      properties: { name: `Store ${n}`, external_id: n, radius: 100, group: `Region ${n % 50}` },
    }),
  ).join(",");

interface Hostile {
  readonly name: string;
  /** The number of imports at once. */
  readonly count: number;
  readonly body: () => Uint8Array;
}

const bodies: ReadonlyArray<Hostile> = [
  { name: "empty features", count: 10, body: () => collection(repeated("{}")) },
  { name: "empty arrays", count: 10, body: () => collection(repeated("[]")) },
  { name: "one ring of a million positions", count: 10, body: () => collection(ringOf(limitBytes)) },
  { name: "90 polygons of 9,900 positions", count: 2, body: () => collection(polygons(false)) },
  { name: "90 polygons that cross themselves", count: 2, body: () => collection(polygons(true)) },
  { name: "10,000 circles", count: 2, body: () => collection(circles()) },
  {
    name: "10,000 features that fail",
    count: 10,
    body: () => collection(Array(10_000).fill("{}").join(",")),
  },
];

const ringOf = (bytes: number): string => {
  const position = "[4.1234567,52.12345],";
  const ring = position.repeat(Math.floor((bytes - 300) / position.length)) + position.slice(0, -1);
  const geometry = `{"type":"Polygon","coordinates":[[${ring}]]}`;
  return `{"type":"Feature","properties":{"name":"Area"},"geometry":${geometry}}`;
};

const parsing = "a server that parses on its event loop";

interface Side {
  readonly pid: number;
  readonly probe: string;
  readonly health: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const measure = async (side: Side, body: Uint8Array, count: number) => {
  await probed(side.pid, side.probe);
  let isDone = false;
  let maxHealth = 0;
  const health = async (): Promise<void> => {
    while (!isDone) {
      const began = performance.now();
      await (await fetch(side.health)).text();
      maxHealth = Math.max(maxHealth, performance.now() - began);
      await pause(10);
    }
  };
  const watching = health();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(side.url, { method: "POST", headers: side.headers, body: body as never });
      await response.arrayBuffer();
    }),
  );
  isDone = true;
  await watching;
  const { p99 } = await probed(side.pid, side.probe);
  return { p99, maxHealth };
};

const bench = Effect.gen(function* () {
  const { folder } = yield* BenchWorld;
  const [ownProbe, otherProbe] = [join(folder, "waypost.probe"), join(folder, "baseline.probe")];
  const served = yield* BenchWorld.waypost({ LOOP_PROBE: ownProbe }, "waypost", "LoopProbe.ts");
  const settings = { LOOP_PROBE: otherProbe };
  const { origin, pid } = yield* BenchWorld.program("ImportsBaseline.ts", [], settings, "LoopProbe.ts");
  const { platform, token } = yield* newWorkspace(served.origin, ["locations:write"], "sandbox");
  const baseline: Side = { pid, probe: otherProbe, health: origin, url: origin, headers: {} };
  const waypost: Side = {
    pid: served.pid,
    probe: ownProbe,
    health: `${served.origin}/health/live`,
    url: `${platform}/locations/import`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/geo+json" },
  };

  const only = process.env["BENCH_BODY"];
  const health: Array<readonly [own: number, other: number]> = [];
  for (const { body, count, name } of bodies) {
    if (only !== undefined && !name.includes(only)) continue;
    const bytes = body();
    const what = `${count} imports at once: ${name}`;
    const other = yield* Effect.promise(() => measure(baseline, bytes, count));
    const own = yield* Effect.promise(() => measure(waypost, bytes, count));
    figure(name.replaceAll(/[ ,]+/g, "-"), `p99 of the event loop's delay, ${what}`, "ms", own.p99, {
      beside: [parsing, other.p99],
      valueAtMost: 50,
    });
    health.push([own.maxHealth, other.maxHealth]);
  }
  figure(
    "health",
    "the longest `GET /health/live` beside them",
    "ms",
    Math.max(...health.map(([own]) => own)),
    {
      beside: [parsing, Math.max(...health.map(([, other]) => other))],
    },
  );
  const peak = ({ pid }: Side) => mebibytesOf(pid, "VmHWM");
  const beside = [parsing, peak(baseline)] as const;
  figure("memory", "memory of the process at its peak", "MiB", peak(waypost), { beside });
});

runBench(bench);
