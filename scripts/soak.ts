/**
 * A soak test: starts the service as a user does, finds its peak rate, and runs a mix of requests at a share
 * of that for `--minutes`. Every minute it prints memory, descriptors, connections, delays of the event loop,
 * rate and errors. The first third is warm-up. Exit code 1 when a bar is missed: memory and its trend,
 * delays, descriptors, connections, errors, sends that were not done.
 *
 *     node scripts/soak.ts --minutes 60 --share 0.7 --devices 500
 *
 * Only on Linux: it reads /proc.
 */
import { Effect } from "effect";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { started } from "./bench/BenchChild.ts";
import { runScript, temporaryFolder, waypostSettings } from "./bench/BenchWorld.ts";
import { type Probed, probed } from "./bench/LoopProbe.ts";
import { atRate } from "./bench/PacedLoad.ts";
import { send } from "./bench/ServiceApi.ts";
import { SoakLoad, type Tally } from "./soak/SoakLoad.ts";
import { minuteOf, type Sample, sample, trendOf } from "./soak/SoakSamples.ts";
import { planSend, soakWorld, type SoakWorld } from "./soak/SoakWorld.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    share: { type: "string", default: "0.7" },
    devices: { type: "string", default: "500" },
  },
});
const minutes = Number(values.minutes);
const connections = 32;
const peakSeconds = 30;
const sampleMillis = 5_000;

/** Limits of a run after its warm-up. */
const bars = {
  /** MiB a minute, of Node and of what PostgreSQL does not share. */
  memory: 0.2,
  /** Milliseconds, at the p99 of each minute. */
  loop: 50,
  /** More at the end than at the start. */
  descriptors: 5,
  connections: 2,
};

/** One minute of a run. */
interface Minute {
  readonly at: Sample;
  readonly probe: Probed;
  readonly tally: Tally;
}

/** The rate of the mix without pauses, after a warm-up of the same length. */
const peakRate = async (load: SoakLoad): Promise<number> => {
  let rate = 0;
  for (const phase of ["warm-up", "peak"]) {
    const end = performance.now() + peakSeconds * 1000;
    const isOver = (): boolean => performance.now() > end;
    await atRate(Number.POSITIVE_INFINITY, connections, isOver, load.step);
    const { errors, p50, p99, requests } = load.take();
    rate = requests / peakSeconds;
    console.log(
      `${phase}: ${rate.toFixed(0)} requests/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms` +
        (errors.size === 0 ? "" : `, errors: ${linesOf(errors)}`),
    );
  }
  return rate;
};

const linesOf = (errors: ReadonlyMap<string, number>): string =>
  [...errors].map(([what, count]) => `${count} × ${what}`).join("; ");

const header =
  "minute   node MiB  heap live/total/external   postgres MiB (own)   fd   conn   " +
  "loop p50/p99/max ms   req/s   p50/p99 ms   webhook events   errors";

const lineOf = (minute: number, { at, probe, tally }: Minute, webhookEvents: number): string => {
  const heap = [probe.heap.live, probe.heap.total, probe.heap.external]
    .map((each) => each.toFixed(1))
    .join("/");
  const loop = [probe.p50, probe.p99, probe.max].map((each) => each.toFixed(1)).join("/");
  return [
    String(minute).padStart(6),
    at.node.toFixed(1).padStart(8),
    heap.padStart(22),
    `${at.postgres.toFixed(1)} (${at.postgresOwn.toFixed(1)})`.padStart(18),
    String(at.descriptors).padStart(4),
    String(at.connections).padStart(4),
    loop.padStart(20),
    (tally.requests / 60).toFixed(0).padStart(6),
    `${tally.p50.toFixed(0)}/${tally.p99.toFixed(0)}`.padStart(10),
    String(webhookEvents).padStart(8),
    tally.errors.size === 0 ? "none" : linesOf(tally.errors),
  ].join("   ");
};

/** Sends whose minute has passed and that are not done. */
const unfinished = async ({ platform, token }: SoakWorld): Promise<number> => {
  type Send = { readonly status: string; readonly due_at: string };
  const data = await send<ReadonlyArray<Send>>("GET", `${platform}/sends?limit=100`, token);
  const passed = data.filter((each) => Date.parse(each.due_at) < Date.now() - 60_000);
  return passed.filter(({ status }) => status !== "done").length;
};

