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
  it.effect("makes the directory closed, with two keys that stay the same (running.data)", () =>
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

  it.effect("prefers a key of the settings and then keeps none", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      const { operatorKey } = yield* Effect.scoped(
        open(path, { operatorKey: Redacted.make("from the settings") }),
      );
      assert.strictEqual(Redacted.value(operatorKey), "from the settings");
      assert.notInclude(yield* Effect.promise(() => readdir(path)), "operator.key");
    }),
  );

  it.effect("refuses a second opener as long as the first is there, and names it", () =>
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

  it.effect("takes a directory in which only a log or a settings file waits", () =>
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

  it.effect("refuses a directory with somebody else's folders and leaves it as it is", () =>
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

  it.effect("closes its own directory again when it was opened to others", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.scoped(open(path));
      yield* Effect.promise(() => chmod(path, 0o755));
      yield* Effect.scoped(open(path));
      assert.strictEqual(yield* modeOf(path), 0o700);
    }),
  );

  it.effect("refuses a damaged key file and never writes over it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.scoped(open(path));
      yield* Effect.promise(() => writeFile(join(path, "secret.key"), ""));
      const error = yield* Effect.flip(Effect.scoped(open(path)));
      assert.include(error.message, "secret.key holds no key");
      assert.strictEqual(yield* Effect.promise(() => readFile(join(path, "secret.key"), "utf8")), "");
    }),
  );

  it.effect("says so when a file is in its place", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data");
      yield* Effect.promise(() => writeFile(path, ""));
      assert.include((yield* Effect.flip(Effect.scoped(open(path)))).message, "there is a file in its place");
    }),
  );

  it.effect.skipIf(process.platform !== "linux")("says so, and ends, where no directory can be made", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Effect.scoped(open("/proc/waypost-data")));
      assert.include(message, "no directory can be made there");
    }),
  );
});
