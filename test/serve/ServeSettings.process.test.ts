import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";

describe("settings of waypost serve", () => {
  let cli: CliProcess;
  beforeEach(async () => {
    cli = await CliProcess.prepared();
  });
  afterEach(() => cli.dispose());

  it("settings that cannot be used print one clear message (running.settings)", async () => {
    const settings = await cli.run(["serve"], { PORT: "high", WAYPOST_ROLES: "cook" });
    assert.strictEqual(settings.code, 1);
    assert.match(
      settings.stderr,
      /^Waypost cannot read its settings:\n {2}- PORT .*\n {2}- WAYPOST_ROLES .*\n$/,
    );
    const variable = "WAYPOST_SUPERVISED_PROCESS";
    const supervised = await cli.run(["serve"], { [variable]: "1" });
    assert.deepStrictEqual(
      [supervised.code, supervised.stderr],
      [1, `${variable} is no setting: remove it from the environment of waypost serve.\n`],
    );
    const database = await cli.run(["serve"], { DATABASE_URL: "mysql://localhost/x" });
    assert.deepStrictEqual([database.code, database.stdout], [1, ""]);
    assert.match(database.stderr, /DATABASE_URL must be a PostgreSQL address/);
  });

  it("a process without the role api serves only its health (running.health, running.roles)", async () => {
    const file = join(tmpdir(), `${basename(cli.dataDir)}.conf`);
    await writeFile(file, "WAYPOST_ROLES=worker\nWAYPOST_LOG_FORMAT=json\n");
    const { ends, origin } = await cli.serve({ WAYPOST_ROLES: "api" }, ["--config", file]);
    for (const path of ["/health/live", "/health/ready", "/metrics"]) {
      assert.strictEqual((await fetch(origin + path)).status, 200, path);
    }
    for (const path of ["/platform/v1/me", "/operator/v1/workspaces", "/device/v1/messages", "/docs"]) {
      assert.strictEqual((await fetch(origin + path)).status, 404, path);
    }
    const { stderr, stdout } = await ends("SIGTERM");
    assert.strictEqual(stdout, `Waypost is listening on ${origin}\n`);
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.isTrue(
      lines.some((line) => line.annotations?.path === "/docs" && line.annotations.status === 404),
    );
    await rm(file);
    const missing = await cli.run(["serve", "--config", "/nowhere/waypost.conf"]);
    assert.strictEqual(missing.code, 1);
    assert.match(missing.stderr, /\/nowhere\/waypost\.conf/);
  });
});
