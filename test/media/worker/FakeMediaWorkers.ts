import { Effect, Layer } from "effect";
import { readFile } from "node:fs/promises";
import type { MediaContent } from "../../../src/media/formats/MediaFormat.ts";
import { MediaRefused, MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";

const contents: ReadonlyArray<MediaContent> = [
  { kind: "image", mimeType: "image/png", extension: "png", width: 640, height: 360, durationSeconds: null },
  { kind: "video", mimeType: "video/mp4", extension: "mp4", width: 640, height: 360, durationSeconds: 12.48 },
  { kind: "audio", mimeType: "audio/mpeg", extension: "mp3", width: null, height: null, durationSeconds: 3 },
];

/** Media workers that accept a text starting with a kind as a file of that kind, and draw real thumbnails. */
export const fakeMediaWorkers = Layer.effect(
  MediaWorkers,
  Effect.map(MediaWorkers, (real) => ({
    ...real,
    inspect: Effect.fnUntraced(function* (_owner: number, path: string) {
      const text = yield* Effect.promise(() => readFile(path, "latin1"));
      const content = contents.find(
        ({ kind, extension }) => text.startsWith(kind) || text.startsWith(extension.toUpperCase(), 1),
      );
      return content ?? (yield* new MediaRefused({ message: "The file is of no kind that is accepted." }));
    }),
  })),
).pipe(Layer.provide(MediaWorkers.layer));
