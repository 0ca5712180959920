import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { DrainingServer } from "../../../src/http/connections/DrainingServer.ts";
import {
  limitFileTransfer,
  type SlowClientReason,
  SlowClients,
  type TransferClient,
} from "../../../src/http/connections/SlowClients.ts";
import {
  fileLimits,
  fullSpoolLimits,
  queryLimits,
  transferLimits,
} from "../../../src/http/connections/TransferRate.ts";

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)));

/**
 * A server that is checked by hand, so that time is a parameter. `/read` reads the body, `/write` and `/file`
 * stream, `/begun` begins a file.
 */
const slowServer = (client: TransferClient = { address: "192.0.2.1", isProxied: false }) =>
  Effect.gen(function* () {
    const ended: Array<SlowClientReason> = [];
    const slowClients = new SlowClients({
      clientOf: () => client,
      onEnded: (reason) => void ended.push(reason),
      limits: { ...transferLimits, maxLongPerClient: 3 },
    });
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => new DrainingServer({}, slowClients)),
      (made) =>
        Effect.sync(() => {
          made.closeAllConnections();
          made.close();
        }),
    );
    const files: Array<{ readonly source: object }> = [];
    const stream = (response: ServerResponse): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue;
      if (!response.destroyed) response.once("drain", () => stream(response));
    };
    let requests = 0;
    const [served, clients] = [new Set<Socket>(), new Set<Socket>()];
    server.on("connection", (socket: Socket) => void served.add(socket));
    const sum = (counts: ReadonlyArray<number>): number => counts.reduce((all, count) => all + count, 0);
    /** Waits until the server has read all that clients have written. */
    const allRead = Effect.gen(function* () {
      const written = sum([...clients].map(({ bytesWritten }) => bytesWritten));
      while (sum([...served].map(({ bytesRead }) => bytesRead)) < written) yield* turn;
    });
    server.on("checkContinue", () => void requests++);
    server.on("request", (request, response: ServerResponse) => {
      requests++;
      if (request.url === "/file" || request.url === "/begun")
        limitFileTransfer({ source: request }, queryLimits);
      if (request.url === "/file") files.push({ source: request });
      if (request.url === "/begun") response.write("id\r\n");
      if (request.url === "/write" || request.url === "/file") stream(response);
      if (request.url === "/read") request.resume().on("end", () => response.end("done"));
    });
    const port = yield* Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)));
    });
    const open = (head: string, options: { readonly isPaused?: boolean } = {}) =>
      Effect.gen(function* () {
        const before = requests;
        let text = "";
        let isClosed = false;
        const socket: Socket = connect(port, "127.0.0.1");
        clients.add(socket);
        socket.setEncoding("latin1");
        socket.on("error", () => {});
        socket.on("close", () => {
          isClosed = true;
        });
        if (options.isPaused === true) socket.pause();
        else socket.on("data", (chunk: string) => void (text += chunk));
        socket.write(head);
        while (requests === before) yield* turn;
        const peer = [...served].at(-1);
        /** The bytes that the kernel has taken from the server. */
        const sent = (): number => (peer?.bytesWritten ?? 0) - (peer?.writableLength ?? 0);
        return { socket, text: () => text, sent, isClosed: () => isClosed };
      });
    return { allRead, ended, files, open, check: (seconds: number) => slowClients.check(seconds * 1000) };
  });

/** More than a file must send within twenty seconds. */
const enough = 400_000;

/** Waits until the server could send so many more bytes to a client, or the connection has ended. */
const reads = (client: { readonly sent: () => number; readonly isClosed: () => boolean }, bytes: number) =>
  Effect.gen(function* () {
    const wanted = client.sent() + bytes;
    while (client.sent() < wanted && !client.isClosed()) yield* turn;
  });

