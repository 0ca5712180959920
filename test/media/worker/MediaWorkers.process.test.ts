import { assert, it } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { TestClock } from "effect/testing";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { vi } from "vitest";
import {
  type WorkerLimits,
  MediaWorkerLimits,
  MediaWorkers,
} from "../../../src/media/worker/MediaWorkers.ts";
import { MediaWorkerProgram } from "../../../src/media/worker/MediaWorkerProcess.ts";

const limits: WorkerLimits = {
  jobMillis: 20_000,
  idleMillis: 10_000,
  maxRunning: 2,
  maxRunningOfOwner: 2,
  maxWaiting: 32,
  maxWaitingOfOwner: 32,
};
/** A workspace. */
const owner = 1;

/** Workers that fail in this way: see HostileMediaWorker.ts. */
const hostile = (failure: string, more: Partial<WorkerLimits> = {}) =>
  MediaWorkers.layer.pipe(
    Layer.provide(
      Layer.succeed(MediaWorkerProgram, {
        command: process.execPath,
        parameters: [fileURLToPath(new URL("HostileMediaWorker.ts", import.meta.url)), failure],
      }),
    ),
    Layer.provide(Layer.succeed(MediaWorkerLimits, { ...limits, ...more })),
  );

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-media-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true })),
);

const fileOf = (content: Uint8Array) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "file");
    yield* Effect.promise(() => writeFile(path, content));
    return path;
  });

const picture = Effect.promise(() =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: "teal" } })
    .png()
    .toBuffer(),
);

/** Waits in real time until the condition is true. */
const until = (condition: Effect.Effect<boolean>) =>
  Effect.promise(() =>
    vi.waitFor(
      async () => {
        if (!(await Effect.runPromise(condition))) throw new Error("It is not true yet");
      },
      { timeout: 100_000, interval: 20 },
    ),
  );

it.effect("a media worker inspects a file", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaWorkers;
    assert.deepStrictEqual(yield* inspect(owner, yield* fileOf(yield* picture)), {
      kind: "image",
      mimeType: "image/png",
      extension: "png",
      width: 30,
      height: 20,
      durationSeconds: null,
    });
    const refused = yield* Effect.flip(inspect(owner, yield* fileOf(Buffer.from("%PDF-1.7 and so on"))));
    assert.match(refused.message, /a PDF document, which is not accepted\. Send a JPEG, PNG/);
  }).pipe(Effect.provide(MediaWorkers.layer)),
);

/** The accounts and priorities of the media workers of this process. */
const accounts = Effect.promise(async () => {
  const found: Array<{ readonly account: string; readonly priority: number }> = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const status = await read("status");
    if (!status.includes(`\nPPid:\t${process.pid}\n`)) continue;
    if (!(await read("cmdline")).includes("media-worker")) continue;
    const account = /^Uid:\t(.*)$/m.exec(status)?.[1] ?? "";
    found.push({ account, priority: getPriority(Number(pid)) });
  }
  return found;
});

it.effect(
  "a media worker has no root and a low priority, and reads what only root can (running.neighbours)",
  () =>
    Effect.gen(function* () {
      const { inspect } = yield* MediaWorkers;
      const path = yield* fileOf(yield* picture);
      yield* Effect.promise(() => chmod(path, 0o600));
      assert.strictEqual((yield* inspect(owner, path)).width, 30);
      const own = process.geteuid?.() ?? 0;
      const account = own === 0 ? 65_533 : own;
      const priority = Math.min(19, getPriority(process.pid) + 10);
      const all = `${account}\t${account}\t${account}\t${account}`;
      assert.deepStrictEqual(yield* accounts, [{ account: all, priority }]);
    }).pipe(Effect.provide(MediaWorkers.layer)),
);

it.effect("a missing file makes the media workers unavailable, not the file refused", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaWorkers;
    const error = yield* Effect.flip(inspect(owner, "/no/such/file"));
    assert.strictEqual(error._tag, "MediaWorkersUnavailable");
    assert.match(error.message, /ENOENT/);
  }).pipe(Effect.provide(MediaWorkers.layer)),
);

