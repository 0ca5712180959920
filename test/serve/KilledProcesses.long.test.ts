import { assert, describe, it } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { RequestProcesses } from "./KilledProcesses.ts";

describe("Killed request processes", () => {
  it("12 kills under new connections leave no client and no socket behind (running.processes)", async () => {
    const cli = await CliProcess.prepared();
    try {
      const processes = new RequestProcesses(
        await cli.serve({ WAYPOST_PROCESSES: "4", WAYPOST_LOG_FORMAT: "json" }),
      );
      await processes.untilRunning(4);
      const sockets = processes.sockets;
      const outcomes = await processes.killUnderLoad(12, 32);
      assert.isAbove(outcomes.get(200) ?? 0, 12 * 32);
      for (const outcome of ["refused", "unanswered"] as const)
        assert.isUndefined(outcomes.get(outcome), outcome);
      await processes.untilRunning(4);
      await processes.untilSockets(sockets);
    } finally {
      await cli.dispose();
    }
  });
});
