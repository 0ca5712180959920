import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { abilities, type Ability } from "../../src/access/Ability.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import type { Workspace } from "../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { someOf } from "../FixedSeed.ts";
import { testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyEndpoint, platformByOperator, platformEndpoints } from "./Endpoints.ts";
import { credentialOf, describeAnswer, exampleOf, send } from "./Examples.ts";
import { makeMatrixFixture, type MatrixFixture, unlimitedWorkspace } from "./MatrixFixture.ts";
import { assertUnchanged, takeSnapshot } from "./Snapshot.ts";

/** Contract C1, independent of the code: the abilities to read and write a path. The first match counts. */
const expectedAbilities: ReadonlyArray<readonly [path: RegExp, read: Ability | null, write: Ability | null]> =
  [
    [/^\/me$/, null, null],
    [/^\/reports\//, "reports:read", null],
    [/^\/campaigns\/:campaign\/notifications\/:notification\/(results|answers)$/, "reports:read", null],
    [
      /^\/campaigns\/:campaign\/notifications\/:notification\/test/,
      "notifications:write",
      "notifications:write",
    ],
    [/^\/campaigns\/:campaign\/notifications/, "notifications:read", "notifications:write"],
    [/^\/campaigns\/estimate$/, null, "campaigns:read"],
    [/^\/campaigns\/:campaign\/recipients$/, "sends:read", null],
    [/^\/campaigns\/:campaign\/experiment/, "reports:read", "campaigns:write"],
    [/^\/notifications\/preview$/, null, "notifications:read"],
    [/^\/notifications/, "notifications:read", "notifications:write"],
    [/^\/deliveries/, "sends:read", null],
    [/^\/usage$/, null, null],
    [/^\/segments\/count$/, null, "segments:read"],
    [/^\/campaigns/, "campaigns:read", "campaigns:write"],
    [/^\/(locations|location-groups)/, "locations:read", "locations:write"],
    [/^\/media/, "media:read", "media:write"],
    [/^\/webhooks/, "webhooks:read", "webhooks:write"],
    [/^\/segments/, "segments:read", "segments:write"],
    [/^\/(devices|attributes)/, "devices:read", "devices:write"],
    [/^\/events(\/|$)/, "devices:read", "events:write"],
    [/^\/sends/, "sends:read", null],
    [/^\/activity/, "activity:read", "activity:read"],
  ];

/** Endpoints that work in Production before the full API is enabled (platform-api.md, Authentication 7). */
const worksBefore = /^\/(me|reports\/\w+)$/;

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** A request that passes the checks up to the ability, and then fails on an unknown id or an invalid body. */
const harmless = (endpoint: Endpoint) => ({
  params: Object.fromEntries(endpoint.params.map((name) => [name, unknownId])),
  ...(["POST", "PUT", "PATCH"].includes(endpoint.method) ? { body: "{" } : {}),
});

describe("The ability of each endpoint", () => {
  it("every endpoint needs the ability of the contract's table (C1)", () => {
    const wrong = platformEndpoints.flatMap(({ method, name, needs, path, worksAlways }) => {
      const rule = expectedAbilities.find(([pattern]) => pattern.test(path));
      if (rule === undefined) return [`${name}: no row of expectedAbilities matches`];
      const [, read, write] = rule;
      const expected = method === "GET" ? read : write;
      return [
        ...(needs === expected ? [] : [`${name}: needs ${needs}, should need ${expected}`]),
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
    // A token without abilities cannot be issued: tests of issuing cover `GET /me`.
    return yield* Effect.forEach(
      sets.filter((set) => set.length > 0),
      (granted) =>
        Effect.map(waypost.token(workspace, environment, granted), ({ token }) => ({ granted, token })),
    );
  });

  /**
   * Whether a token helps to decide which ability an endpoint needs: the one with this ability alone, the one
   * with all others, and the one with all. The first two exclude every other condition that is met by more
   * abilities whenever it is met by fewer.
   */
  const isDecisive = (granted: ReadonlyArray<Ability>, needs: Ability | null): boolean =>
    needs === null ||
    granted.length === abilities.length ||
    (granted.length === 1) === granted.includes(needs);

  it.effect(
    "each endpoint accepts exactly the tokens that have its ability " +
      "(errors.missing_ability, locations.get, notifications.delete, notifications.update)",
    () =>
      Effect.gen(function* () {
        const workspace = yield* unlimitedWorkspace;
        const fixture = yield* makeMatrixFixture(workspace, "sandbox");
        const tokens = yield* tokensOf(workspace, "sandbox");
        const before = yield* takeSnapshot;
        const seen = new Set<Ability | null>();
        for (const endpoint of platformEndpoints) {
          // The first endpoint of each ability is asked with every token.
          const isFirst = !seen.has(endpoint.needs);
          seen.add(endpoint.needs);
          const others = isFirst ? someOf(tokens, seen.size) : [];
          for (const each of tokens) {
            const { granted, token } = each;
            if (!others.includes(each) && !isDecisive(granted, endpoint.needs)) continue;
            const answer = yield* send(fixture, endpoint, harmless(endpoint), { credential: token });
            const why = `${endpoint.name} with ${granted.join(", ")}: ${describeAnswer(answer)}`;
            if (endpoint.needs === null || granted.includes(endpoint.needs)) {
              assert.include([200, 404, 415, 422], answer.status, why);
            } else {
              assert.strictEqual(answer.status, 403, why);
              assert.strictEqual(answer.body.error.code, "missing_ability", why);
              assert.include(answer.body.error.message, endpoint.needs, why);
            }
          }
        }
        yield* assertUnchanged(before, "requests that must change nothing");
      }),
  );

  it.effect("one ability is enough for each endpoint (auth.2)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspace = yield* unlimitedWorkspace;
      const fixture = yield* makeMatrixFixture(workspace, "sandbox");
      for (const endpoint of platformEndpoints) {
        const needs = endpoint.needs ?? "media:read";
        const { token } = yield* waypost.token(workspace, "sandbox", [needs]);
        const request = yield* exampleOf(endpoint).request(fixture);
        const answer = yield* send(fixture, endpoint, request, { credential: token });
        assert.isBelow(answer.status, 300, `${endpoint.name} with ${needs}: ${describeAnswer(answer)}`);
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
        const workspace = yield* unlimitedWorkspace;
        const fixture = yield* makeMatrixFixture(workspace, "production");
        const tokens = [
          { granted: [...abilities], token: fixture.credentials.platform },
          { granted: ["media:read" as Ability], token: "" },
          { granted: ["reports:read" as Ability], token: "" },
        ];
        for (const each of tokens.slice(1)) {
          each.token = (yield* waypost.token(workspace, "production", each.granted)).token;
        }
        for (const isEnabled of [false, true, false]) {
          yield* workspaces.update(workspace.id, ParsedBody.of({ platform_api_enabled: isEnabled }));
          const before = yield* takeSnapshot;
          for (const endpoint of platformEndpoints) {
            for (const { granted, token } of tokens) {
              const answer = yield* send(fixture, endpoint, harmless(endpoint), { credential: token });
              const state = `${isEnabled ? "on" : "off"}, with ${granted.join(", ")}`;
              const why = `${endpoint.name}, ${state}: ${describeAnswer(answer)}`;
              const code = answer.body.error?.code;
              if (!isEnabled && !worksBefore.test(endpoint.path)) {
                assert.strictEqual(answer.status, 403, why);
                assert.strictEqual(code, "platform_api_not_enabled", why);
              } else if (endpoint.needs !== null && !granted.includes(endpoint.needs)) {
                assert.strictEqual(code, "missing_ability", why);
              } else assert.include([200, 404, 415, 422], answer.status, why);
            }
          }
          yield* assertUnchanged(before, "requests that must change nothing");
        }
      }),
  );

  it.effect(
    "the operator has every ability in both environments, before the full API and in a deletion (W1, Y16)",
    () =>
      Effect.gen(function* () {
        const workspaces = yield* Workspaces;
        for (const environment of ["sandbox", "production"] as const) {
          const workspace = yield* unlimitedWorkspace;
          const fixture = yield* makeMatrixFixture(workspace, environment);
          for (const endpoint of platformByOperator) {
            const request = yield* exampleOf(endpoint).request(fixture);
            // The fixture makes the resources of examples with a token, which needs a working workspace.
            const ended = { platform_api_enabled: false, deletion_scheduled: true };
            yield* workspaces.update(workspace.id, ParsedBody.of(ended));
            const answer = yield* send(fixture, endpoint, request);
            assert.isBelow(answer.status, 300, `${endpoint.name}: ${describeAnswer(answer)}`);
            assert.isNull(answer.headers.get("x-ratelimit-limit"), endpoint.name);
            const works = { platform_api_enabled: true, deletion_scheduled: false };
            yield* workspaces.update(workspace.id, ParsedBody.of(works));
          }
        }
      }),
  );

  it.effect(
    "tokens fail in a workspace scheduled for deletion and at the other address " +
      "(auth.5, auth.8, errors.workspace_paused, errors.wrong_environment)",
    () =>
      Effect.gen(function* () {
        const workspaces = yield* Workspaces;
        const workspace = yield* unlimitedWorkspace;
        const sandbox = yield* makeMatrixFixture(workspace, "sandbox");
        const production = yield* makeMatrixFixture(workspace, "production");
        const all = [...platformEndpoints, ...everyEndpoint.filter(({ api }) => api === "device")];
        const requestsOf = (fixture: MatrixFixture, endpoints: ReadonlyArray<Endpoint>) =>
          Effect.forEach(endpoints, (endpoint) => exampleOf(endpoint).request(fixture));
        const requests = yield* requestsOf(sandbox, all);
        for (const [fixture, other, own] of [
          [sandbox, production, requests],
          [production, sandbox, yield* requestsOf(production, platformEndpoints)],
        ] as const) {
          const before = yield* takeSnapshot;
          for (const [index, endpoint] of platformEndpoints.entries()) {
            const answer = yield* send(other, endpoint, own[index] ?? {}, {
              credential: fixture.credentials.platform,
            });
            assert.strictEqual(answer.body.error?.code, "wrong_environment", describeAnswer(answer));
          }
          yield* assertUnchanged(before, "requests to the other address");
        }
        yield* workspaces.update(workspace.id, ParsedBody.of({ deletion_scheduled: true }));
        const before = yield* takeSnapshot;
        for (const [index, endpoint] of all.entries()) {
          const answer = yield* send(sandbox, endpoint, requests[index] ?? {});
          const why = `${endpoint.name}: ${describeAnswer(answer)}`;
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
        const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
        const { device, platform, sdk } = fixture.credentials;
        const requests = yield* Effect.forEach(everyEndpoint, (endpoint) =>
          exampleOf(endpoint).request(fixture),
        );
        const before = yield* takeSnapshot;
        let asked = 0;
        for (const [index, endpoint] of everyEndpoint.entries()) {
          const own = credentialOf(endpoint, fixture.credentials);
          const request = requests[index] ?? {};
          for (const credential of [testOperatorKey, platform, sdk, device, null]) {
            if (credential === own) continue;
            // The operator key is known there, but these requests name no workspace (contract W1).
            const isUnknown = endpoint.api !== "platform" || credential !== testOperatorKey;
            // Each other counts as an unknown token, of which 20 a minute are allowed.
            if (isUnknown && ++asked % 20 === 0) yield* TestClock.adjust("61 seconds");
            const answer = yield* send(fixture, endpoint, request, { credential });
            const why = `${endpoint.api} ${endpoint.name} with ${credential}: ${describeAnswer(answer)}`;
            const code = credential === null ? "missing_token" : "invalid_token";
            const expected = isUnknown ? [401, code] : [422, "invalid_parameter"];
            assert.deepStrictEqual([answer.status, answer.body.error.code], expected, why);
          }
        }
        yield* assertUnchanged(before, "keys of other interfaces");
      }),
  );
});
