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
import { atMost } from "./Rounds.ts";

const limitBytes = 20 * 1_048_576;
const mib = 1_048_576;

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

interface Side {
  readonly name: string;
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
  const began = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(side.url, { method: "POST", headers: side.headers, body: body as never });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  isDone = true;
  await watching;
  const delays = await probed(side.pid, side.probe);
  return { ...delays, seconds, maxHealth, statuses: [...new Set(statuses)].join("/") };
};

const bench = Effect.gen(function* () {
  const { folder } = yield* BenchWorld;
  const [ownProbe, otherProbe] = [join(folder, "waypost.probe"), join(folder, "baseline.probe")];
  const waypost = yield* BenchWorld.waypost({ LOOP_PROBE: ownProbe }, "waypost", "LoopProbe.ts");
  const settings = { LOOP_PROBE: otherProbe };
  const baseline = yield* BenchWorld.program("ImportsBaseline.ts", [], settings, "LoopProbe.ts");
  const { platform, token } = yield* newWorkspace(waypost.origin, ["locations:write"], "sandbox");
  const sides: ReadonlyArray<Side> = [
    {
      name: "event loop",
      pid: baseline.pid,
      probe: otherProbe,
      health: baseline.origin,
      url: baseline.origin,
      headers: {},
    },
    {
      name: "Waypost",
      pid: waypost.pid,
      probe: ownProbe,
      health: `${waypost.origin}/health/live`,
      url: `${platform}/locations/import`,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/geo+json" },
    },
  ];

  let worst = 0;
  const only = process.env["BENCH_BODY"];
  const before = sides.map(({ pid }) => mebibytesOf(pid, "VmRSS"));
  for (const { body, count, name } of bodies) {
    if (only !== undefined && !name.includes(only)) continue;
    const bytes = body();
    console.log(`\n${count} imports at once: ${name}, ${(bytes.length / mib).toFixed(1)} MiB each`);
    const results: Array<Awaited<ReturnType<typeof measure>>> = [];
    for (const side of sides) {
      const result = yield* Effect.promise(() => measure(side, bytes, count));
      results.push(result);
      if (side.name === "Waypost") worst = Math.max(worst, result.p99);
      const ms = (value: number): string => `${value.toFixed(0)} ms`.padStart(8);
      console.log(
        `${side.name.padEnd(11)} ${result.statuses} in ${result.seconds.toFixed(1)} s; ` +
          `loop p50${ms(result.p50)}, p99${ms(result.p99)}, max${ms(result.max)}; ` +
          `health at most${ms(result.maxHealth)}`,
      );
    }
    const [old, now] = results;
    console.log(`ratio of the maximum delay: ${((old?.max ?? 0) / Math.max(now?.max ?? 0, 0.1)).toFixed(0)}`);
  }
  yield* Effect.promise(() => pause(15_000));
  for (const [index, { name, pid }] of sides.entries()) {
    console.log(
      `${name.padEnd(11)} memory ${before[index]?.toFixed(0)} MiB before, ` +
        `${mebibytesOf(pid, "VmHWM").toFixed(0)} at its peak, ` +
        `${mebibytesOf(pid, "VmRSS").toFixed(0)} after 15 s idle`,
    );
  }
  console.log(`\nWaypost's worst p99: ${atMost(worst, 50, 1)} ms`);
});

runBench(bench);
