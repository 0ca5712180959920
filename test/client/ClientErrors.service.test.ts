import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { type CampaignDraft, WaypostClient, WaypostError } from "waypost/client";
import { TestWaypost } from "../TestWaypost.ts";
import { faultyProxy } from "./FaultyProxy.ts";
import { push, tenantClient, testClient } from "./TestClient.ts";

const rejection = (call: Promise<unknown>) =>
  Effect.promise(() =>
    call.then(
      () => assert.fail("The call should be refused."),
      (error: unknown) => error as WaypostError,
    ),
  );

layer(TestWaypost.layer)("errors of the client", (it) => {
  it.effect("a WaypostError holds the status, code, fields and request id of the response", () =>
    Effect.gen(function* () {
      const { client, origin } = yield* tenantClient;
      const wrong = yield* rejection(
        client.campaigns.create({ ...push(""), trigger: 1, starts_at: "soon" } as CampaignDraft),
      );
      assert.instanceOf(wrong, WaypostError);
      assert.instanceOf(wrong, Error);
      assert.strictEqual(wrong.status, 422);
      assert.strictEqual(wrong.code, "validation_failed");
      assert.deepStrictEqual(Object.keys(wrong.fields).toSorted(), ["name", "starts_at"]);
      assert.isNotEmpty(wrong.requestId);
      const missing = yield* rejection(client.campaigns.get("01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"));
      assert.strictEqual(missing.code, "not_found");
      assert.deepStrictEqual(missing.fields, {});
      const unknown = new WaypostClient({ url: origin, token: "wps_nobody" });
      assert.strictEqual((yield* rejection(unknown.me())).code, "invalid_token");
    }),
  );

  it.effect("a response that is not from the API is described in the error", () =>
    Effect.gen(function* () {
      const { origin, tokens } = yield* tenantClient;
      const html = { "content-type": "text/html" };
      const proxy = yield* faultyProxy(origin, [
        { status: 200, headers: html, body: "<style>p{}</style><p>Please <b>log in</b>" },
        { status: 301, headers: { location: "https://push.example.com/" } },
        { status: 405, headers: { allow: "GET" } },
        { status: 403, body: JSON.stringify({ error: "no" }) },
        { status: 422, body: JSON.stringify({ error: { code: "odd", fields: { a: "One.", b: ["Two."] } } }) },
        { status: 200, body: "null" },
      ]);
      const client = new WaypostClient({ url: proxy.url, token: tokens.sandbox });
      const errors = [];
      for (let call = 0; call < 6; call++) errors.push(yield* rejection(client.me()));
      assert.deepStrictEqual(
        errors.map(({ code, status }): ReadonlyArray<unknown> => [status, code]),
        [
          [200, "unexpected_response"],
          [301, "unexpected_response"],
          [405, "method_not_allowed"],
          [403, "unexpected_response"],
          [422, "odd"],
          [200, "unexpected_response"],
        ],
      );
      assert.include(errors[0]?.message, "Please log in");
      assert.include(errors[1]?.message, "https://push.example.com/");
      assert.deepStrictEqual(errors[4]?.fields, { a: ["One."], b: ["Two."] });
    }),
  );

  it.effect("the stack of an error names the line of the call (client.errors)", () =>
    Effect.gen(function* () {
      const { client } = yield* tenantClient;
      const readMissingCampaign = () => client.campaigns.get("01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60");
      const error = yield* rejection(readMissingCampaign());
      assert.match(error.stack ?? "", /^WaypostError: There is no campaign/);
      assert.match(error.stack ?? "", /readMissingCampaign .*ClientErrors.service.test/);
      assert.notInclude(error.stack ?? "", "EndpointGroups");
    }),
  );

  it.effect("a connection error names its cause and no token", () =>
    Effect.gen(function* () {
      const { tokens } = yield* tenantClient;
      const { client, settle } = yield* testClient({
        url: "http://127.0.0.1:1",
        token: tokens.sandbox,
        retry: { attempts: 2 },
        fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED here") })),
      });
      const error = yield* Effect.flip(settle(() => client.me()));
      assert.include(
        (error as WaypostError).message,
        "http://127.0.0.1:1 did not respond: ECONNREFUSED here",
      );
      assert.notInclude(JSON.stringify(error), tokens.sandbox);
      assert.notInclude(JSON.stringify(client), tokens.sandbox);
    }),
  );
});
