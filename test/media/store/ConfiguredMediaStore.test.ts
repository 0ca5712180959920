import { assert, describe, it } from "@effect/vitest";
import { Effect, Layer, Redacted } from "effect";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../../../src/config/Settings.ts";
import { DataDirectory } from "../../../src/database/DataDirectory.ts";
import { configuredMediaStore } from "../../../src/media/store/ConfiguredMediaStore.ts";
import { MediaStore } from "../../../src/media/store/MediaStore.ts";
import { localBucket } from "./LocalBucket.ts";
import { bytesOf, contentOf, freshKey } from "./MediaStoreCases.ts";

const storeOf = (path: string, mediaStore: Settings["Service"]["mediaStore"]) =>
  configuredMediaStore.pipe(
    Layer.provide(Settings.layerTest({ mediaStore })),
    Layer.provide(
      Layer.succeed(DataDirectory, { path, operatorKey: Redacted.make(""), secretKey: Redacted.make("") }),
    ),
  );

const putAndRead = Effect.gen(function* () {
  const key = freshKey();
  yield* (yield* MediaStore).put(key, { content: bytesOf(10), mimeType: "image/png" });
  return (yield* contentOf(key))?.bytes;
});

describe("WAYPOST_MEDIA_STORE", () => {
  it.live("WAYPOST_MEDIA_STORE puts media into the data directory or into a bucket", () =>
    Effect.gen(function* () {
      const path = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-data-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true })),
      );
      const inBucket = storeOf(path, yield* localBucket);
      assert.strictEqual(yield* Effect.provide(putAndRead, inBucket), 10);
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(path)), []);
      assert.strictEqual(yield* Effect.provide(putAndRead, storeOf(path, { _tag: "disk" })), 10);
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(path)), ["media"]);
    }).pipe(Effect.scoped),
  );
});
