import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { once } from "node:events";
import { connect } from "node:net";
import { TestWaypost } from "../TestWaypost.ts";

const bytes = 24 * 1_048_576;

/** Sends a whole request before it reads anything, as simple clients do; gives the head of the response. */
const sendThenRead = (origin: string, path: string, headers: ReadonlyArray<string>, hasLength: boolean) =>
  Effect.promise(async () => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    let answer = "";
    const failed = new Promise<never>((_, reject) => socket.once("error", reject));
    const sending = async () => {
      const length = hasLength ? `Content-Length: ${bytes}` : "Transfer-Encoding: chunked";
      const head = ["POST", path, "HTTP/1.1\r\n"].join(" ");
      socket.write(`${head}Host: waypost\r\n${[...headers, length].join("\r\n")}\r\n\r\n`);
      const piece = Buffer.alloc(65_536, " ");
      for (let sent = 0; sent < bytes; sent += piece.length) {
        const chunk = hasLength
          ? piece
          : Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")]);
        if (!socket.write(chunk)) await once(socket, "drain");
      }
      if (!hasLength) socket.write("0\r\n\r\n");
      socket.on("data", (data) => (answer += data.toString()));
      while (!answer.includes("\r\n\r\n")) await once(socket, "data");
    };
    try {
      await Promise.race([sending(), failed]);
    } finally {
      socket.destroy();
    }
    return { status: Number(answer.split(" ")[1]), head: answer.toLowerCase() };
  });

layer(TestWaypost.layer)("A response that needs no body", (it) => {
  it.effect("a refusal reaches a client that reads nothing before it has sent its whole body (B1, B3)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { tokens } = yield* waypost.tenant();
      const base = "/sandbox/platform/v1";
      const good = `Authorization: Bearer ${tokens.sandbox}`;
      const json = "Content-Type: application/json";
      for (const [path, headers, status] of [
        [`${base}/campaigns`, [json], 401],
        [`${base}/campaigns`, [good, json], 413],
        [`${base}/media`, [good, json], 415],
        [`${base}/nowhere`, [good, json], 404],
        ["/platform/v1/media", [good, json], 403],
      ] as const) {
        const answer = yield* sendThenRead(waypost.origin, path, headers, true);
        assert.deepStrictEqual([path, answer.status], [path, status]);
      }
      const chunked = yield* sendThenRead(waypost.origin, `${base}/media`, [json], false);
      assert.strictEqual(chunked.status, 401);
    }),
  );

  it.effect("a replay reaches a client that reads nothing before it has sent its whole body (J2)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, tokens } = yield* waypost.tenant();
      const body = { name: "Once", type: "push", timezone: "UTC", starts_at: "2026-12-01" };
      const first = yield* sandbox("/campaigns", { body, headers: { "idempotency-key": "once" } });
      assert.strictEqual(first.status, 201);
      const headers = [`Authorization: Bearer ${tokens.sandbox}`, "Idempotency-Key: once"];
      const again = yield* sendThenRead(waypost.origin, "/sandbox/platform/v1/campaigns", headers, true);
      assert.strictEqual(again.status, 201);
      assert.include(again.head, "idempotent-replayed: true");
    }),
  );

  it.effect("the response does not wait for a client that announces a body and sends none", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { hostname, port } = new URL(origin);
      const answer = Effect.callback<string>((resume) => {
        const socket = connect(Number(port), hostname);
        socket.write(
          "POST /platform/v1/campaigns HTTP/1.1\r\nHost: waypost\r\nContent-Length: 5000000\r\n\r\n",
        );
        socket.once("data", (data) => {
          socket.destroy();
          resume(Effect.succeed(data.toString()));
        });
      });
      const answered = yield* Effect.forkChild(answer);
      // Requests of another client give the first response time to arrive.
      const moved = yield* Effect.promise(() => fetch(`${origin}/health/live`)).pipe(
        Effect.andThen(TestClock.adjust("1 second")),
        Effect.repeat({ until: () => answered.pollUnsafe() !== undefined, times: 200 }),
        Effect.andThen(Fiber.join(answered)),
      );
      assert.match(moved, /^HTTP\/1\.1 401 /);
    }),
  );
});
