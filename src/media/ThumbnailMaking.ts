import { Effect, Layer } from "effect";
import { Worker } from "../workers/Worker.ts";
import { Thumbnails } from "./Thumbnails.ts";

/**
 * Makes the thumbnails that are due: at once after an upload to this process, and every two seconds for uploads to other
 * processes and for what a dead one left. Two workers share them.
 */
export const thumbnailMaking = Layer.effectDiscard(
  Effect.flatMap(Thumbnails, ({ called, makeDue }) =>
    Worker.every("thumbnails", "2 seconds", makeDue, { wake: called }),
  ),
);
