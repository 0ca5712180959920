import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledBytes } from "../../database/embedded/BundledRuntime.ts";
import type { CodedContent } from "../ContentCoding.ts";

/** Reads a file of the executable, or below `dist/` in a source tree; undefined if it was not built. */
export const readBuilt = (path: string): Uint8Array | undefined => {
  const bundled = bundledBytes(path);
  if (bundled !== undefined) return bundled;
  const inTree = join(import.meta.dirname, "../../../dist", path);
  return existsSync(inTree) ? readFileSync(inTree) : undefined;
};

/** Reads a file that the build compressed; undefined if it was not built. */
export const readBuiltFile = (path: string, contentType: string): CodedContent | undefined => {
  const [gzip, brotli] = [readBuilt(`${path}.gz`), readBuilt(`${path}.br`)];
  return gzip === undefined || brotli === undefined ? undefined : { contentType, gzip, brotli };
};
