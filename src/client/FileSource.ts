import type fs from "node:fs";
import type path from "node:path";
import type url from "node:url";
import type { FileSource, UrlLike } from "./Portable.ts";

/** A file to send. Its bytes stay on disk until each attempt sends them. */
export interface OpenedFile {
  readonly blob: Blob;
  /** Base name of the file; null if it has none. */
  readonly name: string | null;
}

/** Whether an import is given as a file, not as an object. */
export const isFileSource = (source: unknown): source is FileSource =>
  typeof source === "string" || source instanceof URL || source instanceof Blob;

/** Opens a file without reading it. Rejects with the error of Node.js if the file does not exist. */
export const openFile = async (source: FileSource, type?: string): Promise<OpenedFile> => {
  if (source instanceof Blob) {
    // Slicing changes the type without copying the bytes.
    const blob = type === undefined || source.type === type ? source : source.slice(0, source.size, type);
    return { blob, name: "name" in source && typeof source.name === "string" ? source.name : null };
  }
  const { openAsBlob } = await nodeModule<typeof fs>("node:fs");
  const { basename } = await nodeModule<typeof path>("node:path");
  const { fileURLToPath } = await nodeModule<typeof url>("node:url");
  const file = typeof source === "string" ? source : fileURLToPath((source as UrlLike).href);
  return { blob: await openAsBlob(file, type === undefined ? {} : { type }), name: basename(file) };
};

/** Imports a module of Node.js. Its name is not a literal, so that browser bundlers ignore the import. */
const nodeModule = async <Module>(name: string): Promise<Module> => {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;
  } catch (cause) {
    throw new TypeError("A file path works in Node.js only: pass a Blob or File instead.", { cause });
  }
};
