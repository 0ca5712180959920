import type { CodedContent } from "../http/ContentCoding.ts";
import { readBuilt, readBuiltFile } from "../http/pages/BuiltFiles.ts";

/** The built console: `scripts/build/console.ts` writes it. */
export interface ConsoleFiles {
  /** The page of every address, with the marks that `consolePage` replaces. */
  readonly page: string;
  /** A file by its name, which contains a digest of its content; undefined for an unknown one. */
  readonly file: (name: string) => CodedContent | undefined;
}

/** The content types of files by extension. A file with another extension is not served. */
const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};

const acceptedName = /^[\w-]+(?:\.[\w-]+)*-[A-Z0-9]{8}\.(js|css|json|svg)$/;

/** Reads the built console; null if it was not built. */
export const readConsoleFiles = (): ConsoleFiles | null => {
  const page = readBuilt("console/index.html");
  if (page === undefined) return null;
  const known = new Map<string, CodedContent>();
  return {
    page: new TextDecoder().decode(page),
    file: (name) => {
      const contentType = contentTypes[acceptedName.exec(name)?.[1] ?? ""];
      const found = known.get(name);
      if (contentType === undefined || found !== undefined) return found;
      const file = readBuiltFile(`console/assets/${name}`, contentType);
      if (file !== undefined) known.set(name, file);
      return file;
    },
  };
};
