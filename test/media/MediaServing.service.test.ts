import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { connect } from "node:net";
import { MediaStore } from "../../src/media/store/MediaStore.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { mediaWorld } from "./MediaWorld.ts";
import { bytesOf } from "./store/MediaStoreCases.ts";
import { unavailableKey, unknownKey } from "./FakeThumbnails.ts";

const content = `image ${Buffer.from(bytesOf(200_000)).toString("latin1")}`;
const whole = Buffer.from(content, "utf8");

/** Sends a request without a token. */
const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.promise(async () => {
    const response = await fetch(url, { method, headers });
    return {
      status: response.status,
      header: (name: string) => response.headers.get(name),
      body: Buffer.from(await response.arrayBuffer()),
    };
  });

/**
 * Sends a request byte for byte, without the corrections of a client library, and returns the whole response.
 */
const raw = (origin: string, request: string) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(origin);
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on("data", (piece) => (answer += piece.toString("latin1")));
    socket.on("close", () => resume(Effect.succeed(answer)));
    socket.on("error", () => {});
  });

layer(TestWaypost.layer)("The media address", (it) => {
  const world = Effect.gen(function* () {
    const made = yield* mediaWorld();
    const file = yield* made.file({ content, filename: "Tasse ü.png" });
    return { ...made, file, url: file.url as string };
  });

  it.effect(
    "the media address serves the stored bytes with their type and with headers that forbid scripts (H3.1)",
    () =>
      Effect.gen(function* () {
        const { url } = yield* world;
        const { body, header, status } = yield* get(url);
        assert.strictEqual(status, 200);
        assert.isTrue(body.equals(whole));
        assert.strictEqual(header("content-type"), "image/png");
        assert.strictEqual(header("content-length"), String(whole.length));
        assert.strictEqual(header("x-content-type-options"), "nosniff");
        assert.strictEqual(header("content-security-policy"), "default-src 'none'; sandbox");
        assert.strictEqual(header("cache-control"), "public, max-age=31536000, immutable");
        assert.strictEqual(header("accept-ranges"), "bytes");
        assert.strictEqual(header("access-control-allow-origin"), "*");
        assert.include(header("content-disposition") ?? "", "inline; filename=");
        assert.match(header("etag") ?? "", /^"[^"]+"$/);
        assert.isNotNull(header("x-request-id"));
        assert.isNull(header("x-ratelimit-limit"));
      }),
  );

  it.effect("HEAD of a media file answers with the headers of GET and no body", () =>
    Effect.gen(function* () {
      const { url } = yield* world;
      const [got, head] = [yield* get(url), yield* get(url, {}, "HEAD")];
      assert.deepStrictEqual([head.status, head.body.length], [200, 0]);
      for (const name of ["content-type", "content-length", "etag", "cache-control", "content-disposition"])
        assert.strictEqual(head.header(name), got.header(name), name);
    }),
  );

  it.effect("a range request gets its part (206), or 416 if the file has none of it (H3.1)", () =>
    Effect.gen(function* () {
      const { url } = yield* world;
      const size = whole.length;
      for (const [range, start, past] of [
        ["bytes=0-0", 0, 1],
        ["bytes=100000-150000", 100_000, 150_001],
        [`bytes=${size - 5}-`, size - 5, size],
        ["bytes=-7", size - 7, size],
        [`bytes=0-${size * 2}`, 0, size],
      ] as const) {
        const { body, header, status } = yield* get(url, { range });
        assert.strictEqual(status, 206, range);
        assert.isTrue(body.equals(whole.subarray(start, past)), range);
        assert.strictEqual(header("content-range"), `bytes ${start}-${past - 1}/${size}`);
        assert.strictEqual(header("content-length"), String(past - start));
        assert.strictEqual(header("content-type"), "image/png");
      }
      const refused = yield* get(url, { range: `bytes=${size}-` });
      assert.deepStrictEqual([refused.status, refused.header("content-range")], [416, `bytes */${size}`]);
      const several = yield* get(url, { range: "bytes=0-1,5-6" });
      assert.deepStrictEqual([several.status, several.body.length], [200, size]);
    }),
  );

  it.effect("If-Range with any tag but the file's own gets the whole file", () =>
    Effect.gen(function* () {
      const { url } = yield* world;
      const etag = (yield* get(url, {}, "HEAD")).header("etag") ?? "";
      const range = "bytes=0-9";
      assert.strictEqual((yield* get(url, { range, "if-range": etag })).status, 206);
      for (const other of [`W/${etag}`, '"other"', "Sat, 21 Nov 2026 12:00:00 GMT"])
        assert.strictEqual((yield* get(url, { range, "if-range": other })).status, 200, other);
    }),
  );

  it.effect("a media file answers If-None-Match with 304 and a failed If-Match with 412 (H3.1)", () =>
    Effect.gen(function* () {
      const { url } = yield* world;
      const etag = (yield* get(url, {}, "HEAD")).header("etag") ?? "";
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const { body, header, status } = yield* get(url, { "if-none-match": known, range: "bytes=0-9" });
        assert.deepStrictEqual([status, body.length, header("etag")], [304, 0, etag], known);
        assert.include(header("cache-control") ?? "", "immutable");
      }
      assert.strictEqual((yield* get(url, { "if-none-match": '"other"' })).status, 200);
      assert.strictEqual((yield* get(url, { "if-match": etag })).status, 200);
      assert.strictEqual((yield* get(url, { "if-match": '"other"' })).status, 412);
    }),
  );

  it.effect("a deleted media file is 404 at once, in the usual error shape (H3.2)", () =>
    Effect.gen(function* () {
      const { file, sandbox, url } = yield* world;
      assert.strictEqual((yield* sandbox(`/media/${file.id}`, { method: "DELETE" })).status, 200);
      for (const method of ["GET", "HEAD"]) {
        const { body, header, status } = yield* get(url, {}, method);
        assert.strictEqual(status, 404);
        assert.strictEqual(header("cache-control"), "no-store");
        if (method === "GET") assert.strictEqual(JSON.parse(body.toString()).error.code, "not_found");
      }
    }),
  );

  it.effect("every path but a whole media key is 404, however it is written (H3.2)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { url } = yield* world;
      const key = url.slice(url.lastIndexOf("/") + 1);
      for (const path of [
        "/media",
        "/media/",
        `/media/${unknownKey}`,
        `/media/${key.slice(0, -1)}`,
        `/media/${key}x`,
        `/media/${key}/`,
        `/media/${key}/original`,
        `/media/${key}/thumbnail/`,
        `/media/${key}/thumbnail/x`,
        `/media//${key}`,
        `//media/${key}`,
        `/MEDIA/${key}`,
        `/media/${key.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`)}`,
        `/media/${key}%00`,
        `/media/${key}%2fthumbnail`,
        "/media/..%2f..%2foperator.key",
        "/media/../../operator.key",
        "/media/..\\..\\operator.key",
        "/media/%",
        `/media/${"A".repeat(5000)}`,
      ]) {
        const answer = yield* raw(origin, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        assert.match(answer, /^HTTP\/1\.1 404 /, path);
        assert.include(answer, '"code":"not_found"', path);
      }
      assert.strictEqual((yield* get(`${url}?width=100`)).status, 200);
    }),
  );

  it.effect("the media address allows only GET, HEAD and OPTIONS, and ranges from other sites", () =>
    Effect.gen(function* () {
      const { url } = yield* world;
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const { body, header, status } = yield* get(url, {}, method);
        assert.deepStrictEqual([status, header("allow")], [405, "GET, HEAD, OPTIONS"], method);
        assert.strictEqual(JSON.parse(body.toString()).error.code, "method_not_allowed");
      }
      const asked = yield* get(url, { "access-control-request-headers": "range" }, "OPTIONS");
      assert.strictEqual(asked.status, 204);
      assert.include(asked.header("access-control-allow-headers") ?? "", "Range");
    }),
  );

  it.effect("the thumbnail of an image is served with the same headers, ranges and tags as a file (H2)", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { file } = yield* world;
      const { body, header, status } = yield* get(file.thumbnail_url);
      assert.deepStrictEqual([status, body.toString()], [200, "a small picture"]);
      assert.strictEqual(header("content-type"), "image/webp");
      assert.strictEqual(header("x-content-type-options"), "nosniff");
      assert.include(header("cache-control") ?? "", "immutable");
      const etag = header("etag") ?? "";
      assert.strictEqual((yield* get(file.thumbnail_url, { "if-none-match": etag })).status, 304);
      const part = yield* get(file.thumbnail_url, { range: "bytes=2-6" });
      assert.deepStrictEqual([part.status, part.body.toString()], [206, "small"]);
      const unavailable = yield* get(`${origin}/media/${unavailableKey}/thumbnail`);
      assert.deepStrictEqual([unavailable.status, unavailable.header("retry-after")], [503, "2"]);
      assert.strictEqual(JSON.parse(unavailable.body.toString()).error.code, "service_unavailable");
      assert.strictEqual((yield* get(`${origin}/media/${unknownKey}/thumbnail`)).status, 404);
    }),
  );

  it.effect("a media file is 404 when the store has lost its bytes", () =>
    Effect.gen(function* () {
      const { url } = yield* world;
      yield* (yield* MediaStore).remove(url.slice(url.lastIndexOf("/") + 1));
      assert.strictEqual((yield* get(url)).status, 404);
    }),
  );
});

layer(TestWaypost.layerWith({ mediaUrl: "https://cdn.example.com/files" }))(
  "WAYPOST_MEDIA_URL with a path",
  (it) => {
    it.effect("media URLs start with WAYPOST_MEDIA_URL, and its path is served on any host", () =>
      Effect.gen(function* () {
        const { origin } = yield* TestWaypost;
        const file = yield* (yield* mediaWorld()).file({ content });
        assert.match(file.url, /^https:\/\/cdn\.example\.com\/files\/[\w-]{32}$/);
        const path = new URL(file.url).pathname;
        assert.isTrue((yield* get(origin + path)).body.equals(whole));
        assert.strictEqual((yield* get(`${origin + path}/thumbnail`)).status, 200);
        assert.strictEqual((yield* get(origin + path.replace("/files", "/media"))).status, 200);
        assert.strictEqual((yield* get(origin + path.replace("/files/", "/filesx"))).status, 404);
      }),
    );
  },
);

layer(TestWaypost.layerWith({ mediaUrl: "https://media.example.com" }))(
  "WAYPOST_MEDIA_URL without a path",
  (it) => {
    it.effect("a WAYPOST_MEDIA_URL without a path serves files at the root and hides no other path", () =>
      Effect.gen(function* () {
        const { origin } = yield* TestWaypost;
        const file = yield* (yield* mediaWorld()).file({ content });
        const { pathname } = new URL(file.url);
        assert.match(pathname, /^\/[\w-]{32}$/);
        assert.strictEqual((yield* get(origin + pathname)).status, 200);
        assert.strictEqual((yield* get(`${origin}${pathname}/thumbnail?x`)).status, 200);
        assert.strictEqual((yield* get(`${origin}/health/live`)).status, 200);
        assert.strictEqual((yield* get(`${origin}/openapi/platform.json`)).status, 200);
      }),
    );
  },
);
