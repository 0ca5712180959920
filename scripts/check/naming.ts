import { basename, dirname } from "node:path";
import type { Finding } from "./finding.ts";

const vague = new Set(["Util", "Utils", "Common", "Helper", "Helpers", "Live", "Impl", "Manager"]);
const vagueFolders = new Set(["utils", "util", "common", "helpers", "helper", "lib", "misc", "shared"]);
const lowerCaseNames = new Set(["src/main.ts", "test/globalSetup.ts"]);

/** Rule 5: a file is its main export, in PascalCase, named by what it is, and unique in the repository. */
export const naming = (
  paths: ReadonlyArray<string>,
  slices: ReadonlyArray<string>,
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [];
  const firstOf = new Map<string, string>();
  for (const path of paths.filter((each) => /^(src|test)\/.*\.ts$/.test(each))) {
    const found = (message: string): void => void findings.push({ file: path, line: 1, message });
    const name = basename(path, ".ts");
    const folders = dirname(path).split("/");

    if (!lowerCaseNames.has(path)) {
      if (!/^[A-Z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$/.test(name))
        found(`A file is named by its main export in PascalCase; "${name}" is not.`);
      const word = name.split(/(?=[A-Z])|\./).find((each) => vague.has(each));
      if (word !== undefined || name === "Index")
        found(`"${word ?? name}" names no noun: call the file what it is.`);
    }

    const folder = folders.find((each) => vagueFolders.has(each));
    if (folder !== undefined)
      found(`The folder "${folder}" is no noun of the domain: move the file to its slice.`);
    const slice = folders[1];
    if (folders[0] === "src" && slice !== undefined && !slices.includes(slice))
      found(
        `src/${slice}/ is no slice: add it to scripts/check/slices.ts and ARCHITECTURE.md, in its place.`,
      );

    const known = firstOf.get(name.toLowerCase());
    if (known !== undefined) found(`The name is taken by ${known}: file names are unique in the repository.`);
    else firstOf.set(name.toLowerCase(), path);
  }
  return findings;
};