/** Prints the figures of a run against the bars. Returns whether all are met. */
const verdict = (run: ReadonlyArray<Minute>, open: number): boolean => {
  const after = run.slice(Math.ceil(run.length / 3));
  const series = (key: keyof Sample): ReadonlyArray<number> => after.map(({ at }) => at[key]);
  const slope = (name: string, of: ReadonlyArray<number>, bar?: number): boolean => {
    const { error, slope } = trendOf(of);
    const limit = bar === undefined ? "" : ` (bar: ${bar})`;
    console.log(`${name.padEnd(38)} ${slope.toFixed(3)} ± ${error.toFixed(3)} MiB a minute${limit}`);
    return bar === undefined || slope < bar;
  };
  const growth = (name: string, of: ReadonlyArray<number>, bar: number): boolean => {
    const more = trendOf(of).slope * (of.length - 1);
    console.log(`${name.padEnd(38)} ${more.toFixed(1)} more over ${of.length} minutes (bar: ${bar})`);
    return more <= bar;
  };
  const tails = after.map(({ probe }) => probe.p99).toSorted((a, b) => a - b);
  const worst = tails.at(-1) ?? Number.NaN;
  const errors = run.flatMap(({ tally }) => [...tally.errors.values()]).reduce((sum, each) => sum + each, 0);
  const requests = run.reduce((sum, { tally }) => sum + tally.requests, 0);
  console.log(`\nafter a warm-up of ${run.length - after.length} of ${run.length} minutes`);
  const met = [
    slope("memory of Node", series("node"), bars.memory),
    slope("memory of PostgreSQL, not shared", series("postgresOwn"), bars.memory),
    slope(
      "live heap of Node",
      after.map(({ probe }) => probe.heap.live),
    ),
    growth("descriptors", series("descriptors"), bars.descriptors),
    growth("database connections", series("connections"), bars.connections),
    worst < bars.loop,
    errors === 0,
    open === 0,
  ];
  const middle = tails[Math.floor(tails.length / 2)] ?? Number.NaN;
  const over = tails.filter((each) => each >= bars.loop).length;
  console.log(
    `event loop, p99 of a minute              median ${middle.toFixed(1)} ms, ` +
      `worst ${worst.toFixed(1)} ms, ${over} minutes over the bar (${bars.loop} ms)`,
  );
  console.log(`requests ${requests}, errors ${errors}, sends that were not done ${open}`);
  return !met.includes(false);
};

const soak = Effect.gen(function* () {
  const folder = yield* temporaryFolder("soak");
  const probeFile = join(folder, "probe");
  const pathOf = (file: string): string => new URL(file, import.meta.url).pathname;
  const receiver = yield* started([pathOf("bench/WebhookReceiver.ts")], {}, join(folder, "receiver.log"));
  const { origin, pid } = yield* started(
    ["--import", new URL("bench/LoopProbe.ts", import.meta.url).href, pathOf("../bin/waypost.js"), "serve"],
    { ...waypostSettings(join(folder, "data")), LOOP_PROBE: probeFile, WAYPOST_LOG_LEVEL: "warn" },
    join(folder, "waypost.log"),
  );
  const world = yield* soakWorld(origin, receiver.origin, Number(values.devices));
  const load = new SoakLoad(world, connections);
  const rate = (yield* Effect.promise(() => peakRate(load))) * Number(values.share);
  console.log(`${minutes} minutes at ${rate.toFixed(0)} pieces of work a second\n\n${header}`);

  const run: Array<Minute> = [];
  let isOver = false;
  const loaded = atRate(rate, connections, () => isOver, load.step);
  const webhookEvents = async (): Promise<number> =>
    ((await (await fetch(receiver.origin)).json()) as { readonly events: number }).events;
  yield* Effect.promise(async () => {
    await probed(pid, probeFile);
    await webhookEvents();
    load.take();
    for (let minute = 1; minute <= minutes; minute++) {
      const side = [load.attempt("send", () => planSend(world)), load.readCsv()];
      const samples: Array<Sample> = [];
      const end = performance.now() + 60_000;
      while (performance.now() < end) {
        samples.push(sample(pid));
        await pause(Math.min(sampleMillis, Math.max(1, end - performance.now())));
      }
      await Promise.all(side);
      const each = { at: minuteOf(samples), probe: await probed(pid, probeFile), tally: load.take() };
      run.push(each);
      console.log(lineOf(minute, each, await webhookEvents()));
    }
    isOver = true;
    await loaded;
  });
  const open = yield* Effect.promise(() => unfinished(world));
  load.end();
  if (!verdict(run, open)) process.exitCode = 1;
});

runScript(soak);