const body = (path: string, headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: 100000\r\n\r\n`;

describe("slow clients", () => {
  it.live("a client that sends its body too slowly gets 408, and a steady one does not (running.slow)", () =>
    Effect.gen(function* () {
      const { check, ended, open } = yield* slowServer();
      const slow = yield* open(`${body("/read")}{`);
      const ignored = yield* open(`${body("/ignored")}{`);
      const waiting = yield* open("GET /ignored HTTP/1.1\r\nHost: x\r\n\r\n");
      check(0);
      check(10);
      assert.deepStrictEqual(ended, []);
      check(11);
      assert.deepStrictEqual(ended, ["body", "body"]);
      while (!slow.isClosed() || !ignored.isClosed()) yield* turn;
      assert.match(slow.text(), /^HTTP\/1\.1 408 /);
      // The server is the one to wait for.
      for (let at = 12; at < 100; at++) check(at);
      assert.isFalse(waiting.isClosed());
    }).pipe(Effect.scoped),
  );

  it.live("a client with Expect: 100-continue is not slow before it is invited (running.slow)", () =>
    Effect.gen(function* () {
      const { check, ended, open } = yield* slowServer();
      yield* open(body("/read", "Expect: 100-continue\r\n"));
      for (let at = 0; at < 100; at++) check(at);
      assert.deepStrictEqual(ended, []);
    }).pipe(Effect.scoped),
  );

  it.live("a client that does not read its response is disconnected (running.slow)", () =>
    Effect.gen(function* () {
      const { check, ended, open } = yield* slowServer();
      yield* open("GET /write HTTP/1.1\r\nHost: x\r\n\r\n", { isPaused: true });
      const reader = yield* open("GET /write HTTP/1.1\r\nHost: x\r\n\r\n");
      // The sockets take some megabytes first.
      for (let at = 0; ended.length === 0; at += 5) {
        check(at);
        yield* reads(reader, enough);
      }
      assert.deepStrictEqual(ended, ["response"]);
      assert.isFalse(reader.isClosed());
    }).pipe(Effect.scoped),
  );

  it.live("a trusted proxy may read slowly: it ends its stalled clients itself (running.slow)", () =>
    Effect.gen(function* () {
      const { check, ended, open } = yield* slowServer({ address: null, isProxied: true });
      for (let index = 0; index < 5; index++)
        yield* open("GET /write HTTP/1.1\r\nHost: x\r\n\r\n", { isPaused: true });
      yield* open(`${body("/read")}{`);
      for (let at = 0; at < 100; at++) {
        check(at);
        yield* turn;
      }
      assert.deepStrictEqual(ended, ["body"]);
    }).pipe(Effect.scoped),
  );

  it.live("a file that is not read ends after two minutes, behind a proxy too (running.slow)", () =>
    Effect.gen(function* () {
      for (const isProxied of [false, true]) {
        const { check, ended, open } = yield* slowServer({ address: "192.0.2.1", isProxied });
        yield* open("GET /file HTTP/1.1\r\nHost: x\r\n\r\n", { isPaused: true });
        const reader = yield* open("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
        let at = 0;
        for (; ended.length === 0; at += 20) {
          check(at);
          yield* reads(reader, enough);
        }
        assert.deepStrictEqual(ended, ["file"]);
        assert.isAbove(at, 120);
        assert.isFalse(reader.isClosed());
      }
    }).pipe(Effect.scoped),
  );

  it.live("a file ends after ten minutes, however fast it is read (running.slow)", () =>
    Effect.gen(function* () {
      const { check, ended, open } = yield* slowServer();
      const fast = yield* open("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
      const waiting = yield* open("GET /begun HTTP/1.1\r\nHost: x\r\n\r\n");
      const other = yield* open("GET /write HTTP/1.1\r\nHost: x\r\n\r\n");
      // A response that is no file must make progress in its first ten seconds.
      for (const at of [0, 10, ...Array.from({ length: 29 }, (_, step) => 30 + 20 * step), 600]) {
        check(at);
        yield* Effect.all([reads(fast, enough), reads(other, enough)], { concurrency: 2 });
      }
      assert.deepStrictEqual(ended, []);
      check(605);
      // Its connection to the database is held, whichever side is waited for.
      assert.deepStrictEqual(ended, ["file", "file"]);
      while (!fast.isClosed() || !waiting.isClosed()) yield* turn;
      assert.isFalse(other.isClosed());
    }).pipe(Effect.scoped),
  );

  it.live("a file has the limits of what its query does: runs, waits or has ended (running.slow)", () =>
    Effect.gen(function* () {
      const { check, ended, files, open } = yield* slowServer();
      for (let count = 0; count < 3; count++)
        yield* open("GET /file HTTP/1.1\r\nHost: x\r\n\r\n", { isPaused: true });
      const [, full, spooled] = files;
      check(0);
      check(20);
      limitFileTransfer(full as never, fullSpoolLimits);
      limitFileTransfer(spooled as never, fileLimits);
      check(21);
      check(51);
      assert.deepStrictEqual(ended, []);
      check(52);
      assert.deepStrictEqual(ended, ["file"]);
      check(121);
      assert.deepStrictEqual(ended, ["file", "file"]);
      check(141);
      check(142);
      assert.deepStrictEqual(ended, ["file", "file", "file"]);
    }).pipe(Effect.scoped),
  );

  it.live("one address has a bound of long transfers, which ends the newest (running.slow)", () =>
    Effect.gen(function* () {
      const { allRead, check, ended, open } = yield* slowServer();
      const clients = yield* Effect.forEach([1, 2, 3, 4, 5], () => open(`${body("/read")}{`));
      for (let at = 0; at <= 11; at++) {
        for (const { socket } of clients) socket.write("x".repeat(600));
        yield* allRead;
        check(at);
      }
      assert.deepStrictEqual(ended, ["address", "address"]);
      while (!clients.slice(3).every(({ isClosed }) => isClosed())) yield* turn;
      assert.isFalse(clients.slice(0, 3).some(({ isClosed }) => isClosed()));
    }).pipe(Effect.scoped),
  );
});
