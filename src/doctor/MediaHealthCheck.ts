import { Effect, Option, Stream } from "effect";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SettingsService } from "../config/Settings.ts";
import type { NamedProcess } from "../database/SessionName.ts";
import { builtInPicture } from "../media/BuiltInPictures.ts";
import { diskMediaStore } from "../media/store/DiskMediaStore.ts";
import { MediaStore } from "../media/store/MediaStore.ts";
import { s3MediaStore } from "../media/store/S3MediaStore.ts";
import { MediaWorkers } from "../media/worker/MediaWorkers.ts";
import { counted } from "../wire/Text.ts";
import { ok, problem, runCheck, warning } from "./HealthCheck.ts";

const probe = Buffer.from("This object was written by waypost doctor and can be deleted.\n");
const timeout = "30 seconds";
/** The id of no workspace. */
const doctorsWorkspace = 0;

const storeLayer = ({ dataDir, mediaStore }: SettingsService) =>
  mediaStore._tag === "s3" ? s3MediaStore(mediaStore) : diskMediaStore(join(dataDir, "media"));

const storeName = ({ dataDir, mediaStore }: SettingsService): string =>
  mediaStore._tag === "s3" ? `the bucket ${mediaStore.bucket}` : join(dataDir, "media");

/** Writes an object under a random name, reads it back and removes it. */
const checkStore = (settings: SettingsService) =>
  Effect.gen(function* () {
    const store = yield* MediaStore;
    const key = randomBytes(24).toString("base64url");
    const content = yield* Effect.acquireUseRelease(
      store.put(key, { content: probe, mimeType: "text/plain" }),
      () =>
        Effect.scoped(
          Effect.flatMap(store.read(key), (object) =>
            Option.isNone(object)
              ? Effect.succeed(Buffer.alloc(0))
              : Effect.map(Stream.runCollect(object.value.body), (pieces) => Buffer.concat(pieces)),
          ),
        ),
      () => store.remove(key),
    );
    return content.equals(probe)
      ? ok(`A file was written to ${storeName(settings)}, read back and removed.`)
      : problem(
          `A file that was written to ${storeName(settings)} was read back with other content.`,
          "Uploads would be corrupted too. Check the disk, or the network between Waypost and the bucket.",
        );
  }).pipe(
    Effect.provide(storeLayer(settings)),
    Effect.catch((unavailable) =>
      Effect.succeed(
        problem(
          `The media store, ${storeName(settings)}, cannot be used: ${unavailable.problem}.`,
          settings.mediaStore._tag === "s3"
            ? "Check WAYPOST_MEDIA_STORE, the AWS variables, and the key's rights (put, get, delete, list)."
            : "Run the doctor as the account that runs Waypost. Check the folder's owner and the disk space.",
        ),
      ),
    ),
  );

/** A folder for the scope: a temporary one, or one in `uploads` if that cannot be created. */
const temporaryFolder = ({ dataDir }: SettingsService) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      mkdtemp(join(tmpdir(), "waypost-doctor-")).catch(() => mkdtemp(join(dataDir, "uploads", "doctor-"))),
    ),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  );

/** Lets the media worker inspect a picture. */
const checkPictures = (settings: SettingsService) =>
  Effect.gen(function* () {
    const workers = yield* MediaWorkers;
    const path = join(yield* temporaryFolder(settings), "picture.webp");
    yield* Effect.promise(() => writeFile(path, builtInPicture("image")));
    yield* workers.inspect(doctorsWorkspace, path);
    return ok("The image library works: it inspected a picture.");
  }).pipe(
    Effect.provide(MediaWorkers.layer),
    Effect.scoped,
    Effect.catch((error) =>
      Effect.succeed(
        problem(
          `The image library does not work, so uploads are refused: ${error.message}`,
          "In a clone, run npm ci on this machine. The executable needs glibc 2.28 and libstdc++.",
        ),
      ),
    ),
  );

/** Checks the media store and the image library. A part whose files do not exist yet is skipped. */
export const mediaHealthCheck = (
  settings: SettingsService,
  {
    hasDataDirectory,
    hasMediaWorker,
  }: { readonly hasDataDirectory: boolean; readonly hasMediaWorker: boolean },
) =>
  Effect.map(
    Effect.all(
      [
        hasDataDirectory || settings.mediaStore._tag === "s3"
          ? runCheck("media", "store", checkStore(settings), timeout)
          : Effect.succeed([]),
        hasMediaWorker ? runCheck("media", "pictures", checkPictures(settings), timeout) : Effect.succeed([]),
      ],
      { concurrency: 2 },
    ),
    (findings) => findings.flat(),
  );

/** Warns if processes on several machines store media on their own disks. */
export const sharedMediaHealthCheck = (settings: SettingsService, processes: ReadonlyArray<NamedProcess>) =>
  runCheck(
    "media",
    "shared",
    Effect.sync(() => {
      const hosts = new Set(processes.map(({ host }) => host));
      if (settings.databaseUrl === undefined || hosts.size < 2 || settings.mediaStore._tag === "s3")
        return [];
      return warning(
        `${counted(hosts.size, "machine")} use this database, and media are on a disk (WAYPOST_MEDIA_STORE).`,
        "Make media/ of every data directory the same shared file system, or store media in a bucket.",
      );
    }),
  );
