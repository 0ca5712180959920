import { Effect } from "effect";
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/**
 * A way from a process to PostgreSQL that can be parted, as a network does: nobody hears anything any more, and nothing says so. After
 * a while the server gives up on its side (`tcp_keepalives_idle` and its like); the process learns of it when the network is whole again.
 */
export const partedNetwork = Effect.fnUntraced(function* (socketPath: string) {
  let isParted = false;
  const clients = new Map<Socket, Socket | null>();
  const join = (client: Socket): void => {
    client.on("error", () => undefined);
    client.on("close", () => {
      clients.get(client)?.destroy();
      clients.delete(client);
    });
    clients.set(client, null);
    // A call into a parted network is not answered.
    if (isParted) return void client.resume();
    const server = createConnection(socketPath);
    clients.set(client, server);
    server.on("error", () => undefined);
    server.on("close", () => {
      if (!isParted) client.destroy();
    });
    client.on("data", (bytes: Buffer) => {
      if (!isParted) server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (!isParted) client.write(bytes);
    });
  };
  const listener = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = createServer(join).listen(0, "127.0.0.1");
      await once(made, "listening");
      return made;
    }),
    (made) =>
      Effect.sync(() => {
        made.close();
        for (const client of clients.keys()) client.destroy();
      }),
  );
  return {
    port: (listener.address() as AddressInfo).port,
    /** Nothing gets through; the server has given up on its side. */
    part: (): void => {
      isParted = true;
      for (const server of clients.values()) server?.destroy();
    },
    /** What the process held on to is gone; new connections get through. */
    join: (): void => {
      isParted = false;
      for (const client of clients.keys()) client.resetAndDestroy();
    },
  };
});
