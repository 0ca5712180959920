/**
 * Event loop, memory and health while hostile imports of 20 MiB arrive at once, of Waypost and of a server
 * that parses bodies on its event loop. The bar is a 99th percentile of 50 ms of the event loop's delay.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect } from "effect";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { started } from "./BenchChild.ts";
import type { LoopDelays } from "./LoopProbe.ts";

const barMillis = 50;
const limitBytes = 20 * 1_048_576;
const mib = 1_048_576;

const collection = (list: string): Uint8Array =>
  new TextEncoder().encode(`{"type":"FeatureCollection","features":[${list}]}`);

const repeated = (part: string): string =>
  `${part},`.repeat(Math.floor((limitBytes - 100) / (part.length + 1))).slice(0, -1);

/** A polygon around a circle; one that crosses goes around more than once. */
const polygon = (name: number, positions: number, isCrossing: boolean): string => {
  const step = ((isCrossing ? 2.1 : 1) * 2 * Math.PI) / (positions - 1);
  const ring = Array.from({ length: positions - 1 }, (_, n) => [
    Number(Math.cos(n * step).toFixed(7)),
    Number(Math.sin(n * step).toFixed(7)),
  ]);
  return JSON.stringify({
    type: "Feature",
    geometry: { type: "Polygon", coordinates: [[...ring, ring[0]]] },
    properties: { name, external_id: name },
  });
};

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

/** A line of /proc/pid/status in MiB: the memory now (VmRSS) or at its peak (VmHWM). */
const memoryOf = (pid: number, line: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** The delays since the last call. */
const delaysOf = async ({ pid, probe }: Side): Promise<LoopDelays> => {
  rmSync(probe, { force: true });
  process.kill(pid, "SIGUSR2");
  for (;;) {
    await pause(50);
    try {
      return JSON.parse(readFileSync(probe, "utf8")) as LoopDelays;
    } catch {
      // Not written yet.
    }
  }
};

const measure = async (side: Side, body: Uint8Array, count: number) => {
  await delaysOf(side);
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
  const delays = await delaysOf(side);
  return { ...delays, seconds, maxHealth, statuses: [...new Set(statuses)].join("/") };
};

const bench = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
  // As root, the database runs under another account, which must be able to enter the folder.
  chmodSync(folder, 0o755);
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
  const probe = new URL("./LoopProbe.ts", import.meta.url).href;
  const environment = (name: string) => ({
    PATH: process.env["PATH"] ?? "",
    NODE_ENV: "production",
    LOOP_PROBE: join(folder, `${name}.probe`),
  });
  const data = join(folder, "data");
  const waypost = yield* started(
    ["--import", probe, new URL("../../src/main.ts", import.meta.url).pathname, "serve"],
    {
      ...environment("waypost"),
      PORT: "0",
      WAYPOST_PROCESSES: "1",
      WAYPOST_DATA_DIR: data,
      WAYPOST_LOG_FORMAT: "json",
    },
    join(folder, "waypost.log"),
  );
  const baseline = yield* started(
    ["--import", probe, new URL("./ImportsBaseline.ts", import.meta.url).pathname],
    environment("baseline"),
    join(folder, "baseline.log"),
  );

  const key = readFileSync(join(data, "operator.key"), "utf8").trim();
  const operator = (path: string, body: object) =>
    Effect.promise(async () => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const sent = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${waypost.origin}/operator/v1${path}`, sent);
      return ((await response.json()) as { readonly data: { readonly id: string; readonly token: string } })
        .data;
    });
  const plan = {
    sandbox_requests_per_minute: null,
    sandbox_writes_per_minute: null,
    sandbox_requests_per_day: null,
  };
  const { id } = yield* operator("/workspaces", { name: "Bench", plan });
  const { token } = yield* operator(`/workspaces/${id}/tokens`, {
    name: "Bench",
    environment: "sandbox",
    abilities: ["locations:write"],
  });
  const sides: ReadonlyArray<Side> = [
    {
      name: "event loop",
      pid: baseline.child.pid ?? 0,
      probe: join(folder, "baseline.probe"),
      health: baseline.origin,
      url: baseline.origin,
      headers: {},
    },
    {
      name: "Waypost",
      pid: waypost.child.pid ?? 0,
      probe: join(folder, "waypost.probe"),
      health: `${waypost.origin}/health/live`,
      url: `${waypost.origin}/sandbox/platform/v1/locations/import`,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/geo+json" },
    },
  ];

  let worst = 0;
  const only = process.env["BENCH_BODY"];
  const before = sides.map(({ pid }) => memoryOf(pid, "VmRSS"));
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
        `${memoryOf(pid, "VmHWM").toFixed(0)} at its peak, ` +
        `${memoryOf(pid, "VmRSS").toFixed(0)} after 15 s idle`,
    );
  }
  console.log(`\nWaypost's worst p99: ${worst.toFixed(1)} ms (bar: ${barMillis})`);
  if (worst > barMillis) process.exitCode = 1;
});

bench.pipe(Effect.scoped, NodeRuntime.runMain);
