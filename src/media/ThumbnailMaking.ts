import { Effect, Layer } from "effect";
import { Settings } from "../config/Settings.ts";
import { observedRun } from "../workers/JobMetrics.ts";
import { Thumbnails } from "./Thumbnails.ts";

/**
 * Makes what is due at once when this process is told of it, and looks every two seconds for what others uploaded or left
 * undone: two workers that meet share the work.
 */
export const thumbnailMaking = Layer.effectDiscard(
  Effect.gen(function* () {
    const { roles } = yield* Settings;
    if (!roles.has("worker")) return;
    const thumbnails = yield* Thumbnails;
    yield* Effect.forkScoped(
      Effect.ignoreCause(observedRun("thumbnails", thumbnails.makeDue), { log: "Warn" }).pipe(
        Effect.andThen(Effect.raceFirst(thumbnails.called, Effect.sleep("2 seconds"))),
        Effect.forever,
      ),
    );
  }),
);
