/**
 * How the message begins if Citus lost one of its nodes in the middle of a statement or a commit. libpq gives
 * no SQLSTATE then, and Citus sets none of a connection.
 */
const lostNode = new RegExp(
  "^(?:server closed the connection unexpectedly|SSL SYSCALL error|SSL connection has been closed|" +
    "could not (?:receive data from|send data to) server|no connection to the server|connection not open|" +
    "invalid socket|failure on connection marked as essential|failed to COPY to shard|" +
    "could not commit transaction for shard|failed to prepare transaction)",
);

/** The SQLSTATEs of these messages: an internal error, and an error of input or output. */
const lostNodeStates: ReadonlySet<string> = new Set(["XX000", "58030"]);

/** Whether Citus lost one of its nodes. Other losses have the SQLSTATE of a connection failure (08006). */
export const isNodeLost = (state: string | null | undefined, message: string): boolean =>
  lostNodeStates.has(state ?? "") && lostNode.test(message);
