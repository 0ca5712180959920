import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledBytes } from "../database/embedded/BundledRuntime.ts";

/** The folder of the executable's assets, and below `dist/` in a source tree. */
const folder = "console";

/** A built file of the console. Its name contains a digest of its content. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** The built console: `scripts/build/console.ts` writes it. */
export interface ConsoleFiles {
  /** The page of every address, with the marks that `consolePage` replaces. */
  readonly page: string;
  /** A file by its name; undefined for an unknown one. */
  readonly file: (name: string) => ConsoleFile | undefined;
}

/** The content types of files by extension. A file with another extension is not served. */
const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};

const acceptedName = /^[\w-]+(?:\.[\w-]+)*-[A-Z0-9]{8}\.(js|css|json|svg)$/;

const fromSourceTree = (name: string): Uint8Array | undefined => {
  const path = join(import.meta.dirname, "../../dist", folder, name);
  return existsSync(path) ? readFileSync(path) : undefined;
};

/** Reads the built console; null if it was not built. */
export const readConsoleFiles = (): ConsoleFiles | null => {
  const read = (name: string) => bundledBytes(`${folder}/${name}`) ?? fromSourceTree(name);
  const page = read("index.html");
  if (page === undefined) return null;
  const known = new Map<string, ConsoleFile>();
  return {
    page: new TextDecoder().decode(page),
    file: (name) => {
      const contentType = contentTypes[acceptedName.exec(name)?.[1] ?? ""];
      const found = known.get(name);
      if (contentType === undefined || found !== undefined) return found;
      const [gzip, brotli] = [read(`assets/${name}.gz`), read(`assets/${name}.br`)];
      if (gzip === undefined || brotli === undefined) return undefined;
      const file = { contentType, gzip, brotli };
      known.set(name, file);
      return file;
    },
  };
};
