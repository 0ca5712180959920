import { assert, describe, it } from "@effect/vitest";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { databaseParent } from "../TestFolder.ts";
import { CliProcess } from "./CliProcess.ts";
import { projectRoot, shellBlocks } from "./first-campaign/PageCommands.ts";

/** A program of a folder that runs a script with this Node. */
const program = (folder: string, name: string, script: string) =>
  writeFile(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' ${script} "$@"\n`, { mode: 0o755 });

describe("docs/first-campaign.md", () => {
  it("its commands run in order on a new installation, and each request is accepted", async () => {
    const cli = await CliProcess.prepared();
    const folder = await mkdtemp(join(databaseParent, "waypost-shell-"));
    try {
      const { origin } = await cli.serve();
      await program(folder, "curl", `'${join(projectRoot, "test/cli/first-campaign/curl.mjs")}'`);
      await writeFile(
        join(folder, "npx"),
        `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(projectRoot, "bin/waypost.js")}' "$@"\n`,
        { mode: 0o755 },
      );
      await program(folder, "node", "");
      const script = shellBlocks("docs/first-campaign.md", "# The first campaign, with curl")
        .join("")
        .replaceAll("http://127.0.0.1:8080", origin);
      const { code, stderr, stdout } = await new Promise<{ code: number; stderr: string; stdout: string }>(
        (resolve) => {
          const child = execFile(
            "sh",
            ["-e", "-c", script],
            { cwd: projectRoot, env: { PATH: `${folder}:/usr/bin:/bin`, WAYPOST_DATA_DIR: cli.dataDir } },
            (_, out, err) => resolve({ code: child.exitCode ?? 1, stderr: err, stdout: out }),
          );
        },
      );
      assert.strictEqual(code, 0, stderr);
      const statuses = [...stderr.matchAll(/^(\d{3}) http/gm)].map(([, status]) => status);
      assert.isAbove(statuses.length, 10, stderr);
      assert.deepStrictEqual(
        statuses.filter((status) => !status?.startsWith("2")),
        [],
        stdout + stderr,
      );
      assert.include(stdout, '"headline":"Welcome to Amsterdam"');
    } finally {
      await cli.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
