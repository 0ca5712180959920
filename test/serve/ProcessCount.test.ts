import { assert, describe, it } from "vitest";
import { autoProcesses } from "../../src/serve/ProcessCount.ts";

const gigabytes = (count: number): number => count * 1024 ** 3;

const auto = (cores: number, memory: number, hasDatabase = true): number =>
  autoProcesses({ cores, memoryBytes: gigabytes(memory), hasDatabase });

describe("autoProcesses", () => {
  it("a machine of one or two cores has one process (running.processes)", () => {
    assert.deepStrictEqual([auto(1, 64), auto(2, 64), auto(2, 64, false)], [1, 1, 1]);
  });

  it("half the cores are left to a database on the same machine (running.processes)", () => {
    assert.deepStrictEqual([auto(3, 64), auto(4, 64), auto(8, 64)], [1, 2, 4]);
  });

  it("with the database elsewhere, one core is left to the worker (running.processes)", () => {
    assert.deepStrictEqual([auto(3, 64, false), auto(4, 64, false), auto(8, 64, false)], [2, 3, 7]);
  });

  it("each further process needs a gigabyte of memory (running.processes)", () => {
    assert.deepStrictEqual([auto(16, 0.5), auto(16, 1), auto(16, 2.9), auto(16, 4)], [1, 1, 2, 4]);
  });

  it("a large machine has at most 16 processes (running.processes)", () => {
    assert.strictEqual(auto(128, 512), 16);
  });
});
