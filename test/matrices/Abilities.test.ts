import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { abilities, type Ability } from "../../src/access/Ability.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import type { Workspace } from "../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyEndpoint, platformEndpoints } from "./Endpoints.ts";
import { exampleOf, send, told } from "./Examples.ts";
import { makeGround, roomyWorkspace } from "./Ground.ts";
import { assertUnchanged, takeSnapshot } from "./Snapshot.ts";

/** Contract C1, written by hand: the ability that a path needs to be read, and the one to be changed. The first that fits counts. */
const wanted: ReadonlyArray<readonly [path: RegExp, read: Ability | null, write: Ability | null]> = [
  [/^\/me$/, null, null],
  [/^\/reports\//, "reports:read", null],
  [/^\/campaigns\/:campaign\/notifications/, "notifications:read", "notifications:write"],
  [/^\/campaigns/, "campaigns:read", "campaigns:write"],
  [/^\/(locations|location-groups)/, "locations:read", "locations:write"],
  [/^\/media/, "media:read", "media:write"],
];

/** Works in Production before the full API is on (platform-api.md, Authentication 7). */
const worksBefore = /^\/(me|reports\/\w+)$/;

const nowhere = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** A request that every check up to the ability lets through, and that changes nothing whatever comes after. */
const harmless = (endpoint: Endpoint) => ({
  params: Object.fromEntries(endpoint.params.map((name) => [name, nowhere])),
  ...(endpoint.method === "POST" || endpoint.method === "PATCH" ? { body: "{" } : {}),
});

describe("The ability of each endpoint", () => {
  it("every endpoint needs the ability of the contract's table (C1)", () => {
    const wrong = platformEndpoints.flatMap(({ method, name, needs, path, worksAlways }) => {
      const rule = wanted.find(([pattern]) => pattern.test(path));
      if (rule === undefined) return [`${name}: no line of the table in Abilities.test.ts fits it`];
      const [, read, write] = rule;
      const right = method === "GET" ? read : write;
      return [
        ...(needs === right ? [] : [`${name}: needs ${needs}, should need ${right}`]),
        ...(worksAlways === worksBefore.test(path) ? [] : [`${name}: works always: ${worksAlways}`]),
      ];
    });
    assert.deepStrictEqual(wrong, []);
  });
});

layer(TestWaypost.layer)("Abilities", (it) => {
  const tokensOf = Effect.fnUntraced(function* (workspace: Workspace, environment: Environment) {
    const waypost = yield* TestWaypost;
    const sets: ReadonlyArray<ReadonlyArray<Ability>> = [
      [],
      abilities,
      ...abilities.map((one) => [one]),
      ...abilities.map((one) => abilities.filter((each) => each !== one)),
    ];
    // A token without any ability cannot be issued: `GET /me` stands for it in the tests of issuing.
    return yield* Effect.forEach(
      sets.filter((set) => set.length > 0),
      (having) =>
        Effect.map(waypost.token(workspace, environment, having), ({ token }) => ({ having, token })),
    );
  });

  it.effect(
    "each endpoint accepts exactly the tokens that have its ability " +
      "(errors.missing_ability, locations.get, notifications.delete, notifications.update)",
    () =>
      Effect.gen(function* () {
        const workspace = yield* roomyWorkspace;
        const ground = yield* makeGround(workspace, "sandbox");
        const tokens = yield* tokensOf(workspace, "sandbox");
        const before = yield* takeSnapshot;
        for (const endpoint of platformEndpoints) {
          for (const { having, token } of tokens) {
            const answer = yield* send(ground, endpoint, harmless(endpoint), { credential: token });
            const why = `${endpoint.name} with ${having.join(", ")}: ${told(answer)}`;
            if (endpoint.needs === null || having.includes(endpoint.needs)) {
              assert.include([200, 404, 415, 422], answer.status, why);
            } else {
              assert.strictEqual(answer.status, 403, why);
              assert.strictEqual(answer.body.error.code, "missing_ability", why);
              assert.include(answer.body.error.message, endpoint.needs, why);
            }
          }
        }
        yield* assertUnchanged(before, "requests that may not change anything");
      }),
  );

  it.effect("one ability is enough for each endpoint (auth.2)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspace = yield* roomyWorkspace;
      const ground = yield* makeGround(workspace, "sandbox");
      for (const endpoint of platformEndpoints) {
        const needs = endpoint.needs ?? "media:read";
        const { token } = yield* waypost.token(workspace, "sandbox", [needs]);
        const request = yield* exampleOf(endpoint).request(ground);
        const answer = yield* send(ground, endpoint, request, { credential: token });
        assert.isBelow(answer.status, 300, `${endpoint.name} with ${needs}: ${told(answer)}`);
      }
    }),
  );

  it.effect(
    "abilities work in Production exactly while the full API is enabled " +
      "(B1.3, auth.7, errors.platform_api_not_enabled)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const workspace = yield* roomyWorkspace;
        const ground = yield* makeGround(workspace, "production");
        const tokens = [
          { having: [...abilities], token: ground.credentials.platform },
          { having: ["media:read" as Ability], token: "" },
          { having: ["reports:read" as Ability], token: "" },
        ];
        for (const each of tokens.slice(1)) {
          each.token = (yield* waypost.token(workspace, "production", each.having)).token;
        }
        for (const enabled of [false, true, false]) {
          yield* workspaces.update(workspace.id, ParsedBody.of({ platform_api_enabled: enabled }));
          const before = yield* takeSnapshot;
          for (const endpoint of platformEndpoints) {
            for (const { having, token } of tokens) {
              const answer = yield* send(ground, endpoint, harmless(endpoint), { credential: token });
              const why = `${endpoint.name}, ${enabled ? "on" : "off"}, with ${having.join(", ")}: ${told(answer)}`;
              const code = answer.body.error?.code;
              if (!enabled && !worksBefore.test(endpoint.path)) {
                assert.strictEqual(answer.status, 403, why);
                assert.strictEqual(code, "platform_api_not_enabled", why);
              } else if (endpoint.needs !== null && !having.includes(endpoint.needs)) {
                assert.strictEqual(code, "missing_ability", why);
              } else assert.include([200, 404, 415, 422], answer.status, why);
            }
          }
          yield* assertUnchanged(before, "requests that may not change anything");
        }
      }),
  );

  it.effect(
    "tokens fail in a workspace scheduled for deletion and at the other address " +
      "(auth.5, auth.8, errors.workspace_paused, errors.wrong_environment)",
    () =>
      Effect.gen(function* () {
        const workspaces = yield* Workspaces;
        const workspace = yield* roomyWorkspace;
        const sandbox = yield* makeGround(workspace, "sandbox");
        const production = yield* makeGround(workspace, "production");
        const all = [...platformEndpoints, ...everyEndpoint.filter(({ of }) => of === "device")];
        for (const [ground, other] of [
          [sandbox, production],
          [production, sandbox],
        ] as const) {
          for (const endpoint of platformEndpoints) {
            const request = yield* exampleOf(endpoint).request(ground);
            const before = yield* takeSnapshot;
            const answer = yield* send(other, endpoint, request, { credential: ground.credentials.platform });
            assert.strictEqual(answer.body.error?.code, "wrong_environment", told(answer));
            yield* assertUnchanged(before, endpoint.name);
          }
        }
        const requests = yield* Effect.forEach(all, (endpoint) => exampleOf(endpoint).request(sandbox));
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: true }));
        const before = yield* takeSnapshot;
        for (const [at, endpoint] of all.entries()) {
          const answer = yield* send(sandbox, endpoint, requests[at] ?? {});
          const why = `${endpoint.name}: ${told(answer)}`;
          assert.strictEqual(answer.status, 403, why);
          assert.strictEqual(answer.body.error.code, "workspace_paused", why);
        }
        yield* assertUnchanged(before, "a workspace scheduled for deletion");
      }),
  );

  it.effect(
    "no key works on another interface than its own (B2, I2, device.access, operator.key, service.no_users)",
    () =>
      Effect.gen(function* () {
        const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
        const { device, platform, sdk } = ground.credentials;
        let asked = 0;
        for (const endpoint of everyEndpoint) {
          const own =
            endpoint.of === "operator"
              ? testOperatorKey
              : endpoint.of === "platform"
                ? platform
                : endpoint.takesSdkKey
                  ? sdk
                  : device;
          const request = yield* exampleOf(endpoint).request(ground);
          const before = yield* takeSnapshot;
          for (const credential of [testOperatorKey, platform, sdk, device, null]) {
            if (credential === own) continue;
            // Each counts as an unknown token, and twenty in a minute are the most there may be.
            if (++asked % 20 === 0) yield* TestClock.adjust("61 seconds");
            const answer = yield* send(ground, endpoint, request, { credential });
            const why = `${endpoint.of} ${endpoint.name} with ${credential}: ${told(answer)}`;
            assert.strictEqual(answer.status, 401, why);
            assert.strictEqual(
              answer.body.error.code,
              credential === null ? "missing_token" : "invalid_token",
              why,
            );
          }
          yield* assertUnchanged(before, endpoint.name);
        }
      }),
  );
});
