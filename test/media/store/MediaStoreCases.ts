import { assert, layer } from "@effect/vitest";
import { Effect, type Layer, Option, Stream } from "effect";
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scopedFolder } from "../../Listening.ts";
import { type ByteRange, MediaStore } from "../../../src/media/store/MediaStore.ts";

/** A new key. */
export const freshKey = (): string => randomBytes(18).toString("base64url");

/** Pseudo-random bytes, the same in every run. */
export const bytesOf = (length: number, seed = "seed"): Uint8Array =>
  createHash("shake256", { outputLength: length }).update(seed).digest();

/** A file with this content, until the scope closes. */
export const fileWith = (content: Uint8Array) =>
  Effect.gen(function* () {
    const path = join(yield* scopedFolder("media"), "upload");
    yield* Effect.promise(() => writeFile(path, content));
    return { path, bytes: content.length, mimeType: "image/png" };
  });

/** The size of the whole object and the bytes read; null if there is no such object. */
export const contentOf = Effect.fnUntraced(function* (key: string, range?: ByteRange) {
  const store = yield* MediaStore;
  const found = yield* store.read(key, range);
  if (Option.isNone(found)) return null;
  const chunks = yield* Stream.runCollect(found.value.body);
  return { bytes: found.value.bytes, content: Buffer.concat(chunks) };
}, Effect.scoped);

const same = (found: { readonly content: Uint8Array } | null, wanted: Uint8Array): void => {
  assert.isNotNull(found);
  assert.isTrue(Buffer.from(wanted).equals(Buffer.from(found?.content ?? [])));
};

const hostileKeys = [
  "",
  ".",
  "..",
  "../../../../etc/passwd",
  "AAAAAAAAAAAAAAAAAAAAAAAA/../../../../etc/passwd",
  "AAAAAAAAAAAAAAAAAAAAAAAA/..",
  "AAAAAAAAAAAAAAAAAAAAAAAA/",
  "AAAAAAAAAAAAAAAAAAAAAAAA\0",
  "AAAAAAAAAAAAAAAAAAAAAAAA\n",
  "AAAAAAAAAAAAAAAAAAAAAAAA.",
  "AAAAAAAAAAAAAAAAAAAAAAAA\\thumbnail",
  "AAAAAAAAAAAAAAAAAAAAAAAA%2fthumbnail",
  "/AAAAAAAAAAAAAAAAAAAAAAAA",
  "A".repeat(65),
  "A".repeat(21),
  "ÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀ",
];

