import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";
import { decideHostileFiles, hostilePictures, hostileRecordings } from "./HostileDecisions.ts";
import expectedOutcomes from "./HostileOutcomes.json" with { type: "json" };

layer(MediaWorkers.layer)("Hostile recordings", (it) => {
  it.effect("each hostile recording is decided within 2 seconds of CPU time and 300 MB (H1.6)", () =>
    Effect.gen(function* () {
      const decided = Object.fromEntries(yield* decideHostileFiles(hostileRecordings));
      const pictures = new Set(hostilePictures.flat().map(({ name }) => name));
      const ofRecordings = Object.entries(expectedOutcomes).filter(([name]) => !pictures.has(name));
      assert.deepStrictEqual(decided, Object.fromEntries(ofRecordings));
    }),
  );
});
