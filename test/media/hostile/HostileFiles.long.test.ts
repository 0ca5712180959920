import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";
import { decideHostileFiles, hostilePictures, hostileRecordings } from "./HostileDecisions.ts";
import expectedOutcomes from "./HostileOutcomes.json" with { type: "json" };

/** It takes over a second of CPU time: two seconds on a slow machine, which then refuses it for its time. */
const nearLimit = "an interlaced PNG of 100 megapixels, gray, with all data";

layer(MediaWorkers.layer)("Hostile pictures", (it) => {
  it.effect("each hostile picture is decided within 2 seconds of CPU time and 300 MB (H1.6)", () =>
    Effect.gen(function* () {
      const decided = Object.fromEntries(yield* decideHostileFiles(hostilePictures));
      const isRefused = decided[nearLimit] === "killed";
      const expected = { ...expectedOutcomes, ...(isRefused && { [nearLimit]: "killed" }) };
      const recordings = new Set(hostileRecordings.flat().map(({ name }) => name));
      const ofPictures = Object.entries(expected).filter(([name]) => !recordings.has(name));
      assert.deepStrictEqual(decided, Object.fromEntries(ofPictures));
    }),
  );
});
