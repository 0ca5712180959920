import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, describe, it, vi } from "vitest";
import { CliProcess } from "./CliProcess.ts";

const launcher = fileURLToPath(new URL("../../bin/waypost.js", import.meta.url));

describe("an interrupted command", () => {
  it("an interrupted restore leaves nothing behind and says so", async () => {
    const source = await CliProcess.prepared();
    const home = await mkdtemp(join(tmpdir(), "waypost-stopped-"));
    // As root, the database runs under another account, which must be able to enter the folder.
    await chmod(home, 0o755);
    try {
      const file = join(home, "backup.tar.gz");
      const made = await source.run(["backup", file]);
      assert.strictEqual(made.code, 0, made.stderr);

      const dataDir = join(home, "restored");
      const child = spawn(process.execPath, [launcher, "restore", file], {
        env: { PATH: process.env["PATH"], WAYPOST_DATA_DIR: dataDir },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const closed = once(child, "close");
      await vi.waitUntil(() => existsSync(`${dataDir}.restoring/postgres`), {
        timeout: 300_000,
        interval: 20,
      });
      child.kill("SIGINT");
      await closed;
      assert.deepStrictEqual([child.exitCode, stderr], [130, "Stopped. Nothing was restored.\n"]);
      assert.deepStrictEqual(await readdir(home), ["backup.tar.gz"]);
    } finally {
      await source.dispose();
      await rm(home, { recursive: true, force: true });
    }
  });
});
