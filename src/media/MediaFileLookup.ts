import { Effect, Layer, Option } from "effect";
import { MediaFiles } from "./MediaFiles.ts";
import { MediaLibrarySql } from "./MediaLibrarySql.ts";

/** Finds files by their keys in the database, so that a deleted one is gone for every process at once. */
export const mediaFileLookup = Layer.effect(
  MediaFiles,
  Effect.map(MediaLibrarySql, (repository) =>
    MediaFiles.of({
      find: (key) => Effect.map(repository.findByKey(key), ([file]) => Option.fromUndefinedOr(file)),
    }),
  ),
);
