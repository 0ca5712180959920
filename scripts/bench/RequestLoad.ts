/** Sends requests one after another on kept connections, at little cost, and measures rate and durations. */
import { connect, type Socket } from "node:net";

const separator = Buffer.from("\r\n\r\n");

const opened = (hostname: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });

interface Exchange {
  /** The next request; null when all have been sent. */
  readonly next: () => string | null;
  /** The instant at which the last one is to be sent; one that is past is sent at once. */
  readonly sendAt: () => number;
  /** Text that every response body must contain. */
  readonly expected: string;
  readonly tookMillis: (millis: number) => void;
}

/** Sends requests one after another on a socket, until there are no more. */
const converse = (socket: Socket, { expected, next, sendAt, tookMillis }: Exchange): Promise<void> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = (): void => {
      const request = next();
      if (request === null) resolve();
      else {
        sentAt = sendAt();
        const ahead = sentAt - performance.now();
        if (ahead <= 0) socket.write(request, "latin1");
        else setTimeout(() => socket.write(request, "latin1"), ahead);
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
      if (!/^HTTP\/1\.1 20[01]/.test(text) || !body.includes(expected)) {
        reject(new Error(`A response without ${expected}: ${text}\n${body}`));
        return;
      }
      tookMillis(performance.now() - sentAt);
      send();
    });
    socket.once("error", reject);
    send();
  });

/** The result of a load. */
export interface Loaded {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p99: number;
}

/** A request without a body. */
export const getRequest = (url: string, headers: Readonly<Record<string, string>>): string =>
  headOf("GET", url, headers);

/** The head of a POST with a JSON body of so many bytes. */
export const postHead = (url: string, headers: Readonly<Record<string, string>>, length: number): string =>
  headOf("POST", url, { "content-type": "application/json", "content-length": `${length}`, ...headers });

/** The head of a PUT with a JSON body of so many bytes. */
export const putHead = (url: string, headers: Readonly<Record<string, string>>, length: number): string =>
  headOf("PUT", url, { "content-type": "application/json", "content-length": `${length}`, ...headers });

const headOf = (method: string, url: string, headers: Readonly<Record<string, string>>): string => {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`;
};

/**
 * Sends `count` requests over all connections: one after another, or so many a second. Then each has its
 * instant, from which its time counts, also while all connections wait for responses to earlier ones.
 */
export const requestLoad = async (
  url: string,
  connections: number,
  count: number,
  request: () => string,
  expected: string,
  rate: number | null = null,
): Promise<Loaded> => {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => opened(hostname, Number(port))),
  );
  let sent = 0;
  const times: Array<number> = [];
  const exchange: Exchange = {
    next: () => (sent++ < count ? request() : null),
    sendAt: () => (rate === null ? performance.now() : began + ((sent - 1) / rate) * 1000),
    expected,
    tookMillis: (millis) => times.push(millis),
  };
  const began = performance.now();
  await Promise.all(sockets.map((socket) => converse(socket, exchange)));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  return { perSecond: count / seconds, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
};
