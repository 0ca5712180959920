import { Effect, Layer } from "effect";
import { readFile } from "node:fs/promises";
import type { MediaContent } from "../../../src/media/formats/MediaFormat.ts";
import { MediaInspector } from "../../../src/media/worker/MediaInspector.ts";
import { MediaRefused } from "../../../src/media/worker/MediaRefused.ts";

const contents: ReadonlyArray<MediaContent> = [
  { kind: "image", mimeType: "image/png", extension: "png", width: 640, height: 360, durationSeconds: null },
  { kind: "video", mimeType: "video/mp4", extension: "mp4", width: 640, height: 360, durationSeconds: 12.48 },
  { kind: "audio", mimeType: "audio/mpeg", extension: "mp3", width: null, height: null, durationSeconds: 3 },
];

/** Takes a text that begins with a kind for a file of that kind, and a real PNG for an image. */
export const standInInspector = Layer.succeed(MediaInspector, {
  inspect: Effect.fnUntraced(function* (path) {
    const text = yield* Effect.promise(() => readFile(path, "latin1"));
    const content = contents.find(
      ({ kind, extension }) => text.startsWith(kind) || text.startsWith(extension.toUpperCase(), 1),
    );
    return content ?? (yield* new MediaRefused({ message: "The file is of no kind that is accepted." }));
  }),
});
