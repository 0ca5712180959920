import type fs from "node:fs";
import type path from "node:path";
import type url from "node:url";

/** A file given by its path (Node.js only) or as a `Blob` or `File`. */
export type FileSource = string | URL | Blob;

/** A file to send: its bytes stay on disk until they are sent, also in retries. */
export interface OpenedFile {
  readonly blob: Blob;
  /** Its base name; null where it has none. */
  readonly name: string | null;
}

/** Opens a file without reading it. Rejects with what Node.js says when there is no such file. */
export const openFile = async (source: FileSource, type?: string): Promise<OpenedFile> => {
  if (source instanceof Blob) {
    // What is typed otherwise is sent as what it is meant to be.
    const blob = type === undefined || source.type === type ? source : source.slice(0, source.size, type);
    return { blob, name: "name" in source && typeof source.name === "string" ? source.name : null };
  }
  const { openAsBlob } = await nodeModule<typeof fs>("node:fs");
  const { basename } = await nodeModule<typeof path>("node:path");
  const { fileURLToPath } = await nodeModule<typeof url>("node:url");
  const file = source instanceof URL ? fileURLToPath(source) : source;
  return { blob: await openAsBlob(file, type === undefined ? {} : { type }), name: basename(file) };
};

/** Loads a module of Node.js where there is one. Its name is no literal in `import`, so that bundlers for browsers leave it alone. */
const nodeModule = async <Module>(name: string): Promise<Module> => {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;
  } catch (cause) {
    throw new TypeError("Files can be given by path only in Node.js: give a Blob or File instead.", {
      cause,
    });
  }
};
