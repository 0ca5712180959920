import { assert, it } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { TestClock } from "effect/testing";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { vi } from "vitest";
import {
  type WorkerLimits,
  MediaWorkerLimits,
  MediaWorkers,
} from "../../../src/media/worker/MediaWorkers.ts";
import { MediaWorkerProgram } from "../../../src/media/worker/MediaWorkerProgram.ts";
import { MediaInspector } from "../../../src/media/worker/MediaInspector.ts";

const real = MediaInspector.layer.pipe(Layer.provideMerge(MediaWorkers.layer));

const limits: WorkerLimits = { jobMillis: 20_000, idleMillis: 10_000, children: 2, waiting: 32 };

/** Children that do not do as they are told; see HostileMediaChild.ts. */
const hostile = (how: string, more: Partial<WorkerLimits> = {}) =>
  real.pipe(
    Layer.provide(
      Layer.succeed(MediaWorkerProgram, {
        command: process.execPath,
        parameters: [fileURLToPath(new URL("HostileMediaWorker.ts", import.meta.url)), how],
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

/** Until something holds, by a real clock. */
const until = (holds: Effect.Effect<boolean>) =>
  Effect.promise(() =>
    vi.waitFor(
      async () => {
        if (!(await Effect.runPromise(holds))) throw new Error("It does not hold yet");
      },
      { timeout: 100_000, interval: 20 },
    ),
  );

it.effect("says what a file is, in a child process", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    assert.deepStrictEqual(yield* inspect(yield* fileOf(yield* picture)), {
      kind: "image",
      mimeType: "image/png",
      extension: "png",
      width: 30,
      height: 20,
      durationSeconds: null,
    });
    const refused = yield* Effect.flip(inspect(yield* fileOf(Buffer.from("%PDF-1.7 and so on"))));
    assert.match(refused.message, /a PDF document, which is not accepted\. Send a JPEG, PNG/);
  }).pipe(Effect.provide(real)),
);

/** The accounts of the children that look into files for this process. */
const accounts = Effect.promise(async () => {
  const found: Array<string> = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const status = await read("status");
    if (!status.includes(`\nPPid:\t${process.pid}\n`)) continue;
    if (!(await read("cmdline")).includes("media-worker")) continue;
    found.push(/^Uid:\t(.*)$/m.exec(status)?.[1] ?? "");
  }
  return found;
});

it.effect("has no root in a child, wherever Waypost itself has it, and reads what only root may read", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const path = yield* fileOf(yield* picture);
    yield* Effect.promise(() => chmod(path, 0o600));
    assert.strictEqual((yield* inspect(path)).width, 30);
    const own = process.geteuid?.() ?? 0;
    const account = own === 0 ? 65_533 : own;
    assert.deepStrictEqual(yield* accounts, [`${account}\t${account}\t${account}\t${account}`]);
  }).pipe(Effect.provide(real)),
);

it.effect("says of a file that is not there that this machine is to blame", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const error = yield* Effect.flip(inspect("/no/such/file"));
    assert.strictEqual(error._tag, "MediaReaderAway");
    assert.match(error.message, /ENOENT/);
  }).pipe(Effect.provide(real)),
);

it.effect("looks into many files at once with few children, and keeps none that has nothing to do", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const { running } = yield* MediaWorkers;
    const path = yield* fileOf(yield* picture);
    const all = yield* Effect.all(
      Array.from({ length: 20 }, () => inspect(path)),
      { concurrency: "unbounded" },
    );
    assert.strictEqual(all.length, 20);
    assert.isAtMost(yield* running, 2);
    yield* until(Effect.map(running, (count) => count === 0));
    assert.strictEqual((yield* inspect(path)).width, 30);
  }).pipe(
    Effect.provide(real.pipe(Layer.provide(Layer.succeed(MediaWorkerLimits, { ...limits, idleMillis: 50 })))),
  ),
);

it.effect("kills a child that hangs, says so at the file, and goes on with a new one", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const { running } = yield* MediaWorkers;
    for (let round = 0; round < 2; round += 1) {
      const refused = yield* Effect.flip(inspect(import.meta.filename));
      assert.strictEqual(refused._tag, "MediaRefused");
      assert.match(refused.message, /too much time or memory/);
    }
    yield* until(Effect.map(running, (count) => count === 0));
  }).pipe(Effect.provide(hostile("hangs", { jobMillis: 1500 }))),
);

it.effect.each([
  ["dies", "MediaRefused", /is broken/],
  ["is killed", "MediaRefused", /is broken/],
  ["eats", "MediaRefused", /too much time or memory/],
  ["never starts", "MediaReaderAway", /that does so ended with/],
  ["is unable", "MediaReaderAway", /no such library/],
] as const)("a child that %s is %s", ([how, tag, message]) =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const error = yield* Effect.flip(inspect(import.meta.filename));
    assert.strictEqual(error._tag, tag);
    assert.match(error.message, message);
  }).pipe(Effect.provide(hostile(how))),
);

it.effect("is away where the program cannot be started", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const error = yield* Effect.flip(inspect(import.meta.filename));
    assert.strictEqual(error._tag, "MediaReaderAway");
    assert.strictEqual(error._tag === "MediaReaderAway" && error.refusal.error.code, "service_unavailable");
  }).pipe(
    Effect.provide(
      real.pipe(
        Layer.provide(Layer.succeed(MediaWorkerProgram, { command: "/no/such/program", parameters: [] })),
      ),
    ),
  ),
);

it.effect("turns jobs away at once when too many wait, and kills the child of a job that is given up", () =>
  Effect.gen(function* () {
    const { inspect } = yield* MediaInspector;
    const { running } = yield* MediaWorkers;
    const working = yield* Effect.forkChild(inspect(import.meta.filename));
    const waiting = yield* Effect.forkChild(inspect(import.meta.filename));
    yield* until(Effect.map(running, (count) => count === 1));
    const away = yield* Effect.flip(inspect(import.meta.filename));
    assert.match(away.message, /too many files are waiting/);
    yield* Fiber.interrupt(waiting);
    yield* Fiber.interrupt(working);
    yield* until(Effect.map(running, (count) => count === 0));
    // A day of a test's time is no time for a child.
    yield* TestClock.adjust("1 day");
  }).pipe(Effect.provide(hostile("hangs", { children: 1, waiting: 1 }))),
);
