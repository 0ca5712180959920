import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { assert, describe, it } from "vitest";
import { passOnWhenEnded } from "../../src/serve/PassedConnections.ts";

/** A process as `node:cluster` sees it, that answers nothing by itself. */
const fakeProcess = () => {
  const replies: Array<unknown> = [];
  const sent: Array<unknown> = [];
  const child = Object.assign(new EventEmitter(), {
    send: (...parameters: ReadonlyArray<unknown>) => sent.push(...parameters) > 0,
  });
  let isDisconnected = false;
  passOnWhenEnded({ process: child, disconnect: () => (isDisconnected = true) } as unknown as Worker);
  // Node's own reader of replies: from here on the process must no longer be one that it passes to.
  child.on("internalMessage", (message: { readonly ack?: number }) => {
    if (message.ack !== undefined) replies.push([message, isDisconnected]);
  });
  return { child, replies, sent };
};

const connection = () => {
  const state = { isClosed: false };
  return { state, close: () => void (state.isClosed = true) };
};

const notAccepted = (ack: number) => [{ cmd: "NODE_CLUSTER", ack, accepted: false }, true];

describe("Connections of a process that ends", () => {
  it("another process gets those that it did not acknowledge (running.processes)", () => {
    const [killed, other] = [fakeProcess(), fakeProcess()];
    other.child.emit("internalMessage", { cmd: "NODE_CLUSTER", act: "listening" });
    killed.child.emit("internalMessage", { cmd: "NODE_CLUSTER", act: "listening" });
    const [known, lost] = [connection(), connection()];
    killed.child.send({ act: "newconn", seq: 1 }, known);
    killed.child.emit("internalMessage", { ack: 1, accepted: true });
    killed.child.send({ act: "newconn", seq: 2 }, lost);
    // The answer to a question about listening has no connection.
    killed.child.send({ ack: 0, seq: 3 }, undefined);
    assert.lengthOf(killed.sent, 6);
    killed.replies.length = 0;
    killed.child.emit("close");
    assert.deepStrictEqual(killed.replies, [notAccepted(2)]);
    assert.deepStrictEqual([known.state.isClosed, lost.state.isClosed], [false, false]);
    assert.deepStrictEqual(other.replies, []);
    other.child.emit("close");
  });

  it("they are closed when no process is left that accepts connections (running.processes)", () => {
    const [killed, stopping] = [fakeProcess(), fakeProcess()];
    for (const { child } of [killed, stopping]) child.emit("internalMessage", { act: "listening" });
    stopping.child.emit("internalMessage", { act: "close" });
    const lost = connection();
    killed.child.send({ act: "newconn", seq: 7 }, lost);
    killed.child.emit("close");
    assert.isTrue(lost.state.isClosed);
    assert.deepStrictEqual(killed.replies, []);
  });
});
