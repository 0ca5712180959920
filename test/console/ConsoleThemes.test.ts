import { assert, it } from "@effect/vitest";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../console");

/** `light-dark()` gives colours only. So tests check what is no colour in one theme. */
it("the themes of the console differ in nothing but colours and the ground of maps", () => {
  const files = globSync("**/*.{css,ts,tsx,html}", { cwd: folder });
  assert.isAbove(files.length, 50);
  const asking = files.filter((file) =>
    /prefers-color-scheme/.test(readFileSync(join(folder, file), "utf8")),
  );
  assert.deepStrictEqual(asking, ["parts/map/MapView.tsx"]);
});
