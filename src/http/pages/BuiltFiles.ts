import { Effect } from "effect";
import { HttpServerResponse } from "effect/http";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { bundledBytes } from "../../database/embedded/BundledRuntime.ts";

/** A built file in the two codings in which it is stored. */
export interface BuiltFile {
  readonly contentType: string;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** Reads a file of the executable, or below `dist/` in a source tree; undefined if it was not built. */
export const readBuilt = (path: string): Uint8Array | undefined => {
  const bundled = bundledBytes(path);
  if (bundled !== undefined) return bundled;
  const inTree = join(import.meta.dirname, "../../../dist", path);
  return existsSync(inTree) ? readFileSync(inTree) : undefined;
};

/** Reads a file that the build compressed; undefined if it was not built. */
export const readBuiltFile = (path: string, contentType: string): BuiltFile | undefined => {
  const [gzip, brotli] = [readBuilt(`${path}.gz`), readBuilt(`${path}.br`)];
  return gzip === undefined || brotli === undefined ? undefined : { contentType, gzip, brotli };
};

const accepts = (header: string | undefined, coding: string): boolean =>
  (header ?? "").split(",").some((each) => {
    const [name, weight] = each.trim().split(/\s*;\s*q=/);
    return name === coding && Number(weight ?? 1) > 0;
  });

/** A response with a built file, in the best coding that `Accept-Encoding` names. */
export const builtFileResponse = Effect.fnUntraced(function* (
  { brotli, contentType, gzip }: BuiltFile,
  accepted: string | undefined,
  headers: Readonly<Record<string, string>>,
) {
  const varied = { ...headers, vary: "accept-encoding" };
  for (const [coding, bytes] of [
    ["br", brotli],
    ["gzip", gzip],
  ] as const)
    if (accepts(accepted, coding))
      return HttpServerResponse.uint8Array(bytes, {
        contentType,
        headers: { ...varied, "content-encoding": coding },
      });
  const bytes = yield* Effect.promise(() => promisify(gunzip)(gzip));
  return HttpServerResponse.uint8Array(bytes, { contentType, headers: varied });
});
