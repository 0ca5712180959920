/** Connections that the supervisor passes to its request processes, by `node:cluster`. */
import type { Worker } from "node:cluster";
import type { EventEmitter } from "node:events";

/** A message of `node:cluster` itself: about listening, a connection, or the reply to one with `seq`. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** An accepted connection, before any process has read from it. */
interface Connection {
  readonly close: () => void;
}

type Send = (message: ClusterMessage, connection?: Connection, ...more: ReadonlyArray<unknown>) => boolean;

/** The processes that accept connections. */
const accepting = new Set<Worker>();

/**
 * Passes the connections that a process has not acknowledged to another one when it ends, or closes them if
 * there is none. `node:cluster` holds each connection until the process replies. A process that is killed
 * before never does, so its client would wait without end, and the supervisor keep the socket. A process
 * replies before it reads, so no byte of such a connection is lost. Node gets the reply of a process that
 * stops: not accepted.
 */
export const passOnWhenEnded = (worker: Worker): void => {
  const child = worker.process as EventEmitter & { send: Send };
  const unacknowledged = new Map<number, Connection>();
  const send = child.send.bind(child);
  child.send = (message, connection, ...more) => {
    if (message.act === "newconn" && message.seq !== undefined && connection !== undefined)
      unacknowledged.set(message.seq, connection);
    return send(message, connection, ...more);
  };
  child.on("internalMessage", ({ ack, act }: ClusterMessage) => {
    if (ack !== undefined) unacknowledged.delete(ack);
    if (act === "listening") accepting.add(worker);
    if (act === "close") accepting.delete(worker);
  });
  // The process has ended, and all its messages were read.
  child.once("close", () => {
    accepting.delete(worker);
    // Node does this itself, unless it notices the exit first. It would then go on passing connections to it.
    worker.disconnect();
    for (const [ack, connection] of unacknowledged) {
      if (accepting.size === 0) connection.close();
      else child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: false });
    }
  });
};
