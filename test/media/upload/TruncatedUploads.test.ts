import { assert, layer } from "@effect/vitest";
import { Effect, Schedule } from "effect";
import { TestClock } from "effect/testing";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DataDirectory } from "../../../src/database/DataDirectory.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { fileHead } from "../MediaWorld.ts";

const opening = `--b\r\n${fileHead()}\r\n\r\nimage`;

/** A connection on which an upload has begun; `length` is what it promises. */
const begun = (length: string, more = "") =>
  Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const { tokens } = yield* waypost.tenant();
    const { hostname, port } = new URL(waypost.origin);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /sandbox/platform/v1/media HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${tokens.sandbox}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\n${more}${length}\r\n\r\n`,
    );
    return socket;
  });

/** All that the server says until it hangs up. */
const heard = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("close", () => resume(Effect.succeed(text)));
  });

const uploadsOnDisk = Effect.flatMap(DataDirectory, ({ path }) =>
  Effect.promise(() => readdir(join(path, "uploads"))),
);

/** Until it holds, for ten real seconds at most. */
const eventually = (holds: Effect.Effect<boolean, never, DataDirectory>) =>
  TestClock.withLive(
    Effect.repeat(holds, {
      until: (is) => is,
      schedule: Schedule.max([Schedule.spaced("20 millis"), Schedule.recurs(500)]),
    }),
  );

layer(TestWaypost.layer)("An upload that does not end as it should", (it) => {
  it.effect("without end is answered when 51,200 KB are there, and no more is read (H1.2)", () =>
    Effect.gen(function* () {
      const socket = yield* begun("Transfer-Encoding: chunked");
      const chunk = Buffer.concat([
        Buffer.from("100000\r\n"),
        Buffer.alloc(1_048_576, 32),
        Buffer.from("\r\n"),
      ]);
      socket.write(`${opening.length.toString(16)}\r\n${opening}\r\n`);
      const send = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", send);
      send();
      const answer = yield* heard(socket);
      assert.match(answer, /^HTTP\/1.1 422 /);
      assert.include(answer, "at most 51,200 KB");
      assert.isBelow(socket.bytesWritten, 80 * 1_048_576);
      assert.deepStrictEqual(yield* uploadsOnDisk, []);
    }),
  );

  it.effect("leaves nothing on disk when the client goes away", () =>
    Effect.gen(function* () {
      const socket = yield* begun("Content-Length: 1000");
      socket.write(opening);
      yield* eventually(Effect.map(uploadsOnDisk, (files) => files.length === 1));
      socket.destroy();
      yield* eventually(Effect.map(uploadsOnDisk, (files) => files.length === 0));
    }),
  );

  it.effect("is refused when too little arrives in too long a time", () =>
    Effect.gen(function* () {
      const socket = yield* begun("Content-Length: 1000", "Connection: close\r\n");
      socket.write(opening);
      yield* eventually(Effect.map(uploadsOnDisk, (files) => files.length === 1));
      yield* TestClock.adjust("21 seconds");
      const answer = yield* heard(socket);
      assert.match(answer, /^HTTP\/1.1 422 /);
      assert.include(answer, "not in time");
      assert.deepStrictEqual(yield* uploadsOnDisk, []);
    }),
  );

  it.effect("is refused before its body is sent, if the client asks first and the token is bad (B1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { hostname, port } = new URL(waypost.origin);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /sandbox/platform/v1/media HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer wps_unknown\r\n` +
          "Content-Type: multipart/form-data; boundary=b\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n",
      );
      const answer = yield* heard(socket);
      assert.match(answer, /^HTTP\/1.1 401 /);
      assert.notInclude(answer, "100 Continue");
    }),
  );

  it.effect("is taken when the client asks first and may", () =>
    Effect.gen(function* () {
      const whole = `${opening}\r\n--b--\r\n`;
      const socket = yield* begun(
        `Content-Length: ${whole.length}`,
        "Expect: 100-continue\r\nConnection: close\r\n",
      );
      socket.once("data", () => socket.write(whole));
      const answer = yield* heard(socket);
      assert.match(answer, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    }),
  );
});
