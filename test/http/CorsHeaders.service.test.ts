import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { asker, TestWaypost } from "../TestWaypost.ts";

const page = "https://shop.example";
const preflight = (method: string, origin = page) => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization, content-type",
  },
});
const corsOf = ({ headers }: { readonly headers: Headers }) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
const exposed = {
  "access-control-expose-headers":
    "X-Request-Id, Retry-After, ETag, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, " +
    "RateLimit, RateLimit-Policy",
};
const anyPage = { "access-control-allow-origin": "*", ...exposed };

layer(TestWaypost.layer)("Pages of other origins", (it) => {
  it.effect("a preflight of the device interface is 204 without a token, with the path's methods (BW1)", () =>
    Effect.gen(function* () {
      const { waypost } = yield* givenWorkspace();
      const ask = waypost.device(null);
      for (const [path, methods] of [
        ["/devices/phone-1", "PUT"],
        ["/messages", "GET, HEAD"],
        ["/devices/me", "DELETE, PATCH, PUT"],
      ] as const) {
        const answer = yield* ask(path, preflight("POST"));
        assert.strictEqual(answer.status, 204, path);
        assert.deepStrictEqual(corsOf(answer), {
          ...anyPage,
          "access-control-allow-methods": methods,
          "access-control-allow-headers":
            "Authorization, Content-Type, X-Device-Token, Traceparent, If-None-Match",
          "access-control-max-age": "86400",
        });
      }
      assert.strictEqual((yield* ask("/nowhere", preflight("GET"))).status, 404);
    }),
  );

  it.effect("preflights never count as attempts with an unknown credential (BW1)", () =>
    Effect.gen(function* () {
      const { waypost } = yield* givenWorkspace();
      for (let count = 0; count < 70; count++) {
        const { status } = yield* waypost.device("wpd_unknown")("/messages", preflight("GET"));
        assert.strictEqual(status, 204);
      }
    }),
  );

  it.effect("every answer of the device interface can be read by any page, errors included (BW1)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone-1");
      const headers = { origin: page };
      for (const [expected, answer] of [
        [200, yield* phone.ask("/messages", { headers })],
        [200, yield* phone.ask("/messages")],
        [401, yield* waypost.device(null)("/messages", { headers })],
        [404, yield* phone.ask("/nowhere", { headers })],
        [405, yield* phone.ask("/messages", { method: "OPTIONS" })],
        [422, yield* phone.ask("/events", { method: "POST", body: { events: 1 }, headers })],
      ] as const) {
        assert.strictEqual(answer.status, expected);
        assert.deepStrictEqual(corsOf(answer), anyPage);
      }
    }),
  );

  it.effect(
    "an SDK key works for apps and for pages of its origins (BW1, Y24, errors.origin_not_allowed)",
    () =>
      Effect.gen(function* () {
        const { waypost, workspace } = yield* givenWorkspace();
        const base = `/workspaces/${workspace.id}/sandbox/sdk-keys`;
        const issue = (body: object) => waypost.operator(base, { method: "POST", body });
        const issued = yield* issue({
          name: "Web shop",
          allowed_origins: ["https://Shop.example:443", "http://localhost:5173", page],
        });
        assert.strictEqual(issued.status, 201);
        assert.deepStrictEqual(issued.body.data.allowed_origins, [page, "http://localhost:5173"]);
        const listed = yield* waypost.operator(base);
        assert.deepStrictEqual(listed.body.data[0].allowed_origins, [page, "http://localhost:5173"]);
        const register = waypost.device(issued.body.data.sdk_key);
        const put = (installation: string, headers: Record<string, string>) =>
          register(`/devices/${installation}`, { method: "PUT", body: { platform: "web" }, headers });
        assert.strictEqual((yield* put("browser-1", { origin: page })).status, 201);
        assert.strictEqual((yield* put("app-1", {})).status, 201);
        for (const origin of ["https://other.example", "https://shop.example:8443", "null"]) {
          const refused = yield* put("browser-2", { origin });
          assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "origin_not_allowed"]);
          assert.deepStrictEqual(corsOf(refused), anyPage);
        }
        const any = yield* issue({ name: "Any page" });
        assert.isNull(any.body.data.allowed_origins);
        const open = waypost.device(any.body.data.sdk_key);
        const put3 = { method: "PUT", body: { platform: "web" }, headers: { origin: "null" } };
        assert.strictEqual((yield* open("/devices/browser-3", put3)).status, 201);
      }),
  );

  it.effect("allowed_origins takes at most 20 origins, each without a path (BW1)", () =>
    Effect.gen(function* () {
      const { waypost, workspace } = yield* givenWorkspace();
      const issue = (allowed_origins: unknown) =>
        waypost.operator(`/workspaces/${workspace.id}/production/sdk-keys`, {
          method: "POST",
          body: { name: "Web shop", allowed_origins },
        });
      const many = (count: number) => Array.from({ length: count }, (_, at) => `https://shop-${at}.example`);
      assert.strictEqual((yield* issue(many(20))).status, 201);
      for (const [value, field] of [
        [many(21), "allowed_origins"],
        ["https://shop.example", "allowed_origins"],
        [[page, "https://shop.example/path"], "allowed_origins.1"],
        [["http://shop.example"], "allowed_origins.0"],
        [[7], "allowed_origins.0"],
      ] as const) {
        const { body, status } = yield* issue(value);
        assert.strictEqual(status, 422);
        assert.deepStrictEqual(Object.keys(body.error.fields), [field]);
      }
    }),
  );

  it.effect("the platform and operator interfaces let no page in by default (BW1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant();
      for (const answer of [
        yield* sandbox("/campaigns", preflight("GET")),
        yield* sandbox("/campaigns", { headers: { origin: page } }),
        yield* waypost.operator("/workspaces", preflight("GET")),
        yield* waypost.operator("/workspaces", { headers: { origin: page } }),
      ])
        assert.deepStrictEqual(corsOf(answer), {});
    }),
  );
});

layer(TestWaypost.layerWith({ corsOrigins: new Set([page]) }))("Pages of the platform API", (it) => {
  it.effect("WAYPOST_CORS_ORIGINS lets exactly its pages call the platform API (BW1, Y19)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant();
      const own = { "access-control-allow-origin": page, ...exposed };
      const answer = yield* sandbox("/campaigns", { headers: { origin: page } });
      assert.deepStrictEqual([answer.status, corsOf(answer)], [200, own]);
      assert.include(answer.headers.get("vary") ?? "", "Origin");
      const asked = yield* asker(waypost.origin, null)("/platform/v1/campaigns", preflight("POST"));
      assert.strictEqual(asked.status, 204);
      assert.deepStrictEqual(corsOf(asked), {
        ...own,
        "access-control-allow-methods": "GET, HEAD, POST",
        "access-control-allow-headers":
          "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Traceparent, " +
          "Waypost-Workspace",
        "access-control-max-age": "86400",
      });
      const other = yield* sandbox("/campaigns", preflight("GET", "https://other.example"));
      assert.notProperty(corsOf(other), "access-control-allow-origin");
      const operator = yield* waypost.operator("/workspaces", { headers: { origin: page } });
      assert.deepStrictEqual(corsOf(operator), {});
    }),
  );
});
