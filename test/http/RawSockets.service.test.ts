import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { connect } from "node:net";
import { TestWaypost } from "../TestWaypost.ts";

/** Sends bytes, ends its half of the connection if `ends`, and gives all bytes until the server closes. */
const speak = (origin: string, bytes: string, ends: boolean) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => {
      if (ends) socket.end(bytes, "latin1");
      else socket.write(bytes, "latin1");
    });
    let heard = "";
    socket.setTimeout(100_000, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString("latin1")));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resume(Effect.succeed(heard)));
  });

const statuses = (heard: string) =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

layer(TestWaypost.layer)("Raw sockets", (it) => {
  const world = Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const { sandbox, tokens } = yield* waypost.tenant();
    const head = (line: string, more = "") =>
      `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens.sandbox}\r\n${more}`;
    return { origin: waypost.origin, sandbox, head };
  });
  const base = "/sandbox/platform/v1";
  const good = '{"name":"Raw","type":"push","timezone":"UTC","starts_at":"2026-12-01"}';

  it.effect(
    "a body that breaks off, has a wrong length or bad chunks causes no change and no internal error (B3)",
    () =>
      Effect.gen(function* () {
        const { head, origin, sandbox } = yield* world;
        const post = (more: string) =>
          head(`POST ${base}/campaigns`, `Content-Type: application/json\r\nConnection: close\r\n${more}`);
        let refused = 0;
        for (const bytes of [
          post(`Content-Length: 500\r\n\r\n${good}`),
          post(`Content-Length: ${good.length - 5}\r\n\r\n${good}`),
          post("Content-Length: -1\r\n\r\n{}"),
          post("Content-Length: 1e3\r\n\r\n{}"),
          post("Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}x"),
          post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
          post(`Transfer-Encoding: chunked\r\n\r\nzz\r\n${good}\r\n0\r\n\r\n`),
          post(`Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n${good}`),
          post(`Transfer-Encoding: chunked\r\n\r\n46\r\n${good.slice(0, 20)}`),
          post(`Idempotency-Key: raw\r\nContent-Length: 500\r\n\r\n${good}`),
        ]) {
          const heard = yield* speak(origin, bytes, true);
          for (const status of statuses(heard)) {
            refused++;
            assert.isAtLeast(status, 400, bytes);
            assert.isBelow(status, 500, bytes);
          }
        }
        assert.isAtLeast(refused, 7);
        assert.deepStrictEqual((yield* sandbox("/campaigns")).body.data, []);
      }),
  );

  it.effect("no request line causes an internal error or bypasses authentication", () =>
    Effect.gen(function* () {
      const { head, origin } = yield* world;
      for (const [target, status] of [
        [`http://x${base}/me`, [200, 404]],
        [`http://elsewhere.example${base}/me`, [200, 404]],
        [`/${base}/me`, [404]],
        [`${base}//me`, [404]],
        [`${base}/./me`, [404]],
        [`${base}/../v1/me`, [404]],
        [`${base}%2fme`, [404]],
        [`${base}/campaigns/%00`, [404]],
        [`${base}/campaigns/%`, [404]],
        [`${base}/campaigns/%e0%a4`, [404]],
        [`${base}/me%3flimit=1`, [404]],
        [`${base}/me?%`, [200]],
        [`${base}/me?${"a=1&".repeat(2000)}`, [200]],
        [`${base}/campaigns/${"a".repeat(15_000)}`, [404]],
        [`${base}/campaigns/${"a".repeat(40_000)}`, [400, 414, 431]],
        ["*", [400, 404]],
      ] as const) {
        const heard = yield* speak(origin, head(`GET ${target}`, "Connection: close\r\n\r\n"), false);
        assert.include<number | undefined>([...status], statuses(heard)[0], target.slice(0, 100));
      }
      const many = yield* speak(
        origin,
        head(`GET ${base}/me`, `X-Many: ${"x".repeat(20_000)}\r\n\r\n`),
        false,
      );
      assert.deepStrictEqual(statuses(many), [431]);
    }),
  );

  it.effect("pipelined requests are answered in order", () =>
    Effect.gen(function* () {
      const { head, origin } = yield* world;
      const bytes =
        head(`GET ${base}/me`, "\r\n") +
        head(
          `POST ${base}/campaigns`,
          `Content-Type: application/json\r\nContent-Length: ${good.length}\r\n\r\n${good}`,
        ) +
        head(`GET ${base}/nowhere`, "\r\n") +
        head(`DELETE ${base}/me`, "Connection: close\r\n\r\n");
      assert.deepStrictEqual(statuses(yield* speak(origin, bytes, false)), [200, 201, 404, 405]);
    }),
  );

  it.effect("a request head that does not end is disconnected after some seconds", () =>
    Effect.gen(function* () {
      const { head, origin } = yield* world;
      assert.deepStrictEqual(
        statuses(yield* speak(origin, head(`GET ${base}/me`, "X-Slow: "), false)),
        [408],
      );
    }),
  );
});
