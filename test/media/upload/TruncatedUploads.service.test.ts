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

/** A connection that has sent the headers of an upload; `length` is its length header. */
const startUpload = (length: string, more = "") =>
  Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const { tokens } = yield* waypost.tenant();
    const { hostname, port } = new URL(waypost.origin);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /sandbox/platform/v1/media HTTP/1.1\r\nHost: ${hostname}\r\n` +
        `Authorization: Bearer ${tokens.sandbox}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\n${more}${length}\r\n\r\n`,
    );
    return socket;
  });

/** Everything that the server sends until it closes the connection. */
const received = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("close", () => resume(Effect.succeed(text)));
  });

const uploadsOnDisk = Effect.flatMap(DataDirectory, ({ path }) =>
  Effect.promise(() => readdir(join(path, "uploads"))),
);

/** Waits until the condition is true, for a hundred real seconds at most. */
const eventually = (condition: Effect.Effect<boolean, never, DataDirectory>) =>
  TestClock.withLive(
    Effect.repeat(condition, {
      until: (isTrue) => isTrue,
      schedule: Schedule.max([Schedule.spaced("20 millis"), Schedule.recurs(5_000)]),
    }),
  );

layer(TestWaypost.layer)("Truncated uploads", (it) => {
  it.effect("an endless upload is answered after 51,200 KB and not read further (H1.2)", () =>
    Effect.gen(function* () {
      const socket = yield* startUpload("Transfer-Encoding: chunked");
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
      const answer = yield* received(socket);
      assert.match(answer, /^HTTP\/1.1 422 /);
      assert.include(answer, "at most 51,200 KB");
      assert.isBelow(socket.bytesWritten, 80 * 1_048_576);
      assert.deepStrictEqual(yield* uploadsOnDisk, []);
    }),
  );

  it.effect("an upload whose client disconnects leaves nothing on disk", () =>
    Effect.gen(function* () {
      const socket = yield* startUpload("Content-Length: 1000");
      socket.write(opening);
      yield* eventually(Effect.map(uploadsOnDisk, (files) => files.length === 1));
      socket.destroy();
      yield* eventually(Effect.map(uploadsOnDisk, (files) => files.length === 0));
    }),
  );

  it.effect("an upload that is too slow is refused", () =>
    Effect.gen(function* () {
      const socket = yield* startUpload("Content-Length: 1000", "Connection: close\r\n");
      socket.write(opening);
      yield* eventually(Effect.map(uploadsOnDisk, (files) => files.length === 1));
      yield* TestClock.adjust("21 seconds");
      const answer = yield* received(socket);
      assert.match(answer, /^HTTP\/1.1 422 /);
      assert.include(answer, "not in time");
      assert.deepStrictEqual(yield* uploadsOnDisk, []);
    }),
  );

  it.effect("an upload with a bad token and Expect is refused before its body is sent (B1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { hostname, port } = new URL(waypost.origin);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /sandbox/platform/v1/media HTTP/1.1\r\nHost: ${hostname}\r\n` +
          "Authorization: Bearer wps_unknown\r\nExpect: 100-continue\r\n" +
          "Content-Type: multipart/form-data; boundary=b\r\n" +
          "Connection: close\r\nContent-Length: 1000\r\n\r\n",
      );
      const answer = yield* received(socket);
      assert.match(answer, /^HTTP\/1.1 401 /);
      assert.notInclude(answer, "100 Continue");
    }),
  );

  it.effect("an upload with a good token and Expect is continued", () =>
    Effect.gen(function* () {
      const whole = `${opening}\r\n--b--\r\n`;
      const socket = yield* startUpload(
        `Content-Length: ${whole.length}`,
        "Expect: 100-continue\r\nConnection: close\r\n",
      );
      socket.once("data", () => socket.write(whole));
      const answer = yield* received(socket);
      assert.match(answer, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    }),
  );
});
