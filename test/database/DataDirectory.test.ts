import { assert, describe, it } from "@effect/vitest";
import { Context, Effect, Layer, Redacted } from "effect";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../../src/config/Settings.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-directory-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true })),
);

const open = (dataDir: string, partial: Partial<Settings["Service"]> = {}) =>
  Effect.map(
    Layer.build(Layer.provide(DataDirectory.layer, Settings.layerTest({ dataDir, ...partial }))),
    (context) => Context.get(context, DataDirectory),
  );

const modeOf = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777);

describe("DataDirectory", () => {
  it.effect("a new data directory is closed to others and keeps its two keys (running.data)", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "some", "where");
      const first = yield* Effect.scoped(open(path));
      assert.strictEqual(yield* modeOf(path), 0o700);
      assert.strictEqual(yield* modeOf(join(path, "..")), 0o755);
      for (const name of ["operator.key", "secret.key"])
        assert.strictEqual(yield* modeOf(join(path, name)), 0o600);
      assert.match(Redacted.value(first.operatorKey), /^[\w-]{43}$/);
      assert.notStrictEqual(Redacted.value(first.operatorKey), Redacted.value(first.secretKey));
      const again = yield* Effect.scoped(open(path));
      assert.strictEqual(Redacted.value(again.operatorKey), Redacted.value(first.operatorKey));
      assert.strictEqual(Redacted.value(again.secretKey), Redacted.value(first.secretKey));
      assert.notInclude(yield* Effect.promise(() => readdir(path)), "waypost.pid");
    }),
  );

  it.effect("a key from the settings is used and not stored", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      const { operatorKey } = yield* Effect.scoped(
        open(path, { operatorKey: Redacted.make("from the settings") }),
      );
      assert.strictEqual(Redacted.value(operatorKey), "from the settings");
      assert.notInclude(yield* Effect.promise(() => readdir(path)), "operator.key");
    }),
  );

  it.effect("a data directory in use is refused with the holder's process id", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* open(path);
          const error = yield* Effect.flip(Effect.scoped(open(path)));
          assert.strictEqual(error._tag, "DataDirectoryInUse");
          assert.include(error.message, `process ${process.pid}`);
          assert.include(error.message, path);
        }),
      );
      yield* Effect.scoped(open(path));
    }),
  );

  it.effect("a directory with only a settings file becomes a data directory", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "prepared");
      yield* Effect.promise(async () => {
        await mkdir(path);
        await writeFile(join(path, "waypost.env"), "PORT=0");
      });
      yield* Effect.scoped(open(path));
      assert.strictEqual(yield* modeOf(path), 0o700);
    }),
  );

  it.effect("a directory with other folders is refused and not changed", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "home");
      yield* Effect.promise(async () => {
        await mkdir(path);
        await chmod(path, 0o755);
        await mkdir(join(path, "letters"));
      });
      const error = yield* Effect.flip(Effect.scoped(open(path)));
      assert.include(error.message, "holds other folders");
      assert.strictEqual(yield* modeOf(path), 0o755);
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(path)), ["letters"]);
    }),
  );

  it.effect("a data directory that was opened to others is closed again", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.scoped(open(path));
      yield* Effect.promise(() => chmod(path, 0o755));
      yield* Effect.scoped(open(path));
      assert.strictEqual(yield* modeOf(path), 0o700);
    }),
  );

  it.effect("a damaged or weak key file is refused and never overwritten (running.keys)", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.scoped(open(path));
      for (const text of ["", "0123456789abcdefghijklmnopqrstu\n", "x".repeat(40)]) {
        yield* Effect.promise(() => writeFile(join(path, "secret.key"), text));
        const error = yield* Effect.flip(Effect.scoped(open(path)));
        assert.include(error.message, "secret.key holds no key of at least 32 random");
        assert.strictEqual(yield* Effect.promise(() => readFile(join(path, "secret.key"), "utf8")), text);
      }
    }),
  );

  it.effect("a file at the path of the data directory is reported", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.promise(() => writeFile(path, ""));
      assert.include((yield* Effect.flip(Effect.scoped(open(path)))).message, "there is a file at this path");
    }),
  );

  it.effect.skipIf(process.platform !== "linux")("a path where no directory can be made is reported", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Effect.scoped(open("/proc/waypost-data")));
      assert.include(message, "no directory can be made there");
    }),
  );
});
