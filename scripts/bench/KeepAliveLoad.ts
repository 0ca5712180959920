/** Asks for one page over and over through kept connections, at as little cost as possible, and tells how often a second. */
import { connect, type Socket } from "node:net";

const separator = Buffer.from("\r\n\r\n");

/** One request after another on one socket, until `count` were taken from the common store. */
const converse = (socket: Socket, request: Buffer, take: () => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const next = (): void => {
      if (take()) socket.write(request);
      else resolve();
    };
    const read = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const head = received.indexOf(separator);
      if (head === -1) return;
      const text = received.toString("latin1", 0, head);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
      if (!text.startsWith("HTTP/1.1 200") || Number.isNaN(length)) {
        reject(new Error(`An answer is not as it should be: ${text}`));
        return;
      }
      if (received.length < head + separator.length + length) return;
      received = Buffer.alloc(0);
      next();
    };
    socket.on("data", read);
    socket.once("error", reject);
    next();
  });

/** Sends `count` requests from so many connections at once. */
export const keepAliveLoad = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  connections: number,
  count: number,
): Promise<{ readonly perSecond: number }> => {
  const { host, hostname, pathname, port, search } = new URL(url);
  const lines = Object.entries({ host, accept: "application/json", ...headers });
  const request = Buffer.from(
    `GET ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
  const sockets = await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () =>
            resolve(socket),
          );
          socket.once("error", reject);
        }),
    ),
  );
  let left = count;
  const began = performance.now();
  await Promise.all(sockets.map((socket) => converse(socket, request, () => left-- > 0)));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  return { perSecond: count / seconds };
};
