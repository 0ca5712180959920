import { assert, describe, it } from "vitest";
import { RestartPauses } from "../../src/serve/Supervisor.ts";

describe("RestartPauses", () => {
  it("pauses double from 100 ms to 10 s while a process keeps ending (running.processes)", () => {
    const pauses = new RestartPauses();
    assert.deepStrictEqual(
      Array.from({ length: 9 }, () => pauses.after(500)),
      [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000],
    );
  });

  it("a process that ran for a minute is replaced after the shortest pause (running.processes)", () => {
    const pauses = new RestartPauses();
    for (let ended = 0; ended < 8; ended++) pauses.after(500);
    assert.deepStrictEqual([pauses.after(60_000), pauses.after(500)], [100, 200]);
  });
});
