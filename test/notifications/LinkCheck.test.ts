import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { check, checker } from "./ButtonChecker.ts";
import { answers, localServer } from "./LocalServer.ts";

const names = { "empty.test": [], "private.test": ["10.1.2.3"] };

describe("LinkCheck", () => {
  it.effect("an address with another scheme and an authority or a path is accepted unchecked (F1.8)", () =>
    Effect.gen(function* () {
      for (const url of [
        "shop://offers/1",
        "shop://offers",
        "shop:///",
        "shop:offers",
        "mailto:info@example.com",
        "tel:+31201234567",
        "SHOP://Offers?x=1#y",
      ]) {
        assert.isNull(yield* check(url), url);
      }
    }).pipe(Effect.provide(checker())),
  );

  it.effect(
    "a dangerous scheme in any letter case, and a text that is not an address, are refused (F1.8)",
    () =>
      Effect.gen(function* () {
        for (const url of [
          "javascript:alert(1)",
          "JavaScript:alert(1)",
          "java\nscript:alert(1)",
          "data:text/html,x",
          "file:///etc/passwd",
          "vbscript:x",
          "blob:https://example.com/1",
          "view-source:https://example.com/",
          "feed:https://example.com/",
          "jar:https://example.com/a.jar!/b",
          "filesystem:https://example.com/temporary/a",
          "shop:",
          "shop://",
          "shop:?x=1",
          "/offer",
          "example.com/offer",
          "https:example.com",
          "https://",
          "https://exa mple.com/",
          "https:\\\\example.com",
          "http://[::1",
          "\u0000https://example.com",
        ]) {
          assert.match(
            (yield* check(url)) ?? "accepted",
            /^The button address (must|may|cannot) .*\.$/s,
            url,
          );
        }
      }).pipe(Effect.provide(checker({ "example.com": ["127.0.0.1"] }))),
  );

  it.effect("every status below 500 except 404 and 410 is accepted (F1.2)", () =>
    Effect.gen(function* () {
      const { port } = yield* localServer(({ url }, response) => {
        response.writeHead(Number(url?.slice(1))).end();
      });
      for (const status of [200, 204, 300, 301, 304, 400, 401, 403, 405, 429, 451, 499]) {
        assert.isNull(yield* check(`http://127.0.0.1:${port}/${status}`), String(status));
      }
      for (const status of [404, 410, 500, 502, 503, 599]) {
        assert.include(yield* check(`http://127.0.0.1:${port}/${status}`), `answered with status ${status}`);
      }
    }).pipe(Effect.provide(checker())),
  );

  it.effect("an address is requested by HEAD, and by GET only if HEAD gets 400 or more (F1.4)", () =>
    Effect.gen(function* () {
      const server = yield* localServer(({ method, url }, response) => {
        const status = url === "/no-head" && method === "HEAD" ? 404 : url === "/gone" ? 404 : 200;
        response.writeHead(status).end();
      });
      const at = (path: string) => check(`http://127.0.0.1:${server.port}${path}`);
      assert.isNull(yield* at("/head"));
      assert.isNull(yield* at("/no-head"));
      assert.isNotNull(yield* at("/gone"));
      assert.deepStrictEqual(server.asked, [
        "HEAD /head",
        "HEAD /no-head",
        "GET /no-head",
        "HEAD /gone",
        "GET /gone",
      ]);
    }).pipe(Effect.provide(checker())),
  );

  it.effect("an address may redirect five times, not six, and not in a circle (F1.5)", () =>
    Effect.gen(function* () {
      const server = yield* localServer(
        answers({
          "/6": [301, "/5"],
          "/5": [302, "/4"],
          "/4": [303, "/3"],
          "/3": [307, "/2"],
          "/2": [308, "/1"],
          "/1": [301, "/0"],
          "/0": 200,
          "/circle": [302, "/circle"],
          "/lost": [302, "/nowhere"],
        }),
      );
      const at = (path: string) => check(`http://127.0.0.1:${server.port}${path}`);
      assert.isNull(yield* at("/5"));
      assert.strictEqual(yield* at("/6"), "The button address may redirect at most 5 times.");
      server.asked.length = 0;
      assert.strictEqual(yield* at("/circle"), "The button address may redirect at most 5 times.");
      assert.lengthOf(server.asked, 6);
      assert.include(yield* at("/lost"), "status 404");
    }).pipe(Effect.provide(checker())),
  );

  it.effect("an address may redirect to http and https only (F1.5)", () =>
    Effect.gen(function* () {
      const { port } = yield* localServer(
        answers({
          "/app": [302, "shop://offers/1"],
          "/script": [302, "javascript:alert(1)"],
          "/file": [302, "file:///etc/passwd"],
          "/broken": [302, "http://[::1"],
        }),
      );
      for (const path of ["/app", "/script", "/file", "/broken"]) {
        assert.strictEqual(
          yield* check(`http://127.0.0.1:${port}${path}`),
          "The button address may redirect only to addresses of http or https.",
          path,
        );
      }
    }).pipe(Effect.provide(checker())),
  );

  it.effect("an unknown, a private, a refusing and a resetting host get the same sentence (F1.1, F1.9)", () =>
    Effect.gen(function* () {
      const server = yield* localServer((request) => request.socket.destroy());
      const sentence = (host: string) =>
        "The button address must lead to the public internet and answer when it is opened, " +
        `within 5 seconds: ${host} does not.`;
      const hosts = ["unknown.test", "empty.test", "private.test", "10.0.0.1", "[::1]", "unknown.test:81"];
      for (const host of hosts) {
        const problem = yield* check(`https://${host}/`).pipe(Effect.provide(checker(names, false)));
        assert.strictEqual(problem, sentence(host));
      }
      const host = `127.0.0.1:${server.port}`;
      assert.strictEqual(yield* check(`http://${host}/`), sentence(host));
      // A server without TLS.
      assert.strictEqual(yield* check(`https://${host}/`), sentence(host));
      server.close();
      assert.strictEqual(yield* check(`http://${host}/`), sentence(host));
    }).pipe(Effect.provide(checker(names))),
  );

  it.effect(
    "a slow address gets the sentence of a refusing one after five seconds in total (F1.3, F1.9)",
    () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>();
        const hungUp = yield* Deferred.make<void>();
        const { close, port } = yield* localServer(({ headers, url, socket }, response) => {
          if (url === "/") {
            const location = `http://localhost:${headers.host?.split(":")[1]}/never`;
            return void response.writeHead(302, { location }).end();
          }
          socket.on("close", () => Deferred.doneUnsafe(hungUp, Effect.void));
          Deferred.doneUnsafe(arrived, Effect.void);
        });
        const checking = yield* Effect.forkChild(check(`http://127.0.0.1:${port}/`));
        yield* Deferred.await(arrived);
        yield* TestClock.adjust("4999 millis");
        assert.isUndefined(checking.pollUnsafe());
        yield* TestClock.adjust("1 millis");
        const slow = yield* Fiber.join(checking);
        yield* Deferred.await(hungUp);
        close();
        assert.strictEqual(slow, yield* check(`http://localhost:${port}/never`));
      }).pipe(Effect.provide(checker({ localhost: ["127.0.0.1"] }))),
  );

  it.effect("nothing is read after the head of the response", () =>
    Effect.gen(function* () {
      const hungUp = yield* Deferred.make<void>();
      const { port } = yield* localServer(({ method, socket }, response) => {
        if (method === "HEAD") return void response.writeHead(405).end();
        socket.on("close", () => Deferred.doneUnsafe(hungUp, Effect.void));
        const more = () => {
          while (!socket.destroyed && response.write("x".repeat(65_536)));
        };
        response.writeHead(200).on("drain", more);
        more();
      });
      assert.isNull(yield* check(`http://127.0.0.1:${port}/endless`));
      yield* Deferred.await(hungUp);
    }).pipe(Effect.provide(checker())),
  );
});
