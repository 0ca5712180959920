import { assert, describe, it } from "vitest";
import {
  connectionShare,
  embeddedMaxConnections,
  limitedByServer,
  maxProcesses,
  type ServerConnections,
} from "../../src/serve/ConnectionShares.ts";

const reserved = 3;
const embedded = (requestProcesses: number): ServerConnections => ({
  available: embeddedMaxConnections(requestProcesses) - reserved,
  isOwn: true,
});
const external = (available: number): ServerConnections => ({ available, isOwn: false });

/** All connections of so many request processes and a worker, with those that listen; 0 for too many. */
const total = (requestProcesses: number, server: ServerConnections): number => {
  const share = connectionShare(requestProcesses, 1, server);
  return share === null ? 0 : (requestProcesses + 1) * (share + 1);
};

describe("connectionShare", () => {
  it("the embedded server accepts the connections of all processes, and 10 more (running.processes)", () => {
    for (let processes = 1; processes <= 64; processes++) {
      const server = embedded(processes);
      assert.isAtLeast(connectionShare(processes, 1, server) ?? 0, 8);
      assert.isAtMost(total(processes, server), server.available - 10);
    }
  });

  it("the embedded server of a few processes is as large as that of one", () => {
    assert.deepStrictEqual([1, 2, 4].map(embeddedMaxConnections), [60, 60, 60]);
    assert.strictEqual(embeddedMaxConnections(16), 166);
  });

  it("processes use at most half of a shared server, or what one process had (running.processes)", () => {
    for (let available = 31; available <= 500; available++) {
      for (const processes of [2, 3, 4, 8, 16, 64]) {
        const max = Math.max(21, Math.floor((available - 10) / 2));
        assert.isAtMost(total(processes, external(available)), max);
      }
    }
  });

  it("no process has more connections for statements than one that runs alone", () => {
    assert.strictEqual(connectionShare(2, 1, external(1_000)), 20);
  });

  it("without a worker, the request processes share all connections", () => {
    assert.deepStrictEqual(
      [connectionShare(2, 1, external(97)), connectionShare(2, 0, external(97))],
      [13, 20],
    );
  });

  it("a server without 2 connections for each process is too small (running.processes)", () => {
    const server = external(97);
    const max = maxProcesses(server);
    assert.strictEqual(max, 13);
    assert.strictEqual(connectionShare(max, 1, server), 2);
    assert.isNull(connectionShare(max + 1, 1, server));
  });
});

describe("limitedByServer", () => {
  it("auto starts no process that would have fewer than 5 connections (running.processes)", () => {
    const limited = limitedByServer(16, external(97));
    assert.strictEqual(limited, 6);
    assert.isAtLeast(connectionShare(limited, 1, external(97)) ?? 0, 5);
    assert.isBelow(connectionShare(limited + 1, 1, external(97)) ?? 0, 5);
  });

  it("auto starts one process on the smallest server, and never more than it wants", () => {
    assert.strictEqual(limitedByServer(4, external(10)), 1);
    assert.strictEqual(limitedByServer(2, external(500)), 2);
  });
});
