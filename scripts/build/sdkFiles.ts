/** Builds the web SDK: the scripts that every installation serves, compressed, with their digests. */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** The scripts with their entry points, and the limits of their size in bytes (contract BW2). */
const scripts = [
  { name: "waypost.js", entry: "sdk/page/WaypostPage.ts", format: "esm", maxBytes: 6_000 },
  // A service worker of the app loads it by `importScripts`.
  { name: "worker.js", entry: "sdk/worker/PushWorker.ts", format: "iife", maxBytes: 3_000 },
  { name: "inbox.js", entry: "sdk/inbox/WaypostInbox.ts", format: "esm", maxBytes: 6_000 },
  // The page that makes a browser a test device of the console.
  { name: "try.js", entry: "sdk/try/TryPage.ts", format: "esm", maxBytes: 3_000 },
] as const;

/** A built script. */
export interface SdkScript {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  /** The limit of `gzip`, in bytes. */
  readonly maxBytes: number;
}

/** Builds the scripts in memory. The same sources give the same files. */
export const buildSdk = (root: string): Promise<ReadonlyArray<SdkScript>> =>
  Promise.all(
    scripts.map(async ({ entry, format, maxBytes, name }) => {
      const { outputFiles } = await build({
        absWorkingDir: root,
        entryPoints: [entry],
        bundle: true,
        write: false,
        format,
        platform: "browser",
        target: "es2022",
        minify: true,
        legalComments: "none",
        tsconfig: "sdk/tsconfig.json",
        logLevel: "warning",
      });
      const bytes = outputFiles[0]?.contents ?? new Uint8Array();
      return { name, bytes, gzip: gzipSync(bytes, { level: 9 }), maxBytes };
    }),
  );

const integrityOf = (bytes: Uint8Array): string =>
  `sha384-${createHash("sha384").update(bytes).digest("base64")}`;

/** The files of a built SDK by their names below `sdk/`, as the program reads them. */
export const packedSdk = (
  built: ReadonlyArray<SdkScript>,
): ReadonlyArray<readonly [name: string, bytes: Uint8Array]> => {
  const ofApps = built.filter(({ name }) => name !== "try.js");
  const integrity = Object.fromEntries(ofApps.map(({ bytes, name }) => [name, integrityOf(bytes)]));
  const brotli = (bytes: Uint8Array): Uint8Array =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  const others = [
    ["integrity.json", new TextEncoder().encode(JSON.stringify(integrity))],
    ["try.html", readFileSync(join(import.meta.dirname, "../../sdk/try/try.html"))],
  ] as const;
  return [
    ...built.flatMap(({ bytes, gzip, name }) => [
      [`${name}.gz`, gzip] as const,
      [`${name}.br`, brotli(bytes)] as const,
    ]),
    ...others.flatMap(([name, bytes]) => [
      [`${name}.gz`, gzipSync(bytes)] as const,
      [`${name}.br`, brotli(bytes)] as const,
    ]),
  ];
};

/** Writes a built SDK into a folder: the scripts themselves for the package, and the served files. */
export const writeSdk = (built: ReadonlyArray<SdkScript>, folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { bytes, name } of built) writeFileSync(join(folder, name), bytes);
  for (const [name, bytes] of packedSdk(built)) writeFileSync(join(folder, name), bytes);
};
