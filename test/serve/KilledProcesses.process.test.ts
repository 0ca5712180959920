import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { askConnected, RequestProcesses } from "./KilledProcesses.ts";

describe("A killed request process", () => {
  let cli: CliProcess;
  let processes: RequestProcesses;
  let origin = "";
  beforeEach(async () => {
    cli = await CliProcess.prepared();
    const server = await cli.serve({ WAYPOST_PROCESSES: "2", WAYPOST_LOG_FORMAT: "json" });
    origin = server.origin;
    processes = new RequestProcesses(server);
    await processes.untilRunning(2);
  });
  afterEach(() => cli.dispose());

  it("leaves no client unanswered, and no socket with the supervisor (running.processes)", async () => {
    const sockets = processes.sockets;
    const [stopped = 0] = processes.running;
    // It gets a connection like any process, and cannot acknowledge it.
    process.kill(stopped, "SIGSTOP");
    const first = await askConnected(origin);
    const second = await askConnected(origin);
    // An answer to the third means that the first two were passed on, one of them to the stopped process.
    const third = await askConnected(origin);
    assert.strictEqual(await third.outcome, 200);
    assert.isAbove(processes.sockets, sockets);
    processes.kill(stopped);
    assert.deepStrictEqual(await Promise.all([first.outcome, second.outcome]), [200, 200]);

    await processes.untilRunning(2);
    const outcomes = await processes.killUnderLoad(1, 16);
    assert.isAbove(outcomes.get(200) ?? 0, 16);
    for (const outcome of ["refused", "unanswered"] as const)
      assert.isUndefined(outcomes.get(outcome), outcome);
    await processes.untilRunning(2);
    await processes.untilSockets(sockets);
  });
});
