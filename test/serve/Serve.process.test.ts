import { Effect } from "effect";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { assertNoPostgresLeft } from "../database/RealProcesses.ts";
import { CliProcess } from "../cli/CliProcess.ts";
import { runCli } from "../cli/CommandLine.ts";

describe("waypost serve", () => {
  let cli: CliProcess;
  beforeEach(async () => {
    cli = await CliProcess.prepared();
  });
  afterEach(() => cli.dispose());
  /** Runs a command in this process. */
  const runHere = (parameters: ReadonlyArray<string>) =>
    Effect.runPromise(runCli(parameters, { WAYPOST_DATA_DIR: cli.dataDir }));

  it("SIGTERM lets a request finish and leaves nothing running (running.says, running.stop)", async () => {
    // The data directory does not exist yet.
    await cli.dispose();
    const { child, ends, origin } = await cli.serve();
    // A client with an idle connection does not delay the stop.
    const agent = new Agent({ keepAlive: true });
    const [idle] = (await once(request(`${origin}/health/ready`, { agent }).end(), "response")) as [
      IncomingMessage,
    ];
    assert.strictEqual(idle.statusCode, 200);
    await once(idle.resume(), "end");

    const body = JSON.stringify({ name: "Late" });
    const late = request(`${origin}/operator/v1/workspaces`, {
      agent,
      method: "POST",
      headers: {
        authorization: `Bearer ${await cli.operatorKey()}`,
        "content-type": "application/json",
        "content-length": body.length,
        expect: "100-continue",
      },
    });
    late.flushHeaders();
    // The server has received the head, and no byte of the body.
    await once(late, "continue");
    const halfHead = connect(Number(new URL(origin).port), "127.0.0.1");
    halfHead.write("GET /health/live HTTP/1.1\r\nHost");
    const cut = once(
      halfHead.on("error", () => undefined),
      "close",
    );
    const ended = ends("SIGTERM");
    // The server waits neither for the rest of a head nor for a connection that is idle after its response.
    await cut;
    late.end(body);
    const [answer] = (await once(late, "response")) as [IncomingMessage];
    assert.strictEqual(answer.statusCode, 201);
    assert.strictEqual(answer.headers.connection, "close");
    answer.resume();
    const { code, stderr, stdout } = await ended;
    agent.destroy();
    // After the address, one line says what to do next (running.lines).
    const next = stderr.split("\n").filter((line) => line.includes("waypost console"));
    assert.lengthOf(next, 1);
    assert.include(next[0], `${origin}/docs`);
    assert.include(next[0], `the data in ${cli.dataDir}`);
    assert.deepStrictEqual([code, stdout], [0, `Waypost is listening on ${origin}\n`]);
    assert.isNotNull(child.exitCode);
    assert.isFalse(existsSync(join(cli.dataDir, "server.json")));
    await assertNoPostgresLeft(cli.dataDir);
  });

  it("data survive a restart; a data directory has one process (running.stop, running.twice)", async () => {
    const first = await cli.serve();
    // A process for one code of each kind: `second` below is the other.
    assert.strictEqual((await runHere(["workspace", "create", "--name", "Acme"])).code, 0);
    assert.strictEqual((await runHere(["workspace", "show", "Nobody"])).code, 1);
    assert.strictEqual((await cli.run(["workspace", "make"])).code, 2);
    const second = await cli.run(["serve"]);
    assert.deepStrictEqual([second.code, second.stdout], [1, ""]);
    assert.match(second.stderr, /^The data directory \S+ is in use by process \d+\./);
    assert.notMatch(second.stderr, / {4}at /);
    const key = await cli.operatorKey();
    assert.strictEqual((await first.ends("SIGINT")).code, 0);
    const { ends } = await cli.serve();
    assert.strictEqual(await cli.operatorKey(), key);
    assert.match((await runHere(["workspace", "list"])).stdout, /Acme/);
    assert.strictEqual((await ends("SIGTERM")).code, 0);
  });

  it("a start that cannot succeed prints one clear message (running.secret, running.settings)", async () => {
    const { ends, origin } = await cli.serve();
    const other = await CliProcess.prepared();
    try {
      const taken = await other.run(["serve"], { PORT: new URL(origin).port });
      assert.deepStrictEqual([taken.code, taken.stdout], [1, ""]);
      assert.match(taken.stderr, /Waypost cannot listen on 127\.0\.0\.1:\d+: the port is in use\./);
      assert.notMatch(taken.stderr, / {4}at /);
      await assertNoPostgresLeft(other.dataDir);
    } finally {
      await other.dispose();
    }
    await ends("SIGTERM");
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
    const secret = await cli.run(["serve"], { WAYPOST_SECRET_KEY: "another-secret-key-than-the-first" });
    assert.strictEqual(secret.code, 1);
    assert.match(secret.stderr, /The secret key is not the one that this database was first used with/);
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
