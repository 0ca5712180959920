import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, assert, describe, it } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { type DoctorReport, findingsOf, notOk } from "./ReportedFindings.ts";

describe("waypost doctor with the embedded database", () => {
  const processes: Array<CliProcess> = [];
  afterEach(async () => {
    for (const each of processes.splice(0)) await each.dispose();
  });
  const installation = async () => {
    const process = await CliProcess.prepared();
    processes.push(process);
    // Databases of tests are not synced, which the doctor would find.
    const settings = join(process.dataDir, "postgres/postgresql.conf");
    await writeFile(settings, (await readFile(settings, "utf8")).replace("\nfsync = off\n", "\n"));
    const runDoctor = async (variables: Record<string, string> = {}) => {
      const { code, stdout } = await process.run(["doctor", "--json"], variables);
      return { code, report: JSON.parse(stdout) as DoctorReport };
    };
    return { process, runDoctor };
  };

  it("the doctor and GET /health/report find what breaks later (running.doctor, S7.4)", async () => {
    const { process, runDoctor } = await installation();
    const server = await process.serve();
    const healthy = await runDoctor();
    assert.deepStrictEqual(
      notOk(healthy.report).filter(([area]) => area !== "data directory"),
      [],
    );
    assert.strictEqual(healthy.code, 0);
    assert.include(
      findingsOf(healthy.report, "work", "workers")[0]?.observation,
      `(process ${server.child.pid})`,
    );
    assert.include(
      findingsOf(healthy.report, "server", "health")[0]?.observation,
      `${server.origin} responds and is ready`,
    );

    // The server says the same, to the operator alone.
    const ask = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${server.origin}/operator/v1/health/report`, { headers });
      return { status: response.status, body: (await response.json()) as any };
    };
    assert.strictEqual((await ask("someone-else")).status, 401);
    const key = await process.operatorKey();
    const [first, second] = await Promise.all([ask(key), ask(key)]);
    assert.deepStrictEqual([first.status, first.body], [200, second.body]);
    const checks = ({ findings }: DoctorReport) =>
      findings.map(({ advice, area, check, verdict }) => ({ advice, area, check, verdict }));
    assert.deepStrictEqual(checks(first.body.data), checks(healthy.report));
    assert.strictEqual(first.body.data.ok, healthy.report.ok);
    assert.include(
      findingsOf(first.body.data, "work", "workers")[0]?.observation,
      `(process ${server.child.pid})`,
    );
    assert.notInclude(JSON.stringify(first.body), key);

    await server.ends("SIGKILL");
    const { dataDir } = process;
    await chmod(join(dataDir, "operator.key"), 0o644);
    await writeFile(join(dataDir, "secret.key"), "somebody-elses-secret-key\n");
    await rm(join(dataDir, "media"), { recursive: true });
    await writeFile(join(dataDir, "media"), "a file");
    const broken = await runDoctor();
    assert.strictEqual(broken.code, 1);
    assert.includeDeepMembers(notOk(broken.report), [
      ["data directory", "operator key", "problem"],
      ["database", "secret key", "problem"],
      ["media", "store", "problem"],
      ["server", "health", "warning"],
    ]);
    assert.include(
      findingsOf(broken.report, "data directory", "operator key")[0]?.observation,
      `has mode 0644: only the mode of ${dataDir} keeps other accounts from the key.`,
    );
    assert.deepStrictEqual(
      findingsOf(broken.report, "database", "schema").map(({ verdict }) => verdict),
      ["ok"],
    );

    // A short secret key is a problem too, and the output for people marks it.
    await writeFile(join(dataDir, "secret.key"), "x");
    const text = await process.run(["doctor"]);
    assert.strictEqual(text.code, 1);
    assert.include(text.stdout, "PROBLEM");
    assert.include(text.stderr, "The doctor found");
  });

  it("an unreachable database is reported without its password (running.doctor)", async () => {
    const { runDoctor } = await installation();
    const { code, report } = await runDoctor({ DATABASE_URL: "postgres://someone:hunter2@127.0.0.1:1/none" });
    assert.strictEqual(code, 1);
    assert.deepStrictEqual(
      findingsOf(report, "database", "reached").map(({ verdict }) => verdict),
      ["problem"],
    );
    assert.notInclude(JSON.stringify(report), "hunter2");
    assert.deepStrictEqual(
      findingsOf(report, "media", "pictures").map(({ verdict }) => verdict),
      ["ok"],
    );
    assert.deepStrictEqual(
      findingsOf(report, "clock", "time zones").map(({ verdict }) => verdict),
      ["ok"],
    );
  });
});
