import { Effect, type Layer, Option, Stream } from "effect";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "../config/Settings.ts";
import { builtInPicture } from "../media/BuiltInPictures.ts";
import { diskMediaStore } from "../media/store/DiskMediaStore.ts";
import { MediaWorkers } from "../media/worker/MediaWorkers.ts";
import { MediaStore, type MediaStoreUnavailable } from "../media/store/MediaStore.ts";
import { s3MediaStore } from "../media/store/S3MediaStore.ts";
import { runCheck, fine, problem } from "./HealthCheck.ts";

const probe = Buffer.from("This object was written by waypost doctor and can be deleted.\n");

const storeOf = ({
  dataDir,
  mediaStore,
}: Settings["Service"]): Layer.Layer<MediaStore, MediaStoreUnavailable> =>
  mediaStore._tag === "s3" ? s3MediaStore(mediaStore) : diskMediaStore(join(dataDir, "media"));

const toIndexedLocation = ({ dataDir, mediaStore }: Settings["Service"]): string =>
  mediaStore._tag === "s3" ? `the bucket ${mediaStore.bucket}` : join(dataDir, "media");

/** Writes an object of its own under a name that nothing else can have, reads it back and removes it. */
const store = (config: Settings["Service"]) =>
  Effect.gen(function* () {
    const media = yield* MediaStore;
    const key = randomBytes(24).toString("base64url");
    const back = yield* Effect.acquireUseRelease(
      media.put(key, { content: probe, mimeType: "text/plain" }),
      () =>
        Effect.scoped(
          Effect.flatMap(media.read(key), (found) =>
            Option.isNone(found)
              ? Effect.succeed(Buffer.alloc(0))
              : Effect.map(Stream.runCollect(found.value.body), (pieces) => Buffer.concat(pieces)),
          ),
        ),
      () => media.remove(key),
    );
    return back.equals(probe)
      ? fine(`A file was written to ${toIndexedLocation(config)}, read back and removed.`)
      : problem(
          `What was written to ${toIndexedLocation(config)} is not what was read back.`,
          "Files of people would be broken too: look at the disk, or at what is between Waypost and the bucket.",
        );
  }).pipe(
    Effect.provide(storeOf(config)),
    Effect.catch((away) =>
      Effect.succeed(
        problem(
          `The media store, ${toIndexedLocation(config)}, cannot be used: ${away.problem}.`,
          config.mediaStore._tag === "s3"
            ? "Look at WAYPOST_MEDIA_STORE, the AWS variables, and the rights of the keys (put, get, delete, list)."
            : "Run the doctor under the account that runs Waypost; see who owns the folder, and whether the disk is full.",
        ),
      ),
    ),
  );

/** A folder for a moment: among temporary files, or where those cannot be written where uploads arrive. */
const folderForNow = ({ dataDir }: Settings["Service"]) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      mkdtemp(join(tmpdir(), "waypost-doctor-")).catch(() => mkdtemp(join(dataDir, "uploads", "doctor-"))),
    ),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true })),
  );

/** Has the child that looks into pictures look into one of Waypost's own. */
const pictures = (config: Settings["Service"]) =>
  Effect.gen(function* () {
    const workers = yield* MediaWorkers;
    const path = join(yield* folderForNow(config), "picture.webp");
    yield* Effect.promise(() => writeFile(path, builtInPicture("image")));
    yield* workers.inspect(path);
    return fine("A picture was looked into: the image library works.");
  }).pipe(
    Effect.provide(MediaWorkers.layer),
    Effect.scoped,
    Effect.catch((error) =>
      Effect.succeed(
        problem(
          `No picture can be looked into, so uploads are refused: ${error.message}`,
          "In a clone run npm ci on this machine; the executable needs glibc 2.28 and libstdc++.",
        ),
      ),
    ),
  );

/** The media store, where the data directory `isThere`, and what looks into media files, where it `canRead`. */
export const mediaHealthCheck = (
  config: Settings["Service"],
  { canRead, isThere }: { readonly isThere: boolean; readonly canRead: boolean },
) =>
  Effect.map(
    Effect.all(
      [
        isThere || config.mediaStore._tag === "s3"
          ? runCheck("media", "store", store(config), "30 seconds")
          : Effect.succeed([]),
        canRead ? runCheck("media", "pictures", pictures(config), "30 seconds") : Effect.succeed([]),
      ],
      { concurrency: 2 },
    ),
    (findings) => findings.flat(),
  );
