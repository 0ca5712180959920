import { Context, Effect, Layer } from "effect";
import { randomBytes } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { MediaStoreAway } from "../store/MediaStore.ts";

/** Where uploads stay until they are known to be good and are in the media store: a folder of the data directory. */
export class UploadFolder extends Context.Service<UploadFolder>()("waypost/media/UploadFolder", {
  make: Effect.gen(function* () {
    const { path } = yield* DataDirectory;
    const folder = join(path, "uploads");
    // The data directory has one process: what lies here at its start was left by a crash.
    yield* Effect.promise(async () => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
    });
    return {
      /** An empty file, open for writing, which is gone when the scope closes, whatever happened. */
      file: Effect.acquireRelease(
        Effect.tryPromise({
          try: async () => {
            const path = join(folder, randomBytes(16).toString("hex"));
            return { path, handle: await open(path, "wx", 0o600) };
          },
          catch: (cause) => new MediaStoreAway({ problem: "no upload can be written to disk", cause }),
        }),
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
