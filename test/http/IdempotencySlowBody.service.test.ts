import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { once } from "node:events";
import { connect } from "node:net";
import { movingTime, whileTimeMoves } from "../matrices/MovingTime.ts";
import { type Ask, TestWaypost } from "../TestWaypost.ts";

const path = "/sandbox/platform/v1/campaigns";

const body = JSON.stringify({ name: "Slow", type: "push", timezone: "UTC", starts_at: "2026-12-01" });

const duplicate: Ask = {
  body: { name: "Duplicate", type: "push", timezone: "UTC", starts_at: "2026-12-01" },
  headers: { "idempotency-key": "slow" },
};

/** A request whose head was sent. `Expect` makes the server respond once it reads the body. */
const begun = (origin: string, token: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname);
      const head = [
        ["POST", path, "HTTP/1.1"].join(" "),
        "Host: waypost",
        "Connection: close",
        `Authorization: Bearer ${token}`,
        "Idempotency-Key: slow",
        `Content-Length: ${body.length}`,
        "Expect: 100-continue",
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      await once(socket, "data");
      return socket;
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  );

layer(TestWaypost.layer)("Idempotency of a request with a slow body", (it) => {
  it.effect("a retry waits while the body of the first request arrives, then gets its response (J3)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, tokens } = yield* waypost.tenant();
      const socket = yield* begun(waypost.origin, tokens.sandbox);
      yield* sandbox("/campaigns");
      const late = yield* Effect.forkChild(sandbox("/campaigns", duplicate));
      const moving = yield* Effect.forkChild(movingTime);
      const refused = yield* Fiber.join(late);
      yield* Fiber.interrupt(moving);
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [409, "2"]);

      const inTime = yield* Effect.forkChild(whileTimeMoves(sandbox("/campaigns", duplicate)));
      yield* sandbox("/campaigns");
      socket.write(body);
      const answer = yield* Fiber.join(inTime);
      assert.strictEqual(answer.status, 201);
      assert.strictEqual(answer.headers.get("idempotent-replayed"), "true");
      assert.strictEqual(answer.body.data.name, "Slow");
    }).pipe(Effect.scoped),
  );

  it.effect("a first request that disconnects within its body frees the key", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, tokens } = yield* waypost.tenant();
      const socket = yield* begun(waypost.origin, tokens.sandbox);
      yield* sandbox("/campaigns");
      socket.destroy();
      const answer = yield* whileTimeMoves(sandbox("/campaigns", duplicate));
      assert.deepStrictEqual([answer.status, answer.body.data?.name], [201, "Duplicate"]);
    }).pipe(Effect.scoped),
  );
});
