/** Archives that depend on their content alone: ordered by path, owned by root, of the time of the commit. */
import { packTar } from "modern-tar";
import { posix } from "node:path";
import { gzipSync } from "node:zlib";

/** A file, a link or a folder. Paths have no leading slash. */
export interface RootFile {
  readonly path: string;
  readonly mode: number;
  /** The bytes of a file, the target of a link, or "folder". */
  readonly content: Uint8Array | { readonly linkTo: string } | "folder";
  /** The owner and its group; root if left out. */
  readonly uid?: number;
  /** The part of the bill that the file belongs to. */
  readonly part: string;
}

/** A file of text or bytes that everyone may read. */
export const plainFile = (
  path: string,
  content: string | Uint8Array,
  part = "waypost",
  mode = 0o644,
): RootFile => ({ path, mode, content: typeof content === "string" ? Buffer.from(content) : content, part });

/** The files with the folders above them, in the order in which a program can unpack them. */
export const withFolders = (files: ReadonlyArray<RootFile>): ReadonlyArray<RootFile> => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const { part, path } of files)
    for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder))
      if (!byPath.has(folder)) byPath.set(folder, { path: folder, mode: 0o755, content: "folder", part });
  return [...byPath.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
};

/** A tar archive of the files, all changed at `time`. */
export const tarOf = (files: ReadonlyArray<RootFile>, time: Date): Promise<Uint8Array> =>
  packTar(
    files.map(({ content, mode, path, uid = 0 }) => {
      const header = { mode, mtime: time, uid, gid: uid, uname: "", gname: "" };
      if (content === "folder")
        return { header: { ...header, name: `${path}/`, size: 0, type: "directory" as const } };
      if ("linkTo" in content) {
        const link = { type: "symlink" as const, linkname: content.linkTo };
        return { header: { ...header, ...link, name: path, size: 0 } };
      }
      return { header: { ...header, name: path, size: content.length }, body: content };
    }),
  );

/** Compresses bytes. The header has neither a name nor a time. */
export const gzipped = (bytes: Uint8Array, isQuick = false): Buffer =>
  gzipSync(bytes, { level: isQuick ? 1 : 9 });
