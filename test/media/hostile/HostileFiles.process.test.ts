import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";
import { decideHostileFiles, hostilePictures, hostileRecordings } from "./HostileDecisions.ts";
import expectedOutcomes from "./HostileOutcomes.json" with { type: "json" };

layer(MediaWorkers.layer)("Some hostile media files", (it) => {
  // `HostileFiles.long.test.ts` and `HostileRecordings.long.test.ts` have all.
  it.effect("three hostile files of each kind are decided within 300 MB (H1.6)", () =>
    Effect.gen(function* () {
      const outcomes = yield* decideHostileFiles(
        [...hostilePictures, ...hostileRecordings].map((files) => files.slice(0, 3)),
      );
      assert.lengthOf(outcomes, 18);
      const expected = new Map(Object.entries(expectedOutcomes));
      for (const [name, outcome] of outcomes) assert.strictEqual(outcome, expected.get(name), name);
    }),
  );
});