it.effect("many files are inspected by two media workers, which stop when they are idle", () =>
  Effect.gen(function* () {
    const { inspect, running } = yield* MediaWorkers;
    const path = yield* fileOf(yield* picture);
    const all = yield* Effect.all(
      Array.from({ length: 20 }, () => inspect(owner, path)),
      { concurrency: "unbounded" },
    );
    assert.strictEqual(all.length, 20);
    assert.isAtMost(yield* running, 2);
    yield* until(Effect.map(running, (count) => count === 0));
    assert.strictEqual((yield* inspect(owner, path)).width, 30);
  }).pipe(
    Effect.provide(
      MediaWorkers.layer.pipe(Layer.provide(Layer.succeed(MediaWorkerLimits, { ...limits, idleMillis: 50 }))),
    ),
  ),
);

it.effect("a media worker that hangs is killed, its file refused, and the next file gets a new worker", () =>
  Effect.gen(function* () {
    const { inspect, running } = yield* MediaWorkers;
    for (let round = 0; round < 2; round += 1) {
      const refused = yield* Effect.flip(inspect(owner, import.meta.filename));
      assert.strictEqual(refused._tag, "MediaRefused");
      assert.match(refused.message, /too much time or memory/);
    }
    yield* until(Effect.map(running, (count) => count === 0));
  }).pipe(Effect.provide(hostile("hangs", { jobMillis: 1500 }))),
);

it.effect.each([
  ["dies", "MediaRefused", /is broken/],
  ["is killed", "MediaRefused", /is broken/],
  ["computes forever", "MediaRefused", /too much time or memory/],
  ["allocates forever", "MediaRefused", /too much time or memory/],
  ["uses too much CPU time", "MediaRefused", /too much time or memory/],
  ["uses too much memory", "MediaRefused", /too much time or memory/],
  ["never starts", "MediaWorkersUnavailable", /the media worker ended with/],
  ["is unable", "MediaWorkersUnavailable", /no such library/],
] as const)("a media worker that %s fails its job with %s", ([failure, tag, message]) =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaWorkers;
    const error = yield* Effect.flip(inspect(owner, import.meta.filename));
    assert.strictEqual(error._tag, tag);
    assert.match(error.message, message);
    // Only the watchdog ends a job in this time.
  }).pipe(Effect.provide(hostile(failure, { jobMillis: 3_600_000 }))),
);

it.effect("a media worker whose program is missing makes the workers unavailable", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaWorkers;
    const error = yield* Effect.flip(inspect(owner, import.meta.filename));
    assert.strictEqual(error._tag, "MediaWorkersUnavailable");
    assert.strictEqual(
      error._tag === "MediaWorkersUnavailable" && error.apiError.error.code,
      "service_unavailable",
    );
  }).pipe(
    Effect.provide(
      MediaWorkers.layer.pipe(
        Layer.provide(Layer.succeed(MediaWorkerProgram, { command: "/no/such/program", parameters: [] })),
      ),
    ),
  ),
);

it.effect("a job fails at once when too many wait, and an interrupted job kills its worker", () =>
  Effect.gen(function* () {
    const { inspect, running } = yield* MediaWorkers;
    const working = yield* Effect.forkChild(inspect(owner, import.meta.filename));
    const waiting = yield* Effect.forkChild(inspect(owner, import.meta.filename));
    yield* until(Effect.map(running, (count) => count === 1));
    const rejected = yield* Effect.flip(inspect(owner, import.meta.filename));
    assert.match(rejected.message, /too many files are waiting/);
    yield* Fiber.interrupt(waiting);
    yield* Fiber.interrupt(working);
    yield* until(Effect.map(running, (count) => count === 0));
    // Workers do not use the test clock.
    yield* TestClock.adjust("1 day");
  }).pipe(Effect.provide(hostile("hangs", { maxRunning: 1, maxWaitingOfOwner: 1 }))),
);

it.effect("files of one workspace that hang do not delay the file of another workspace (H1.7)", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaWorkers;
    const large = yield* fileOf(Buffer.alloc(2000));
    const small = yield* fileOf(Buffer.alloc(10));
    const hanging = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(inspect(owner, large)));
    const decided = yield* Effect.flip(inspect(owner + 1, small));
    assert.match(decided.message, /no such library/);
    for (const fiber of hanging) assert.isUndefined(fiber.pollUnsafe());
    yield* Effect.forEach(hanging, Fiber.interrupt);
  }).pipe(Effect.provide(hostile("hangs on large files", { jobMillis: 600_000, maxRunningOfOwner: 1 }))),
);
