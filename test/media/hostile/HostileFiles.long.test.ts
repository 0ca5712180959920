import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { writeFile } from "node:fs/promises";
import { MediaWorkers } from "../../../src/media/worker/MediaWorkers.ts";
import { decideHostileFiles } from "./HostileDecisions.ts";
import expectedOutcomes from "./HostileOutcomes.json" with { type: "json" };

/** It takes over a second of CPU time: two seconds on a slow machine, which then refuses it for its time. */
const nearLimit = "an interlaced PNG of 100 megapixels, gray, with all data";

layer(MediaWorkers.layer)("Hostile media files", (it) => {
  it.effect("each of 200 hostile files is decided within 2 seconds of CPU time and 300 MB (H1.6)", () =>
    Effect.gen(function* () {
      const outcomes = yield* decideHostileFiles();
      if (process.env["DUMP"])
        yield* Effect.promise(() =>
          writeFile(process.env["DUMP"] ?? "", JSON.stringify(Object.fromEntries(outcomes), null, 2)),
        );
      assert.isAtLeast(outcomes.length, 200);
      const decided: Readonly<Record<string, string>> = Object.fromEntries(outcomes);
      const isRefused = decided[nearLimit] === "killed";
      assert.deepStrictEqual(decided, { ...expectedOutcomes, ...(isRefused && { [nearLimit]: "killed" }) });
    }),
  );
});
