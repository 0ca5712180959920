import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, assert, describe, it } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { about, type Told, verdicts } from "./ReportedFindings.ts";

describe("waypost doctor with the embedded database", () => {
  const made: Array<CliProcess> = [];
  afterEach(async () => {
    for (const each of made.splice(0)) await each.dispose();
  });
  const asking = async () => {
    const process = await CliProcess.make();
    made.push(process);
    const ask = async (settings: Record<string, string> = {}) => {
      const { code, stdout } = await process.run(["doctor", "--json"], settings);
      return { code, told: JSON.parse(stdout) as Told };
    };
    return { process, ask };
  };

  it("finds all well while it runs, and what was broken since while it does not (running.doctor)", async () => {
    const { ask, process } = await asking();
    const server = await process.serve();
    const well = await ask();
    assert.deepStrictEqual(
      verdicts(well.told).filter(([area]) => area !== "data directory"),
      [],
    );
    assert.strictEqual(well.code, 0);
    assert.include(about(well.told, "work", "workers")[0]?.seen, `(process ${server.child.pid})`);
    assert.include(about(well.told, "server", "health")[0]?.seen, `${server.origin} answers, and is ready`);

    await server.ends("SIGKILL");
    const { dataDir } = process;
    await chmod(join(dataDir, "operator.key"), 0o644);
    await writeFile(join(dataDir, "secret.key"), "somebody-elses-secret-key\n");
    await rm(join(dataDir, "media"), { recursive: true });
    await writeFile(join(dataDir, "media"), "in its place");
    const ill = await ask();
    assert.strictEqual(ill.code, 1);
    assert.includeDeepMembers(verdicts(ill.told), [
      ["data directory", "operator key", "problem"],
      ["database", "secret key", "problem"],
      ["media", "store", "problem"],
      ["server", "health", "warning"],
    ]);
    assert.deepStrictEqual(
      about(ill.told, "database", "schema").map(({ verdict }) => verdict),
      ["ok"],
    );

    // It was a guest: the next start finds everything as it was.
    await writeFile(join(dataDir, "secret.key"), "x");
    const told = await process.run(["doctor"]);
    assert.strictEqual(told.code, 1);
    assert.include(told.stdout, "PROBLEM");
    assert.include(told.stderr, "The doctor found");
  });

  it("says that the database is away, without its password, and looks at all the rest (running.doctor)", async () => {
    const { ask } = await asking();
    const { code, told } = await ask({ DATABASE_URL: "postgres://someone:hunter2@127.0.0.1:1/none" });
    assert.strictEqual(code, 1);
    assert.deepStrictEqual(
      about(told, "database", "reached").map(({ verdict }) => verdict),
      ["problem"],
    );
    assert.notInclude(JSON.stringify(told), "hunter2");
    assert.deepStrictEqual(
      about(told, "media", "pictures").map(({ verdict }) => verdict),
      ["ok"],
    );
    assert.deepStrictEqual(
      about(told, "clock", "time zones").map(({ verdict }) => verdict),
      ["ok"],
    );
  });
});
