import { Effect } from "effect";
import { createConnection, createServer, type Socket } from "node:net";
import { listening } from "../Listening.ts";

/**
 * A proxy in front of PostgreSQL that can simulate a network partition: bytes are lost, and neither side gets
 * an error. The server then closes its side, as after `tcp_keepalives_idle`; the process notices only when
 * the network works again.
 */
export const networkPartition = Effect.fnUntraced(function* (socketPath: string) {
  let isPartitioned = false;
  const clients = new Map<Socket, Socket | null>();
  const connect = (client: Socket): void => {
    client.on("error", () => undefined);
    client.on("close", () => {
      clients.get(client)?.destroy();
      clients.delete(client);
    });
    clients.set(client, null);
    // A connection attempt during a partition gets no answer.
    if (isPartitioned) return void client.resume();
    const server = createConnection(socketPath);
    clients.set(client, server);
    server.on("error", () => undefined);
    server.on("close", () => {
      if (!isPartitioned) client.destroy();
    });
    client.on("data", (bytes: Buffer) => {
      if (!isPartitioned) server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (!isPartitioned) client.write(bytes);
    });
  };
  const { port } = yield* listening(createServer(connect));
  return {
    port,
    /** Starts the partition: no bytes arrive, and the server has closed its connections. */
    start: (): void => {
      isPartitioned = true;
      for (const server of clients.values()) server?.destroy();
    },
    /** Ends the partition: the old connections are reset, and new ones work. */
    end: (): void => {
      isPartitioned = false;
      for (const client of clients.keys()) client.resetAndDestroy();
    },
  };
});
