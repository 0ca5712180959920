import { Effect } from "effect";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
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

  it("data survive restarts, also failed ones (running.secret, running.stop, running.twice)", async () => {
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

    // A start that cannot succeed prints one clear message (running.secret, running.settings).
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const taken = await cli.run(["serve"], { PORT: String((blocker.address() as AddressInfo).port) });
    blocker.close();
    assert.deepStrictEqual([taken.code, taken.stdout], [1, ""]);
    assert.match(taken.stderr, /Waypost cannot listen on 127\.0\.0\.1:\d+: the port is in use\./);
    assert.notMatch(taken.stderr, / {4}at /);
    await assertNoPostgresLeft(cli.dataDir);
    const secret = await cli.run(["serve"], { WAYPOST_SECRET_KEY: "another-secret-key-than-the-first" });
    assert.strictEqual(secret.code, 1);
    assert.match(secret.stderr, /The secret key is not the one that this database was first used with/);

    const { ends } = await cli.serve();
    assert.strictEqual(await cli.operatorKey(), key);
    assert.match((await runHere(["workspace", "list"])).stdout, /Acme/);
    assert.strictEqual((await ends("SIGTERM")).code, 0);
  });
});
