import { assert, it } from "@effect/vitest";
import { Effect, Fiber, Layer, Metric } from "effect";
import { readdir, readlink } from "node:fs/promises";
import { DataDirectory } from "../../../src/database/DataDirectory.ts";
import { pageBytes, Spool, spooledBytes, SpoolPages } from "../../../src/http/files/Spool.ts";
import { SpooledFile } from "../../../src/http/files/SpooledFile.ts";
import { eventually } from "../../Eventually.ts";
import { testDirectory } from "../../TestWaypost.ts";

const spoolOf = (pages: number) =>
  Spool.layer.pipe(Layer.provideMerge(testDirectory), Layer.provide(Layer.succeed(SpoolPages, () => pages)));

/** The pages in use, by the metric. */
const pagesInUse = Effect.map(Metric.value(spooledBytes), ({ value }) => value / pageBytes);

const fileOf = (spool: Spool["Service"], workspaceId: number) => {
  let waits = 0;
  const file = new SpooledFile<never>(spool, workspaceId, () => void waits++);
  return { file, waits: () => waits };
};

/** A page of text that begins with a number. */
const page = (number: number): string => String(number).padEnd(pageBytes, "x");

const textOf = Effect.fnUntraced(function* (file: SpooledFile<never>) {
  const parts: Array<Uint8Array> = [];
  for (;;) {
    const part = yield* file.read;
    if (part === null) return Buffer.concat(parts).toString();
    assert.isAtMost(part.length, pageBytes);
    parts.push(part);
  }
});

it.effect(
  "a reader gets what was written, through memory and disk, in any order of steps (running.files)",
  () =>
    Effect.gen(function* () {
      const spool = yield* Spool;
      for (let seed = 1; seed <= 8; seed++) {
        const { file } = fileOf(spool, seed % 3);
        const pieces = Array.from({ length: 40 }, (_, index) =>
          `${index}é`.repeat(((index * seed * 7919) % 30_000) + 1),
        );
        const writing = Effect.gen(function* () {
          for (const [index, piece] of pieces.entries()) {
            yield* file.write(piece);
            for (let turn = 0; turn < (index * seed) % 5; turn++)
              yield* Effect.promise(() => Promise.resolve());
          }
          file.end(Effect.succeed(null));
        });
        const writer = yield* Effect.forkChild(writing, { startImmediately: true });
        assert.strictEqual(yield* textOf(file), pieces.join(""));
        yield* Fiber.join(writer);
        assert.strictEqual(yield* pagesInUse, 0);
      }
    }).pipe(Effect.provide(spoolOf(6))),
);

it.effect("a writer waits for its reader only without room, and a workspace leaves as much as it has", () =>
  Effect.gen(function* () {
    const spool = yield* Spool;
    const [first, second] = [fileOf(spool, 1), fileOf(spool, 2)];
    const write = (file: SpooledFile<never>) =>
      Effect.forkChild(
        Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (number) => file.write(page(number)), { discard: true }),
        { startImmediately: true },
      );
    const writer = yield* write(first.file);
    yield* eventually(Effect.sync(() => first.waits() > 0));
    assert.strictEqual(yield* pagesInUse, 4);
    const other = yield* write(second.file);
    yield* eventually(Effect.sync(() => second.waits() > 0));
    assert.strictEqual(yield* pagesInUse, 6);
    assert.isUndefined(writer.pollUnsafe());
    for (let number = 0; number < 8; number++) {
      const part = yield* first.file.read;
      assert.strictEqual(Buffer.from(part ?? "").toString("utf8", 0, 1), String(number));
    }
    yield* Fiber.join(writer);
    // The reader of the other file went away.
    yield* Fiber.interrupt(other);
    second.file.close();
    assert.strictEqual(yield* pagesInUse, 0);
  }).pipe(Effect.provide(spoolOf(8))),
);

it.effect("the spool has no name on the disk, and its space is free when nothing waits (running.files)", () =>
  Effect.gen(function* () {
    const spool = yield* Spool;
    const { path } = yield* DataDirectory;
    const openFiles = Effect.promise(async () => {
      const names = await readdir("/proc/self/fd").catch(() => []);
      const links = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
      return links.filter((link) => link.startsWith(path)).length;
    });
    const file = fileOf(spool, 1).file;
    yield* file.write(page(1) + page(2));
    assert.strictEqual(yield* openFiles, process.platform === "linux" ? 1 : 0);
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(path)), []);
    file.close();
    yield* eventually(Effect.map(openFiles, (count) => count === 0));
  }).pipe(Effect.provide(spoolOf(8))),
);

it.effect(
  "a disk that takes nothing makes the writer wait for its reader, and loses nothing (running.files)",
  () =>
    Effect.gen(function* () {
      const spool = yield* Spool;
      const { file, waits } = fileOf(spool, 1);
      const written = page(1) + page(2) + page(3);
      const writer = yield* Effect.forkChild(file.write(written), { startImmediately: true });
      yield* eventually(Effect.sync(() => waits() > 0));
      assert.isUndefined(writer.pollUnsafe());
      const reader = yield* Effect.forkChild(textOf(file));
      yield* Fiber.join(writer);
      file.end(Effect.succeed(null));
      assert.strictEqual(yield* Fiber.join(reader), written);
      assert.strictEqual(yield* pagesInUse, 0);
    }).pipe(
      Effect.provide(
        Spool.layer.pipe(Layer.provide(Layer.succeed(DataDirectory, { path: "/dev/null/nowhere" } as never))),
      ),
    ),
);
