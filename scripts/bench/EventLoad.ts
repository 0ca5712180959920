/** Posts event after event through kept connections, at as little cost as possible, and tells how many a second. */
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";

/** A device that posts. */
export interface Poster {
  readonly headers: Readonly<Record<string, string>>;
}

const separator = Buffer.from("\r\n\r\n");

const opened = (hostname: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });

/** One request after another on one socket, each by the next of its devices, until the common store is used up. */
const converse = (socket: Socket, next: () => string | null): Promise<void> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const ask = (): void => {
      const request = next();
      if (request === null) resolve();
      else socket.write(request, "latin1");
    };
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const head = received.indexOf(separator);
      if (head === -1) return;
      const text = received.toString("latin1", 0, head);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
      if (received.length < head + separator.length + length) return;
      const body = received.toString("utf8", head + separator.length);
      received = Buffer.alloc(0);
      if (!text.startsWith("HTTP/1.1 200") || !body.includes('"deliveries":[{"')) {
        reject(new Error(`A post fired nothing: ${text}\n${body}`));
      } else ask();
    });
    socket.once("error", reject);
    ask();
  });

/** Posts `count` events, each of its own, from so many connections; the devices take turns. */
export const eventLoad = async (
  url: string,
  posters: ReadonlyArray<Poster>,
  event: { readonly location_id: string; readonly occurred_at: string },
  connections: number,
  count: number,
): Promise<{ readonly perSecond: number }> => {
  const { host, hostname, pathname, port } = new URL(url);
  const start = '{"events":[{"id":"';
  const end = `","type":"enter","location_id":"${event.location_id}","occurred_at":"${event.occurred_at}"}]}`;
  const length = start.length + 36 + end.length;
  const heads = posters.map(({ headers }) => {
    const lines = Object.entries({
      host,
      "content-type": "application/json",
      "content-length": `${length}`,
      ...headers,
    });
    return `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${start}`;
  });
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => opened(hostname, Number(port))),
  );
  let sent = 0;
  const next = (): string | null =>
    sent === count ? null : `${heads[sent++ % heads.length]}${randomUUID()}${end}`;
  const began = performance.now();
  await Promise.all(sockets.map((socket) => converse(socket, next)));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  return { perSecond: count / seconds };
};
