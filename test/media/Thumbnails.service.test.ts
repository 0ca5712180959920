import { assert, layer, vi } from "@effect/vitest";
import { Effect, Fiber, Option } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { MediaStore } from "../../src/media/store/MediaStore.ts";
import { Thumbnails } from "../../src/media/Thumbnails.ts";
import { whileTimeMoves } from "../matrices/MovingTime.ts";
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

/** Uploads a text that the fake workers accept as an image, then replaces its bytes with these. */
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

const leaseUntil = (key: string, millis: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE media_file SET thumbnail_due_at = to_timestamp(${millis / 1000}) WHERE key = ${key}`,
  );

const metadataOf = (picture: Option.Option<Uint8Array>) =>
  Effect.promise(() => sharp(Option.getOrThrow(picture)).metadata());

// Without the role worker, whose job would draw too.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Thumbnails", (it) => {
  it.effect.each([
    [1600, 800, 1, 400, 200],
    [1600, 800, 6, 200, 400],
    [100, 300, 1, 100, 300],
    [3000, 2, 1, 400, 1],
  ] as const)(
    "a thumbnail of %i × %i pixels, orientation %i, is upright WebP within 400 × 400, no metadata (H2.2)",
    (given) =>
      Effect.gen(function* () {
        const [width, height, orientation, shownWidth, shownHeight] = given;
        const { drawDue, ready } = yield* Thumbnails;
        const key = yield* imageOf(yield* photo(width, height, orientation));
        assert.strictEqual(yield* drawDue, 1);
        assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
        const picture = yield* metadataOf(yield* ready(key));
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

  it.effect("concurrent readers wait for a thumbnail that is drawn once (H2.1)", () =>
    Effect.gen(function* () {
      const { drawDue, ready } = yield* Thumbnails;
      const key = yield* imageOf(yield* photo(800, 800));
      const reading = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => ready(key)),
          { concurrency: "unbounded" },
        ),
      );
      while ((yield* stateOf(key))[0] === "pending");
      // A reader may still be inside a query, and sleep only then.
      for (const picture of yield* whileTimeMoves(Fiber.join(reading)))
        assert.strictEqual((yield* metadataOf(picture)).width, 400);
      assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
      assert.strictEqual(yield* drawDue, 0);
    }),
  );

  it.effect("concurrent workers share the due thumbnails", () =>
    Effect.gen(function* () {
      const { drawDue } = yield* Thumbnails;
      const keys = yield* Effect.all([1, 2, 3, 4, 5].map(() => Effect.flatMap(photo(50, 50), imageOf)));
      const taken = yield* Effect.all([drawDue, drawDue, drawDue], { concurrency: "unbounded" });
      assert.strictEqual(taken[0] + taken[1] + taken[2], 5);
      for (const key of keys) assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
    }),
  );

  it.effect("an image that cannot be drawn fails after three attempts and has a built-in picture", () =>
    Effect.gen(function* () {
      const { drawDue, ready } = yield* Thumbnails;
      const key = yield* imageOf(Buffer.from("no image at all"));
      yield* drawDue;
      yield* drawDue;
      yield* drawDue;
      assert.deepStrictEqual(yield* stateOf(key), ["failed", 3]);
      const first = yield* ready(key);
      assert.deepStrictEqual(yield* ready(key), first);
      assert.strictEqual((yield* metadataOf(first)).format, "webp");
      assert.strictEqual(yield* drawDue, 0);
    }),
  );

  it.effect("videos and audios have a built-in picture each, and a missing file has none (H2.3)", () =>
    Effect.gen(function* () {
      const { ready } = yield* Thumbnails;
      const { file } = yield* mediaWorld();
      const pictureOf = (content: string) =>
        Effect.flatMap(file({ content }), ({ url }) => ready(url.split("/").at(-1)));
      const video = yield* pictureOf("video of a cup");
      const audio = yield* pictureOf("audio of a cup");
      assert.strictEqual((yield* metadataOf(video)).width, 400);
      assert.strictEqual((yield* metadataOf(audio)).width, 400);
      assert.notDeepEqual(video, audio);
      assert.isTrue(Option.isNone(yield* ready("A".repeat(32))));
    }),
  );

  it.effect("an expired lease of a killed process lets another worker draw the thumbnail", () =>
    Effect.gen(function* () {
      const { drawDue } = yield* Thumbnails;
      const key = yield* imageOf(yield* photo(50, 50));
      yield* TestClock.setTime(testStart + 3_600_000);
      yield* leaseUntil(key, testStart + 3_720_000);
      yield* drawDue;
      assert.strictEqual((yield* stateOf(key))[0], "pending");
      yield* TestClock.adjust("121 seconds");
      yield* drawDue;
      assert.strictEqual((yield* stateOf(key))[0], "ready");
    }),
  );

  it.effect("an image that a full disk cannot take is due again, without counting the attempt (H2.1)", () =>
    Effect.gen(function* () {
      const { drawDue, ready } = yield* Thumbnails;
      const key = yield* imageOf(yield* photo(50, 50));
      const handle = yield* Effect.promise(() => open(fileURLToPath(import.meta.url)));
      const full = new Error("ENOSPC: no space left on device, write");
      const writing = vi.spyOn(Object.getPrototypeOf(handle), "writeFile").mockRejectedValueOnce(full);
      yield* Effect.promise(() => handle.close());
      assert.strictEqual((yield* Effect.flip(ready(key)))._tag, "MediaStoreUnavailable");
      writing.mockRestore();
      assert.deepStrictEqual(yield* stateOf(key), ["pending", 0]);
      yield* TestClock.adjust("31 seconds");
      assert.strictEqual(yield* drawDue, 1);
      assert.deepStrictEqual(yield* stateOf(key), ["ready", 1]);
    }),
  );

  it.effect("a lost thumbnail is drawn again, and a lost image fails without counting the attempt", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore;
      const { drawDue, ready } = yield* Thumbnails;
      const key = yield* imageOf(yield* photo(50, 50));
      yield* drawDue;
      yield* store.remove(`${key}/thumbnail`);
      assert.strictEqual((yield* metadataOf(yield* ready(key))).width, 50);

      const gone = yield* imageOf(yield* photo(50, 50));
      yield* store.remove(gone);
      assert.strictEqual((yield* Effect.flip(ready(gone)))._tag, "MediaStoreUnavailable");
      assert.deepStrictEqual(yield* stateOf(gone), ["pending", 0]);
    }),
  );
});

layer(TestWaypost.layer)("The thumbnail worker", (it) => {
  it.effect(
    "the thumbnail worker starts as soon as a file is uploaded, without any time passing (media.thumbnail)",
    () =>
      Effect.gen(function* () {
        const { file } = yield* mediaWorld();
        const key: string = (yield* file()).url.split("/").at(-1);
        let state = yield* stateOf(key);
        for (let poll = 0; poll < 5000 && state[1] === 0; poll += 1) state = yield* stateOf(key);
        assert.deepStrictEqual(state, ["pending", 1]);
      }),
  );
});
