import { Effect } from "effect";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is removed with the scope. */
export const scopedFolder = (name: string, parent = tmpdir()) =>
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(parent, `waypost-${name}-`))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  );

/**
 * Makes a server listen on a port of loopback, or on the path of a socket. Gives the port, and a function
 * that closes it with its connections, as the end of the scope does.
 */
export const listening = (server: Server, path?: string) => {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const at = path === undefined ? { host: "127.0.0.1", port: 0 } : { path };
      server.listen(at, () => {
        const { port } = server.address() as AddressInfo;
        resume(Effect.succeed({ port, close }));
      });
    }),
    () => Effect.sync(close),
  );
};

/** The whole body of a request. */
export const readAll = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};