/** The tests that every `MediaStore` passes. */
export const mediaStoreCases = <E>(name: string, store: Layer.Layer<MediaStore, E>): void =>
  layer(store, { excludeTestServices: true })(name, (it) => {
    it.effect(`${name} returns what was put, from a file and from memory`, () =>
      Effect.gen(function* () {
        const { put } = yield* MediaStore;
        const content = bytesOf(200_001);
        const [first, second] = [freshKey(), `${freshKey()}/thumbnail`];
        yield* put(first, yield* fileWith(content));
        yield* put(second, { content: content.subarray(0, 1000), mimeType: "image/webp" });
        const found = yield* contentOf(first);
        assert.strictEqual(found?.bytes, content.length);
        same(found, content);
        same(yield* contentOf(second), content.subarray(0, 1000));
      }),
    );

    it.effect(`${name} keeps a file and its thumbnail apart`, () =>
      Effect.gen(function* () {
        const { put, remove } = yield* MediaStore;
        const key = freshKey();
        yield* put(key, { content: bytesOf(10, "file"), mimeType: "image/png" });
        assert.isNull(yield* contentOf(`${key}/thumbnail`));
        yield* put(`${key}/thumbnail`, { content: bytesOf(10, "thumbnail"), mimeType: "image/webp" });
        same(yield* contentOf(key), bytesOf(10, "file"));
        yield* remove(key);
        assert.isNull(yield* contentOf(key));
        same(yield* contentOf(`${key}/thumbnail`), bytesOf(10, "thumbnail"));
      }),
    );

    it.effect(`${name} reads any range and always reports the whole size`, () =>
      Effect.gen(function* () {
        const { put } = yield* MediaStore;
        const content = bytesOf(150_000);
        const key = freshKey();
        yield* put(key, yield* fileWith(content));
        for (const [start, end] of [
          [0, 0],
          [0, 149_999],
          [1, 70_000],
          [149_999, 149_999],
          [65_536, 65_536],
          [149_000, 10_000_000],
        ] as const) {
          const found = yield* contentOf(key, { start, end });
          assert.strictEqual(found?.bytes, content.length, `${start}-${end}`);
          same(found, content.subarray(start, end + 1));
        }
      }),
    );

    it.effect(`${name} reads nothing from a range past the end`, () =>
      Effect.gen(function* () {
        const key = freshKey();
        yield* (yield* MediaStore).put(key, { content: bytesOf(10), mimeType: "image/png" });
        const found = yield* contentOf(key, { start: 10, end: 20 });
        assert.deepStrictEqual([found?.bytes, found?.content.length], [10, 0]);
      }),
    );

    it.effect(`${name} finds nothing under a key that was never put`, () =>
      Effect.gen(function* () {
        assert.isNull(yield* contentOf(freshKey()));
        assert.isNull(yield* contentOf(freshKey(), { start: 5, end: 9 }));
      }),
    );

    it.effect(`${name} removes an object twice and can put it again`, () =>
      Effect.gen(function* () {
        const { put, remove } = yield* MediaStore;
        const key = freshKey();
        yield* put(key, { content: bytesOf(10), mimeType: "image/png" });
        yield* remove(key);
        yield* remove(key);
        assert.isNull(yield* contentOf(key));
        yield* put(key, { content: bytesOf(20), mimeType: "image/png" });
        same(yield* contentOf(key), bytesOf(20));
      }),
    );

    it.effect(`${name} replaces an object`, () =>
      Effect.gen(function* () {
        const { put } = yield* MediaStore;
        const key = freshKey();
        yield* put(key, { content: bytesOf(5000, "old"), mimeType: "image/png" });
        yield* put(key, { content: bytesOf(50, "new"), mimeType: "image/png" });
        same(yield* contentOf(key), bytesOf(50, "new"));
      }),
    );

    it.effect(`${name} keeps one whole object of concurrent puts of a key`, () =>
      Effect.gen(function* () {
        const { put } = yield* MediaStore;
        const key = freshKey();
        const contents = Array.from({ length: 8 }, (_, index) =>
          bytesOf(40_000 + index * 1000, `put ${index}`),
        );
        yield* Effect.forEach(contents, (content) => put(key, { content, mimeType: "image/png" }), {
          concurrency: "unbounded",
        });
        const found = yield* contentOf(key);
        assert.isTrue(contents.some((content) => Buffer.from(content).equals(found?.content ?? Buffer.of())));
      }),
    );

    it.effect(`${name} lets a reader finish after the object is removed`, () =>
      Effect.gen(function* () {
        const { put, read, remove } = yield* MediaStore;
        const key = freshKey();
        const content = bytesOf(150_000);
        yield* put(key, yield* fileWith(content));
        const found = Option.getOrThrow(yield* read(key));
        yield* remove(key);
        same({ content: Buffer.concat(yield* Stream.runCollect(found.body)) }, content);
      }),
    );

    it.effect(`${name} fails to put a missing file and then has no object`, () =>
      Effect.gen(function* () {
        const { put } = yield* MediaStore;
        const key = freshKey();
        const gone = { path: join(tmpdir(), freshKey()), bytes: 10, mimeType: "image/png" };
        const error = yield* Effect.flip(put(key, gone));
        assert.strictEqual(error._tag, "MediaStoreUnavailable");
        assert.isNull(yield* contentOf(key));
      }),
    );

    it.effect(`${name} finds nothing under an invalid key, and putting one is a defect`, () =>
      Effect.gen(function* () {
        const { put, remove } = yield* MediaStore;
        for (const key of hostileKeys) {
          assert.isNull(yield* contentOf(key), key);
          yield* remove(key);
          const exit = yield* Effect.exit(put(key, { content: bytesOf(1), mimeType: "image/png" }));
          assert.strictEqual(exit._tag, "Failure", key);
        }
      }),
    );
  });
