/** Sends request after request through kept connections, at as little cost as possible, and tells how many a second and how slow. */
import { connect, type Socket } from "node:net";

const separator = Buffer.from("\r\n\r\n");

const opened = (hostname: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });

interface Talk {
  /** The next request; null when all have been sent. */
  readonly next: () => string | null;
  /** What every answer's body must hold. */
  readonly expected: string;
  readonly tookMillis: (millis: number) => void;
}

/** One request after another on one socket, until the common store is used up. */
const converse = (socket: Socket, { expected, next, tookMillis }: Talk): Promise<void> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let asked = 0;
    const ask = (): void => {
      const request = next();
      if (request === null) resolve();
      else {
        asked = performance.now();
        socket.write(request, "latin1");
      }
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
      if (!text.startsWith("HTTP/1.1 200") || !body.includes(expected)) {
        reject(new Error(`An answer without ${expected}: ${text}\n${body}`));
        return;
      }
      tookMillis(performance.now() - asked);
      ask();
    });
    socket.once("error", reject);
    ask();
  });

/** What a load came to. */
export interface Loaded {
  readonly perSecond: number;
  /** Milliseconds that 99 of 100 requests stayed below. */
  readonly p99: number;
}

/** A request without a body. */
export const getRequest = (url: string, headers: Readonly<Record<string, string>>): string =>
  headOf("GET", url, headers);

/** A request that posts JSON of so many bytes, up to its body. */
export const postHead = (url: string, headers: Readonly<Record<string, string>>, length: number): string =>
  headOf("POST", url, { "content-type": "application/json", "content-length": `${length}`, ...headers });

const headOf = (method: string, url: string, headers: Readonly<Record<string, string>>): string => {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`;
};

/** Sends `count` requests from so many connections. */
export const requestLoad = async (
  url: string,
  connections: number,
  count: number,
  request: () => string,
  expected: string,
): Promise<Loaded> => {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => opened(hostname, Number(port))),
  );
  let sent = 0;
  const times: Array<number> = [];
  const talk: Talk = {
    next: () => (sent++ < count ? request() : null),
    expected,
    tookMillis: (millis) => times.push(millis),
  };
  const began = performance.now();
  await Promise.all(sockets.map((socket) => converse(socket, talk)));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  return { perSecond: count / seconds, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
};
