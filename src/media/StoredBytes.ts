import { Clock, Effect, Option, Stream } from "effect";
import { randomBytes } from "node:crypto";
import { MediaLibrarySql } from "./MediaLibrarySql.ts";
import type { MediaRow, NewFile } from "./MediaFile.ts";
import { MediaStore, MediaStoreUnavailable } from "./store/MediaStore.ts";
import { UploadFolder } from "./upload/UploadFolder.ts";

/** How long after its bytes began to be stored an upload may still become a file. */
const uploadMillis = 15 * 60_000;

/** Makes the functions that store bytes which are about to become a file, outside any transaction. */
export const storedBytes = Effect.gen(function* () {
  const repository = yield* MediaLibrarySql;
  const store = yield* MediaStore;
  const folder = yield* UploadFolder;

  /**
   * Stores the bytes of a file on this machine. Their key is expected before the first byte is stored, so
   * that the sweeping removes them if no file follows.
   */
  const keep = Effect.fnUntraced(function* (path: string, { bytes, content, name }: Omit<NewFile, "key">) {
    const now = yield* Clock.currentTimeMillis;
    const key = randomBytes(24).toString("base64url");
    yield* repository.expect(key, now + uploadMillis);
    yield* store.put(key, { path, bytes, mimeType: content.mimeType });
    return { key, name, bytes, content } satisfies NewFile;
  });

  return {
    keep,

    /** Stores the bytes of a file once more, under another key; null if the store has lost them. */
    copyBytes: Effect.fnUntraced(function* (row: MediaRow) {
      const { duration_seconds: durationSeconds, height, mime_type: mimeType, type: kind, width } = row;
      const stored = yield* store.read(row.key);
      if (Option.isNone(stored)) return null;
      const { handle, path } = yield* folder.file;
      yield* Stream.runForEach(stored.value.body, (chunk) =>
        MediaStoreUnavailable.attempt(() => handle.writeFile(chunk)),
      );
      const content = { kind, mimeType, width, height, durationSeconds };
      return yield* keep(path, { name: row.name, bytes: row.size_bytes, content });
    }, Effect.scoped),
  };
});
