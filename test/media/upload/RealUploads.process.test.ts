import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import sharp from "sharp";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";
import { TestDatabase } from "../../database/TestDatabase.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { fakeThumbnails } from "../FakeThumbnails.ts";
import { mediaWorld, upload } from "../MediaWorld.ts";

const media = Layer.merge(MediaWorkers.layer, fakeThumbnails);

const picture = (format: "jpeg" | "png" | "gif" | "webp") =>
  Effect.promise(async () =>
    Uint8Array.from(
      await sharp(randomBytes(90 * 60 * 3), { raw: { width: 90, height: 60, channels: 3 } })
        .toFormat(format)
        .toBuffer(),
    ),
  );

layer(TestWaypost.layerWith({}, TestDatabase.layer, media))("Uploads with real media workers", (it) => {
  it.effect("the type of an uploaded image comes from its bytes, not from its name (H1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      for (const format of ["jpeg", "png", "gif", "webp"] as const) {
        const content = yield* picture(format);
        const made = yield* sandbox("/media", upload({ content, filename: "sound.mp3", key: format }));
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        const { height, mime_type, name, size_bytes, type, width } = made.body.data;
        assert.deepStrictEqual(
          [type, mime_type, width, height, size_bytes, name],
          ["image", `image/${format}`, 90, 60, content.length, "sound.mp3"],
        );
      }
    }),
  );

  it.effect("uploaded video and audio files have a length (H1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const files = [
        ["video.mp4", "video", "video/mp4"],
        ["rotated.mov", "video", "video/quicktime"],
        ["video.webm", "video", "video/webm"],
        ["sound.mp3", "audio", "audio/mpeg"],
        ["sound.m4a", "audio", "audio/mp4"],
        ["sound.ogg", "audio", "audio/ogg"],
      ] as const;
      for (const [file, type, mime] of files) {
        const content = Uint8Array.from(readFileSync(new URL(`../fixtures/${file}`, import.meta.url)));
        const { body, status } = yield* sandbox("/media", upload({ content, filename: "file" }));
        assert.strictEqual(status, 201, `${file} ${JSON.stringify(body)}`);
        assert.deepStrictEqual([body.data.type, body.data.mime_type], [type, mime]);
        assert.isAbove(body.data.duration_seconds, 0);
        assert.strictEqual(body.data.width === null, type === "audio");
      }
    }),
  );

  it.effect("a truncated image, an SVG or another document is 422 at file and adds nothing (H1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const whole = yield* picture("png");
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
      for (const content of [whole.subarray(0, whole.length - 20), svg, "%PDF-1.7", "PK\u0003\u0004"]) {
        const refused = yield* sandbox("/media", upload({ content, filename: "cup.png" }));
        assert.strictEqual(refused.status, 422);
        assert.deepStrictEqual(Object.keys(refused.body.error.fields), ["file"]);
      }
      assert.deepStrictEqual((yield* sandbox("/media")).body.data, []);
    }),
  );
});
