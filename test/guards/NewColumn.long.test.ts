import { assert, it } from "vitest";
import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";

it("a new column of a campaign touches at most five files of the source", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/check/newColumn.ts"]);
  assert.match(stdout, /A new column of a campaign touches \d files of src/);
});
