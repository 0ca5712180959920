import { Effect, Layer } from "effect";
import { Config } from "../config/Settings.ts";
import { watched } from "../workers/JobMetrics.ts";
import { Thumbnails } from "./Thumbnails.ts";

/**
 * Makes what is due at once when this process is told of it, and looks every two seconds for what others uploaded or left
 * undone: two workers that meet share the work.
 */
export const thumbnailMaking = Layer.effectDiscard(
  Effect.gen(function* () {
    const { roles } = yield* Config;
    if (!roles.has("worker")) return;
    const thumbnails = yield* Thumbnails;
    yield* Effect.forkScoped(
      Effect.ignoreCause(watched("thumbnails", thumbnails.makeDue), { log: "Warn" }).pipe(
        Effect.andThen(Effect.raceFirst(thumbnails.called, Effect.sleep("2 seconds"))),
        Effect.forever,
      ),
    );
  }),
);
