import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { connect } from "node:net";
import { TestWaypost } from "../TestWaypost.ts";

/** Sends bytes, and gives all that the server sends until it closes the connection. */
const speak = (origin: string, bytes: string) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
    let heard = "";
    socket.setTimeout(100_000, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString("latin1")));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resume(Effect.succeed(heard)));
  });

/** The status, `Connection` and body of each response. */
const responses = (heard: string) =>
  heard
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((text) => text !== "")
    .map((text) => {
      const [head = "", body = ""] = text.split("\r\n\r\n");
      return {
        status: Number(head.slice(9, 12)),
        connection: /^connection: (.*)$/im.exec(head)?.[1],
        requestId: /^x-request-id: (.*)$/im.exec(head)?.[1],
        code: body.startsWith("{") ? JSON.parse(body).error?.code : undefined,
      };
    });

const paths = [
  "/production/platform/v1/me",
  "/production/device/v1/campaigns",
  "/operator/v1/workspaces",
  "/sdk/v1/waypost.js",
  "/docs",
  "/nowhere",
];
const chunks = "\r\n2\r\n{}\r\n0\r\n\r\n";

layer(TestWaypost.layer)("Framing of requests", (it) => {
  const world = Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const { sandbox, tokens } = yield* waypost.tenant();
    return { origin: waypost.origin, sandbox, authorization: `Authorization: Bearer ${tokens.sandbox}\r\n` };
  });
  const refusedAs = (status: number, code: string) => [{ status, code, connection: "close" }];
  const seen = (heard: string) =>
    responses(heard).map(({ code, connection, status }) => ({ status, code, connection }));

  it.effect(
    "two Host headers, or one that is no host, are 400 on every interface (A5, errors.bad_request)",
    () =>
      Effect.gen(function* () {
        const { authorization, origin } = yield* world;
        const refused = refusedAs(400, "bad_request");
        for (const path of paths)
          for (const head of [
            "1.1\r\nHost: x\r\nHost: y",
            "1.1\r\nHost: x\r\nhOST: x",
            "1.0\r\nHost: x\r\nHost: y",
            "1.1\r\nHost: x, y",
            "1.1\r\nHost: x,y",
            "1.1\r\nHost: a@b/#",
          ]) {
            const heard = yield* speak(origin, `GET ${path} HTTP/${head}\r\n${authorization}\r\n`);
            assert.deepStrictEqual(seen(heard), refused, head);
            assert.isDefined(responses(heard)[0]?.requestId);
          }
        for (const host of ["x", "x:8080", "[::1]:80", "a_b.example", ""]) {
          const more = `Host: ${host}\r\n${authorization}Connection: close\r\n\r\n`;
          const head = `GET /sandbox/platform/v1/me HTTP/1.1\r\n${more}`;
          assert.strictEqual(responses(yield* speak(origin, head))[0]?.status, 200, host);
        }
      }),
  );

  it.effect(
    "another transfer coding than chunked is 501 on every interface (A5, errors.not_implemented)",
    () =>
      Effect.gen(function* () {
        const { authorization, origin, sandbox } = yield* world;
        const post = (path: string, version: string, more: string) =>
          `POST ${path} HTTP/${version}\r\nHost: x\r\n${authorization}Content-Type: application/json\r\n` +
          more;
        const refused = refusedAs(501, "not_implemented");
        for (const path of paths)
          for (const [version, coding] of [
            ["1.1", "gzip, chunked"],
            ["1.1", ",chunked"],
            ["1.1", "gzip\r\nTransfer-Encoding: chunked"],
            ["1.0", "chunked"],
          ] as const) {
            const heard = yield* speak(
              origin,
              post(path, version, `Transfer-Encoding: ${coding}\r\n${chunks}`),
            );
            assert.deepStrictEqual(seen(heard), refused, coding);
          }
        const plain = post(
          "/sandbox/platform/v1/campaigns",
          "1.1",
          `Connection: close\r\nTransfer-Encoding: Chunked\r\n${chunks}`,
        );
        assert.strictEqual(responses(yield* speak(origin, plain))[0]?.status, 422);
        assert.deepStrictEqual((yield* sandbox("/campaigns")).body.data, []);
      }),
  );

  it.effect("a request behind a refused one on its connection does nothing (A5)", () =>
    Effect.gen(function* () {
      const { authorization, origin, sandbox } = yield* world;
      const body = '{"name":"Hidden","type":"push","timezone":"UTC","starts_at":"2026-12-01"}';
      const hidden =
        `POST /sandbox/platform/v1/campaigns HTTP/1.1\r\nHost: x\r\n${authorization}` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      for (const first of [
        "GET /nowhere HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        `POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n${chunks}`,
      ])
        assert.lengthOf(responses(yield* speak(origin, first + hidden)), 1);
      assert.deepStrictEqual((yield* sandbox("/campaigns")).body.data, []);
    }),
  );

  it.effect("Node's parser refuses what else could hide a request, and closes the connection (A5)", () =>
    Effect.gen(function* () {
      const { origin } = yield* world;
      const post = "POST /nowhere HTTP/1.1\r\nHost: x\r\n";
      const next = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
      for (const head of [
        `Content-Length: 3\r\nTransfer-Encoding: chunked\r\n${chunks}`,
        `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n${chunks}`,
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 2, 2\r\n\r\n{}",
        "Content-Length: +2\r\n\r\n{}",
        "Content-Length : 2\r\n\r\n{}",
        "X-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
        `Transfer-Encoding:\r\n chunked\r\n${chunks}`,
        `Transfer-Encoding: gzip\r\n${chunks}`,
        `Transfer-Encoding: chunked, gzip\r\n${chunks}`,
        "Transfer-Encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}x0\r\n\r\n",
        `Transfer-Encoding: chunked\r\n\r\n2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      ]) {
        const heard = responses(yield* speak(origin, `${post}${head}${next}`));
        assert.deepInclude([400, 413, 501], heard[0]?.status, head.slice(0, 80));
        assert.notInclude(
          heard.map(({ status }) => status),
          404,
        );
      }
    }),
  );
});
