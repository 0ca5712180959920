import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { assertNoPostgresLeft } from "../database/RealProcesses.ts";

/** Limits of polls. They do not wait for time: a loaded machine needs long for a process. */
const limits = { timeout: 500_000, interval: 50 };

const waitFor = (condition: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(condition, limits);

interface Asked {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Sends a request on a connection of its own: any request process may get it. */
const ask = async (url: string, token = "", method = "GET", body?: object): Promise<Asked> => {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": text.length,
  };
  const sent = request(url, { agent: false, method, headers });
  sent.end(text);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks = await response.toArray();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("waypost serve with WAYPOST_PROCESSES=2", () => {
  let cli: CliProcess;
  let server: Awaited<ReturnType<CliProcess["serve"]>>;
  let operatorKey = "";
  beforeEach(async () => {
    cli = await CliProcess.prepared();
    server = await cli.serve({ WAYPOST_PROCESSES: "2", WAYPOST_LOG_FORMAT: "json" });
    operatorKey = await cli.operatorKey();
  });
  afterEach(() => cli.dispose());

  /** The process ids that the supervisor has logged for a process, in order. */
  const pidsOf = (name: string): ReadonlyArray<number> =>
    [...server.log().matchAll(new RegExp(`The process ${name} runs \\(process id (\\d+)\\)`, "g"))].map(
      ([, pid]) => Number(pid),
    );
  const operator = async (method: string, path: string, body?: object) => {
    const { status, text } = await ask(`${server.origin}/operator/v1${path}`, operatorKey, method, body);
    assert.isBelow(status, 300, text);
    return text === "" ? null : JSON.parse(text).data;
  };
  const metric = async (series: string): Promise<number | undefined> => {
    const { text } = await ask(`${server.origin}/metrics`);
    const line = text.split("\n").find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  /** Whether each of the processes has logged a request to a path. */
  const hasServed = (path: string, names: ReadonlyArray<string>): boolean =>
    names.every((name) =>
      server
        .log()
        .split("\n")
        .some((line) => line.includes(`"process":"${name}"`) && line.includes(`"${path}"`)),
    );

  /** Both processes serve, with the limits and tokens of one Waypost. Returns the requests that succeeded. */
  const useBoth = async (): Promise<number> => {
    const plan = { sandbox_requests_per_minute: 6 };
    const { id } = await operator("POST", "/workspaces", { name: "Acme", plan });
    const tokens = `/workspaces/${id}/tokens`;
    const made = { name: "Test", environment: "sandbox", abilities: ["locations:read"] };
    const { id: tokenId, token } = await operator("POST", tokens, made);
    const platform = `${server.origin}/sandbox/platform/v1`;
    const granted: Array<Asked> = [];
    await waitFor(async () => {
      const asked = await ask(`${platform}/me`, token);
      if (asked.status === 200) granted.push(asked);
      return asked.status === 429 && hasServed("/sandbox/platform/v1/me", ["api-1", "api-2"]);
    });
    // A minute may end in between, and the window with it.
    const left = granted.map(({ headers }) =>
      [headers["x-ratelimit-reset"], headers["x-ratelimit-remaining"]].join(" "),
    );
    assert.strictEqual(new Set(left).size, left.length);

    await operator("DELETE", `${tokens}/${tokenId}`);
    await waitFor(async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => ask(`${platform}/me`, token)));
      return answers.every(({ status }) => status === 401);
    });

    return granted.length;
  };

  /** The metrics are sums, and remain so when a process is killed and replaced. */
  const killOne = async (granted: number): Promise<void> => {
    const series = 'waypost_http_requests_total{interface="platform",method="GET",status="200"}';
    await waitFor(async () => (await metric(series)) === granted);
    for (const name of ["api-1", "api-2", "worker", "supervisor"])
      assert.isAbove((await metric(`waypost_memory_bytes{process="${name}"}`)) ?? 0, 10_000_000);
    assert.strictEqual(await metric('waypost_processes{role="api"}'), 2);
    assert.strictEqual(await metric('waypost_processes{role="worker"}'), 1);

    // A killed process is replaced, the other one serves meanwhile, and no sum decreases.
    const [killed = 0] = pidsOf("api-1");
    process.kill(killed, "SIGKILL");
    await waitFor(() =>
      ask(`${server.origin}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    await waitFor(() => pidsOf("api-1").length === 2);
    assert.isFalse(isAlive(killed));
    assert.strictEqual(await metric('waypost_processes_replaced_total{role="api"}'), 1);
    assert.strictEqual(await metric('waypost_processes{role="api"}'), 2);
    assert.strictEqual(await metric(series), granted);
    await waitFor(async () => {
      await ask(`${server.origin}/after-the-kill`);
      return hasServed("/after-the-kill", ["api-1", "api-2"]);
    });
  };

  /** SIGTERM lets a request finish, and no process is left. */
  const stopAll = async (): Promise<void> => {
    const body = JSON.stringify({ name: "Late" });
    const late = request(`${server.origin}/operator/v1/workspaces`, {
      agent: false,
      method: "POST",
      headers: {
        authorization: `Bearer ${operatorKey}`,
        "content-type": "application/json",
        "content-length": body.length,
        expect: "100-continue",
      },
    });
    late.flushHeaders();
    // A process has received the head, and no byte of the body.
    await once(late, "continue");
    const running = ["api-1", "api-2", "worker"].map((name) => pidsOf(name).at(-1) ?? 0);
    const ended = server.ends("SIGTERM");
    // The other request process has ended: the supervisor has sent its signals.
    await waitFor(() => running.slice(0, 2).some((pid) => !isAlive(pid)));
    late.end(body);
    const [answer] = (await once(late, "response")) as [IncomingMessage];
    assert.strictEqual(answer.statusCode, 201);
    answer.resume();
    const { code, stderr, stdout } = await ended;
    assert.deepStrictEqual([code, stdout], [0, `Waypost is listening on ${server.origin}\n`]);
    assert.deepStrictEqual(
      running.map((pid) => isAlive(pid)),
      [false, false, false],
    );
    await assertNoPostgresLeft(cli.dataDir);
    const names = new Set(
      stderr
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).annotations.process),
    );
    for (const name of names) assert.include(["supervisor", "api-1", "api-2", "worker"], name);
  };

  it("processes serve as one, are replaced and stop together (running.processes, running.stop)", async () => {
    const granted = await useBoth();
    assert.isAbove(granted, 0);
    await killOne(granted);
    await stopAll();
  });

  it("kill -9 of the supervisor ends all its processes (running.processes)", async () => {
    const names = ["api-1", "api-2", "worker"];
    // Log lines come a few milliseconds later than the line on stdout.
    await waitFor(() => names.every((name) => pidsOf(name).length > 0));
    const running = names.map((name) => pidsOf(name).at(-1) ?? 0);
    assert.isTrue(running.every(isAlive));
    await server.ends("SIGKILL");
    await waitFor(() => running.every((pid) => !isAlive(pid)));
    await assertNoPostgresLeft(cli.dataDir);
  });
});
