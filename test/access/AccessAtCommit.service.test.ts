import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import type { ServerResponse } from "node:http";
import { localServer } from "../notifications/LocalServer.ts";
import { sent } from "../notifications/NotificationWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";

/**
 * A workspace, and a request of its Production that is between its authentication and its change. Its token
 * expires after a second.
 */
const running = (headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { operator, platform, tenant } = yield* TestWaypost;
    const { production, workspace } = yield* tenant();
    const of = `/workspaces/${workspace.id}`;
    const expires_at = new Date((yield* Clock.currentTimeMillis) + 1000).toISOString();
    const draft = {
      name: "Short",
      environment: "production",
      abilities: ["notifications:write"],
      expires_at,
    };
    const token = (yield* operator(`${of}/tokens`, { body: draft })).body.data;
    const arrived = yield* Deferred.make<ServerResponse>();
    const server = yield* localServer((_request, response) =>
      Deferred.doneUnsafe(arrived, Effect.succeed(response)),
    );
    const campaign = { name: "Sale", type: "push", timezone: "UTC", starts_at: "2026-12-01" };
    const made = yield* production("/campaigns", { body: campaign });
    const path = `/campaigns/${made.body.data.id}/notifications`;
    const body = sent("10:00", { cta_label: "Look", cta_url: `http://127.0.0.1:${server.port}/` });
    // The check of the button keeps the request waiting.
    const request = yield* Effect.forkChild(platform("production", token.token)(path, { body, headers }));
    const response = yield* Deferred.await(arrived);
    return {
      operator,
      of,
      token,
      count: Effect.map(production(path), (listed) => listed.body.data?.length),
      finish: Effect.suspend(() => {
        response.end();
        return Fiber.join(request);
      }),
    };
  });

const change = (operator: TestWaypost["Service"]["operator"], path: string, body: object) =>
  operator(path, { method: "PATCH", body });

layer(TestWaypost.layer)("A change whose access ends while its request runs", (it) => {
  for (const [name, headers] of [
    ["", {}],
    [", also with an Idempotency-Key", { "idempotency-key": "late" }],
  ] as const) {
    it.effect(
      `a change whose token is revoked meanwhile is not made${name} (B2.5, errors.unauthenticated)`,
      () =>
        Effect.gen(function* () {
          const { count, finish, of, operator, token } = yield* running(headers);
          yield* operator(`${of}/tokens/${token.id}`, { method: "DELETE" });
          const { body, status } = yield* finish;
          assert.deepStrictEqual([status, body.error.code], [401, "unauthenticated"]);
          assert.match(body.error.message, /was revoked while this request ran, so nothing was changed/);
          assert.strictEqual(yield* count, 0);
        }).pipe(Effect.scoped),
    );

    it.effect(`a change in a workspace that is paused or disabled meanwhile is not made${name} (B2.7)`, () =>
      Effect.gen(function* () {
        for (const [ending, undo, code] of [
          [{ deletion_scheduled: true }, { deletion_scheduled: false }, "workspace_paused"],
          [{ platform_api_enabled: false }, { platform_api_enabled: true }, "platform_api_not_enabled"],
        ] as const) {
          const { count, finish, of, operator } = yield* running(headers);
          yield* change(operator, of, ending);
          const { body, status } = yield* finish;
          assert.deepStrictEqual([status, body.error.code], [403, code]);
          yield* change(operator, of, undo);
          assert.strictEqual(yield* count, 0);
        }
      }).pipe(Effect.scoped),
    );
  }

  it.effect("a change whose token expires meanwhile is not made, and one that is still valid is (B2.5)", () =>
    Effect.gen(function* () {
      const inTime = yield* running({});
      assert.strictEqual((yield* inTime.finish).status, 201);
      assert.strictEqual(yield* inTime.count, 1);
      const late = yield* running({});
      yield* TestClock.adjust("1 second");
      const { body, status } = yield* late.finish;
      assert.deepStrictEqual([status, body.error.code], [401, "unauthenticated"]);
      assert.strictEqual(yield* late.count, 0);
    }).pipe(Effect.scoped),
  );
});
