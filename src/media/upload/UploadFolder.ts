import { Context, Effect, Layer } from "effect";
import { randomBytes } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { ProcessMember } from "../../processes/ProcessMember.ts";
import { MediaStoreUnavailable } from "../store/MediaStore.ts";

const folderOf = (dataDir: string): string => join(dataDir, "uploads");

/** Removes the uploads that a crash left, before several processes start on a data directory. */
export const removeUploads = (dataDir: string): Effect.Effect<void> =>
  Effect.promise(() => rm(folderOf(dataDir), { recursive: true, force: true }));

/** A folder of the data directory that holds each upload until it is inspected and stored. */
export class UploadFolder extends Context.Service<UploadFolder>()("waypost/media/UploadFolder", {
  make: Effect.gen(function* () {
    const { path } = yield* DataDirectory;
    const member = yield* ProcessMember;
    // Of several processes on the data directory, each has a folder of its own.
    const folder = join(folderOf(path), ...(member === null ? [] : [member.name]));
    // Only this process uses the folder, so files that are here at its start were left by a crash.
    yield* Effect.promise(async () => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
    });
    return {
      /** An empty file, open for writing, which is removed when the scope closes. */
      file: Effect.acquireRelease(
        MediaStoreUnavailable.attempt(async () => {
          const path = join(folder, randomBytes(16).toString("hex"));
          return { path, handle: await open(path, "wx", 0o600) };
        }, "no upload can be written to disk: "),
        ({ handle, path }) =>
          Effect.promise(async () => {
            await handle.close().catch(() => {});
            await rm(path, { force: true });
          }),
      ),
    };
  }),
}) {
  static readonly layer = Layer.effect(UploadFolder, UploadFolder.make);
}
