import { assert, layer } from "@effect/vitest";
import { Effect, Fiber, Option } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import sharp from "sharp";
import { MediaStore } from "../../src/media/store/MediaStore.ts";
import { Thumbnails } from "../../src/media/Thumbnails.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { mediaWorld } from "./MediaWorld.ts";

const photo = (width: number, height: number, orientation = 1) =>
  Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background: "teal" } })
      .withMetadata({ orientation })
      .withExifMerge({ IFD0: { Copyright: "Somebody" } })
      .jpeg()
      .toBuffer(),
  );

/** An uploaded image whose bytes in the store are these; the stand-in for the inspector takes only words. */
const imageOf = (content: Uint8Array) =>
  Effect.gen(function* () {
    const { file } = yield* mediaWorld();
    const key: string = (yield* file()).url.split("/").at(-1);
    yield* (yield* MediaStore).put(key, { content, mimeType: "image/jpeg" });
    return key;
  });

const stateOf = (key: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [row] = yield* sql<{ thumbnail: string; thumbnail_tries: number }>`
      SELECT thumbnail, thumbnail_tries FROM media_file WHERE key = ${key}`;
    return [row?.thumbnail, row?.thumbnail_tries];
  });

const claimUntil = (key: string, millis: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE media_file SET thumbnail_due_at = to_timestamp(${millis / 1000}) WHERE key = ${key}`,
  );

const look = (picture: Option.Option<Uint8Array>) =>
  Effect.promise(() => sharp(Option.getOrThrow(picture)).metadata());

// Without a worker, which would take part.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Thumbnails", (it) => {
  it.effect.each([
    [1600, 800, 1, 400, 200],
    [1600, 800, 6, 200, 400],
    [100, 300, 1, 100, 300],
    [3000, 2, 1, 400, 1],
  ] as const)(
    "of %i × %i pixels turned by %i fits 400 × 400 upright, without metadata, as WebP (H2.2)",
    (given) =>
      Effect.gen(function* () {
        const [width, height, orientation, shownWidth, shownHeight] = given;
        const { makeDue, ready } = yield* Thumbnails;
        const key = yield* imageOf(yield* photo(width, height, orientation));
        assert.strictEqual(yield* makeDue, 1);
        assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
        const picture = yield* look(yield* ready(key));
        assert.deepStrictEqual(
          [picture.format, picture.width, picture.height],
          ["webp", shownWidth, shownHeight],
        );
        assert.deepStrictEqual(
          [picture.exif, picture.icc, picture.xmp, picture.orientation],
          Array(4).fill(undefined),
        );
      }),
  );

  it.effect("asked for before it exists, it is waited for, and made once for all who ask (H2.1)", () =>
    Effect.gen(function* () {
      const { makeDue, ready } = yield* Thumbnails;
      const key = yield* imageOf(yield* photo(800, 800));
      const asking = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => ready(key)),
          { concurrency: "unbounded" },
        ),
      );
      for (let look = 0; look < 5000 && (yield* stateOf(key))[0] === "pending"; look += 1);
      yield* TestClock.adjust("200 millis");
      for (const picture of yield* Fiber.join(asking)) assert.strictEqual((yield* look(picture)).width, 400);
      assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
      assert.strictEqual(yield* makeDue, 0);
    }),
  );

  it.effect("workers that meet share the work", () =>
    Effect.gen(function* () {
      const { makeDue } = yield* Thumbnails;
      const keys = yield* Effect.all([1, 2, 3, 4, 5].map(() => Effect.flatMap(photo(50, 50), imageOf)));
      const taken = yield* Effect.all([makeDue, makeDue, makeDue], { concurrency: "unbounded" });
      assert.strictEqual(taken[0] + taken[1] + taken[2], 5);
      for (const key of keys) assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
    }),
  );

  it.effect(
    "an image that none can be made of is given up after three tries, and keeps a built-in picture",
    () =>
      Effect.gen(function* () {
        const { makeDue, ready } = yield* Thumbnails;
        const key = yield* imageOf(Buffer.from("no image at all"));
        yield* makeDue;
        yield* makeDue;
        yield* makeDue;
        assert.deepStrictEqual(yield* stateOf(key), ["failed", 3]);
        const first = yield* ready(key);
        assert.deepStrictEqual(yield* ready(key), first);
        assert.strictEqual((yield* look(first)).format, "webp");
        assert.strictEqual(yield* makeDue, 0);
      }),
  );

  it.effect("videos and audios have a built-in picture each; a file that is not there has none (H2.3)", () =>
    Effect.gen(function* () {
      const { ready } = yield* Thumbnails;
      const { file } = yield* mediaWorld();
      const pictureOf = (content: string) =>
        Effect.flatMap(file({ content }), ({ url }) => ready(url.split("/").at(-1)));
      const video = yield* pictureOf("video of a cup");
      const audio = yield* pictureOf("audio of a cup");
      assert.strictEqual((yield* look(video)).width, 400);
      assert.strictEqual((yield* look(audio)).width, 400);
      assert.notDeepEqual(video, audio);
      assert.isTrue(Option.isNone(yield* ready("A".repeat(32))));
    }),
  );

  it.effect("what a process left behind that was killed is made when its claim has run out", () =>
    Effect.gen(function* () {
      const { makeDue } = yield* Thumbnails;
      const key = yield* imageOf(yield* photo(50, 50));
      yield* TestClock.setTime(testStart + 3_600_000);
      yield* claimUntil(key, testStart + 3_720_000);
      yield* makeDue;
      assert.strictEqual((yield* stateOf(key))[0], "pending");
      yield* TestClock.adjust("121 seconds");
      yield* makeDue;
      assert.strictEqual((yield* stateOf(key))[0], "ready");
    }),
  );

  it.effect(
    "a store that has lost a thumbnail gets it again; one without the image is away, and no try is lost",
    () =>
      Effect.gen(function* () {
        const store = yield* MediaStore;
        const { makeDue, ready } = yield* Thumbnails;
        const key = yield* imageOf(yield* photo(50, 50));
        yield* makeDue;
        yield* store.remove(`${key}/thumbnail`);
        assert.strictEqual((yield* look(yield* ready(key))).width, 50);

        const gone = yield* imageOf(yield* photo(50, 50));
        yield* store.remove(gone);
        assert.strictEqual((yield* Effect.flip(ready(gone)))._tag, "MediaStoreAway");
        assert.deepStrictEqual(yield* stateOf(gone), ["pending", 0]);
      }),
  );
});

layer(TestWaypost.layer)("A worker", (it) => {
  it.effect("makes thumbnails as soon as a file is there, with no step of time (media.thumbnail)", () =>
    Effect.gen(function* () {
      const { file } = yield* mediaWorld();
      const key: string = (yield* file()).url.split("/").at(-1);
      let state = yield* stateOf(key);
      for (let look = 0; look < 5000 && state[1] === 0; look += 1) state = yield* stateOf(key);
      assert.deepStrictEqual(state, ["pending", 1]);
    }),
  );
});
