import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Option, Stream } from "effect";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { diskMediaStore } from "../../../src/media/store/DiskMediaStore.ts";
import { MediaStore } from "../../../src/media/store/MediaStore.ts";
import { bytesOf, contentOf, fileWith, freshKey, mediaStoreCases } from "./MediaStoreCases.ts";

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-media-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true, force: true })),
);

mediaStoreCases(
  "the media store on disk",
  Layer.unwrap(Effect.map(temporary, (folder) => diskMediaStore(join(folder, "media")))),
);

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const filesIn = (folder: string) =>
  Effect.promise(async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );

describe("DiskMediaStore", () => {
  it.live("the disk store closes its folders and files to other accounts", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporary, "media");
      const key = freshKey();
      const file = yield* fileWith(bytesOf(100));
      yield* Effect.promise(() => chmod(file.path, 0o644));
      yield* Effect.provide(
        MediaStore.use(({ put }) => put(key, file)),
        diskMediaStore(folder),
      );
      const [stored = ""] = yield* filesIn(folder);
      yield* Effect.promise(async () => {
        assert.strictEqual(await modeOf(folder), 0o700);
        assert.strictEqual(await modeOf(dirname(stored)), 0o700);
        assert.strictEqual(await modeOf(stored), 0o600);
      });
    }).pipe(Effect.scoped),
  );

  it.live("the disk store removes old temporary files at its start and keeps recent ones", () =>
    Effect.gen(function* () {
      const folder = yield* temporary;
      const arriving = join(folder, ".arriving");
      yield* Effect.promise(async () => {
        await mkdir(arriving);
        for (const name of ["old", "new"]) await writeFile(join(arriving, name), "half");
        const hours = new Date((await stat(join(arriving, "old"))).mtimeMs - 2 * 60 * 60 * 1000);
        await utimes(join(arriving, "old"), hours, hours);
      });
      yield* Effect.provide(Effect.void, diskMediaStore(folder));
      assert.deepStrictEqual(yield* filesIn(folder), [join(arriving, "new")]);
    }).pipe(Effect.scoped),
  );

  it.live("the disk store leaves no part of a file that it could not write whole", () =>
    Effect.gen(function* () {
      const folder = yield* temporary;
      const file = yield* fileWith(bytesOf(100));
      const error = yield* Effect.flip(
        Effect.provide(
          MediaStore.use(({ put }) => put(freshKey(), { ...file, bytes: 101 })),
          diskMediaStore(folder),
        ),
      );
      assert.include(error.message, "100 bytes were written of 101");
      assert.strictEqual(error.apiError.error.code, "service_unavailable");
      assert.deepStrictEqual(yield* filesIn(folder), []);
    }).pipe(Effect.scoped),
  );

  it.live("the disk store works through a link to a shared disk", () =>
    Effect.gen(function* () {
      const parent = yield* temporary;
      const key = freshKey();
      yield* Effect.promise(async () => {
        await mkdir(join(parent, "shared"));
        for (const name of ["one", "two"]) await symlink(join(parent, "shared"), join(parent, name));
      });
      yield* Effect.provide(
        MediaStore.use(({ put }) => put(key, { content: bytesOf(10), mimeType: "image/png" })),
        diskMediaStore(join(parent, "one")),
      );
      const found = yield* Effect.provide(contentOf(key), diskMediaStore(join(parent, "two")));
      assert.strictEqual(found?.bytes, 10);
    }).pipe(Effect.scoped),
  );

  it.live("the disk store is unavailable when its folder is missing or is a file", () =>
    Effect.gen(function* () {
      const parent = yield* temporary;
      yield* Effect.promise(() => writeFile(join(parent, "file"), ""));
      const refused = yield* Effect.flip(Effect.provide(MediaStore, diskMediaStore(join(parent, "file"))));
      assert.match(refused.message, /EEXIST|ENOTDIR/);
      const folder = join(parent, "media");
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.gen(function* () {
            const { put } = yield* MediaStore;
            yield* Effect.promise(() => rm(folder, { recursive: true }));
            yield* put(freshKey(), { content: bytesOf(10), mimeType: "image/png" });
          }),
          diskMediaStore(folder),
        ),
      );
      assert.strictEqual(error._tag, "MediaStoreUnavailable");
      assert.include(error.message, "ENOENT");
    }).pipe(Effect.scoped),
  );

  it.live("the disk store reads in chunks of 64 KB and closes the file when its reader stops", () =>
    Effect.gen(function* () {
      const folder = yield* temporary;
      const key = freshKey();
      const open = () => Effect.promise(async () => (await readdir("/dev/fd")).length);
      yield* Effect.provide(
        Effect.gen(function* () {
          const { put, read } = yield* MediaStore;
          yield* put(key, yield* fileWith(bytesOf(3_000_000)));
          const before = yield* open();
          const first = yield* Effect.scoped(
            Effect.gen(function* () {
              const found = Option.getOrThrow(yield* read(key));
              return yield* Stream.runHead(found.body);
            }),
          );
          assert.isAtMost(Option.getOrThrow(first).length, 65_536);
          assert.strictEqual(yield* open(), before);
        }),
        diskMediaStore(folder),
      );
    }).pipe(Effect.scoped),
  );
});
