import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { assert, describe, it } from "vitest";

describe("recurring campaigns", () => {
  it("kills while dates are planned and sent lose and double nothing (V2.5, L5)", async () => {
    const script = new URL("../../../scripts/chaos.ts", import.meta.url).pathname;
    const args = [script, "--recurring", "--devices", "400", "--kills", "4", "--seed", "1"];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    for (const fault of ["lost", "duplicate", "work that does not end"])
      assert.match(stdout, new RegExp(`^${fault} +0$`, "m"));
  });
});
