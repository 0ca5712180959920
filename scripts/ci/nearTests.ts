import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** Folders of tests for what is not below `src`, and for what no folder of the same name tests. */
const folders: ReadonlyArray<readonly [path: RegExp, folders: ReadonlyArray<string>]> = [
  [/^(console\/|test\/browser\/)/, ["test/console/", "test/guards/"]],
  [/^sdk\//, ["test/sdk/"]],
  [/^schema\//, ["test/database/", "test/upgrades/", "test/guards/"]],
  [/^src\/(\w+\/)*\w*(Api|Access|Idempotency)\.ts$/, ["test/matrices/"]],
  [/^src\/\w+\.ts$/, ["test/http/", "test/matrices/", "test/serve/"]],
  [/^(scripts|docs|openapi|[^/]+\.\w+$)/, ["test/guards/"]],
];

/**
 * The filters for Vitest that choose the tests of changed files: a changed test itself, else the tests of the
 * folder of `test` that mirrors the changed file's, with those of the interfaces, pages and schema.
 */
export const testsNear = (changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const filters = changed.flatMap((file) => {
    if (file.endsWith(".test.ts")) return existsSync(file) ? [file] : [];
    const [top, slice = ""] = file.split("/");
    const mirrored = top === "src" ? `test/${slice}/` : top === "test" ? `${dirname(file)}/` : "";
    const named = folders.flatMap(([path, found]) => (path.test(file) ? found : []));
    // A support file beside all folders is used by all tests.
    return [...(mirrored !== "test/" && existsSync(mirrored) ? [mirrored] : []), ...named];
  });
  const all = [...new Set(filters)];
  return all
    .filter((filter) => !all.some((other) => other !== filter && filter.startsWith(other)))
    .toSorted();
};
