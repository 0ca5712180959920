/** Rules of the names of files and folders. */
import { basename, dirname } from "node:path";
import type { Finding } from "./finding.ts";

const vague = new Set(["Util", "Utils", "Common", "Helper", "Helpers", "Live", "Impl", "Manager"]);
const vagueFolders = new Set(["utils", "util", "common", "helpers", "helper", "lib", "misc", "shared"]);
const lowerCaseNames = new Set(["src/main.ts", "test/globalSetup.ts"]);

/** A file is named in PascalCase by its main export, a noun. The name is unique in the repository. */
export const naming = (
  paths: ReadonlyArray<string>,
  slices: ReadonlyArray<string>,
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [];
  const firstOf = new Map<string, string>();
  for (const path of paths.filter((each) => /^(src|console|sdk|test)\/.*\.tsx?$/.test(each))) {
    const report = (message: string): void => void findings.push({ file: path, line: 1, message });
    const name = basename(path).replace(/\.tsx?$/, "");
    const folders = dirname(path).split("/");

    if (!lowerCaseNames.has(path)) {
      if (!/^[A-Z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$/.test(name))
        report(`The name "${name}" is not PascalCase: name the file by its main export.`);
      const vagueWord = name.split(/(?=[A-Z])|\./).find((each) => vague.has(each));
      if (vagueWord !== undefined || name === "Index")
        report(`"${vagueWord ?? name}" is vague: name the file by what it contains.`);
    }

    const folder = folders.find((each) => vagueFolders.has(each));
    if (folder !== undefined)
      report(`The folder "${folder}" is not a noun of the domain: move the file into its slice.`);
    const slice = folders[1];
    if (folders[0] === "src" && slice !== undefined && !slices.includes(slice))
      report(
        `src/${slice}/ is not a slice: add it to scripts/check/slices.ts and ARCHITECTURE.md, in its order.`,
      );

    const known = firstOf.get(name.toLowerCase());
    if (known === undefined) firstOf.set(name.toLowerCase(), path);
    else report(`The name is used by ${known}: file names are unique in the repository.`);
  }
  return findings;
};

/** The maximum number of files on one level of a folder of src/, and of src/ itself. */
export const maxFiles = { folder: 35, root: 8 };

/** A folder of src/ is small enough to read as a list. */
export const folderSizes = (paths: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const files = paths.filter((path) => /^(src|console|sdk)\//.test(path));
  return [...Map.groupBy(files, dirname)].flatMap(([folder, { length }]) => {
    const limit = folder === "src" ? maxFiles.root : maxFiles.folder;
    const message = `${length} files on one level; the maximum is ${limit}: group some in a subfolder.`;
    return length > limit ? [{ file: folder, line: 1, message }] : [];
  });
};
