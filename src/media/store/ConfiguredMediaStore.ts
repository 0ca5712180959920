import { Effect, Layer } from "effect";
import { Settings } from "../../config/Settings.ts";
import { dataDirectoryMediaStore } from "./DiskMediaStore.ts";
import { s3MediaStore } from "./S3MediaStore.ts";

/** The store that WAYPOST_MEDIA_STORE names. */
export const configuredMediaStore = Layer.unwrap(
  Effect.map(Settings, ({ mediaStore }) =>
    mediaStore._tag === "s3" ? s3MediaStore(mediaStore) : dataDirectoryMediaStore,
  ),
);
