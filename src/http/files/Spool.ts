import { Context, Effect, Layer, Metric } from "effect";
import { randomUUID } from "node:crypto";
import { type FileHandle, open, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectory } from "../../database/DataDirectory.ts";

/** Bytes of a page, which holds a part of one file. */
export const pageBytes = 65_536;

/** Bytes of the spool of a process. */
export const maxSpoolBytes = 536_870_912;

/** The bytes of the pages in use. */
export const spooledBytes = Metric.gauge("waypost_spool_bytes", {
  description: "Bytes of files that wait in the spool for their clients.",
});

/** Bounds of a spool in pages, by the free bytes of its disk: it takes at most a quarter of them. */
export const SpoolPages = Context.Reference<(freeBytes: number) => number>("waypost/http/files/SpoolPages", {
  defaultValue: () => (freeBytes) => Math.floor(Math.min(maxSpoolBytes, freeBytes / 4) / pageBytes),
});

/**
 * Pages on disk for files that wait for their clients (docs/decisions/0070). They are in one file without a
 * name, which a crash does not leave behind, and which is closed when no page is in use.
 */
export class Spool extends Context.Service<Spool>()("waypost/http/files/Spool", {
  make: Effect.gen(function* () {
    const { path } = yield* DataDirectory;
    const pagesFor = yield* SpoolPages;
    const services = yield* Effect.context();
    const taken = new Map<number, number>();
    let used = 0;
    let next = 0;
    let freed: Array<number> = [];
    let file: Promise<{ readonly handle: FileHandle; readonly pages: number }> | null = null;

    const openFile = async () => {
      const name = join(path, `spool-${randomUUID()}`);
      const { bavail, bsize } = await statfs(path);
      const handle = await open(name, "wx+", 0o600);
      await unlink(name);
      return { handle, pages: pagesFor(bavail * bsize) };
    };
    const count = (workspaceId: number, change: 1 | -1): void => {
      used += change;
      const own = (taken.get(workspaceId) ?? 0) + change;
      if (own === 0) taken.delete(workspaceId);
      else taken.set(workspaceId, own);
      spooledBytes.updateUnsafe(used * pageBytes, services);
      if (used > 0) return;
      file?.then(({ handle }) => handle.close()).catch(() => undefined);
      [file, next, freed] = [null, 0, []];
    };
    const release = (workspaceId: number, page: number): void => {
      freed.push(page);
      count(workspaceId, -1);
    };

    return {
      /**
       * Writes a page; null if there is no room. A workspace gets at most as many as it leaves to others.
       * Rejects if the disk cannot take it.
       */
      write: async (workspaceId: number, part: Uint8Array): Promise<number | null> => {
        count(workspaceId, 1);
        const page = freed.pop() ?? next++;
        try {
          const { handle, pages } = await (file ??= openFile());
          if ((taken.get(workspaceId) ?? 0) <= pages - used) {
            const { bytesWritten } = await handle.write(part, 0, pageBytes, page * pageBytes);
            if (bytesWritten < pageBytes) throw new Error("The disk is full");
            return page;
          }
        } catch (error) {
          release(workspaceId, page);
          throw error;
        }
        release(workspaceId, page);
        return null;
      },

      read: async (page: number): Promise<Uint8Array> => {
        const part = Buffer.allocUnsafe(pageBytes);
        const { bytesRead } = (await (await file)?.handle.read(part, 0, pageBytes, page * pageBytes)) ?? {};
        if (bytesRead !== pageBytes) throw new Error("The spool of files cannot be read");
        return part;
      },

      release,
    };
  }),
}) {
  static readonly layer = Layer.effect(Spool, Spool.make);
}
