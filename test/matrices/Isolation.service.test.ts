import { assert, layer } from "@effect/vitest";
import { Array as Arr, Effect } from "effect";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyCall } from "./Endpoints.ts";
import type { ValidRequest } from "./Example.ts";
import { describeAnswer, exampleOf, send } from "./Examples.ts";
import { type MatrixFixture, makeMatrixFixtures } from "./MatrixFixture.ts";
import { assertUnchanged, takeSnapshot } from "./Snapshot.ts";
import { someOf } from "../FixedSeed.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** Texts that are not ids, encoded for a path. */
const malformed = [
  "nowhere",
  "1",
  "0",
  "-1",
  "null",
  "%00",
  "%ff",
  "%zz",
  "%2e%2e%2fme",
  "%F0%9F%92%A5",
  "' OR 1=1 --",
  "{id}",
  "00000000-0000-0000-0000-000000000000",
  `${unknownId}x`,
  `x${unknownId}`,
  `${unknownId}%0a`,
  unknownId.replaceAll("-", ""),
  "a".repeat(3000),
].map((text) => (text.includes("%") ? text : encodeURIComponent(text)));

/** Whether a text of a path is percent-encoded UTF-8. No other text names a resource or a route. */
const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** Path parameters that are not ids and accept any text. */
const nonIds = new Set(["installation_id", "transport"]);

/** Sessions of the console belong to no workspace: the operator ends them all. */
const isOfInstallation = ({ path }: Endpoint): boolean => path.startsWith("/console/sessions");

/** Erasing what there is not succeeds, and erases nothing (contract X33). */
const erasures = new Set([
  "DELETE /workspaces/:workspace/:env/people/:user_id",
  "DELETE /workspaces/:workspace/:env/devices/:device",
]);

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** An answer with its ids replaced: answers about ids of others must equal answers about unknown ids. */
const withoutIds = ({ body, status }: Answer) => ({
  status,
  body: JSON.stringify(body).replaceAll(uuids, "<id>"),
});

/** Whether a path parameter names the tenant of the other parameters, as in the operator's paths. */
const isScope = (name: string) => name === "workspace" || name === "env";

/** Path parameters of the request `mine` with one or all ids replaced by `theirs`, of another tenant. */
const foreignParams = (
  endpoint: Endpoint,
  mine: ValidRequest,
  theirs: Readonly<Record<string, string>>,
): ReadonlyArray<Readonly<Record<string, string>>> => {
  const params = mine.params ?? {};
  const resources = endpoint.params.filter((name) => !isScope(name) && !nonIds.has(name));
  const scopes = endpoint.params.filter((name) => isScope(name) && theirs[name] !== params[name]);
  // Their resource in my tenant, and, where the path names the tenant, my resource in their tenant.
  const swapped = [...(scopes.length > 0 && resources.length > 0 ? scopes : []), ...resources];
  const each = swapped.map((name) => ({ ...params, [name]: theirs[name] ?? "" }));
  const all = Object.fromEntries(resources.map((name) => [name, theirs[name] ?? ""]));
  return resources.length > 1 ? [...each, { ...params, ...all }] : each;
};

const withValueAt = (body: unknown, path: string, value: unknown): unknown => {
  const [head = "", ...rest] = path.split(".");
  const tail = rest.join(".");
  const inner = (part: unknown) => (tail === "" ? value : withValueAt(part, tail, value));
  if (/^\d+$/.test(head)) {
    const list = Array.isArray(body) ? [...body] : [];
    list[Number(head)] = inner(list[Number(head)]);
    return list;
  }
  const object = { ...(body as object) } as Record<string, unknown>;
  object[head] = inner(object[head]);
  return object;
};

/** The request with another id at a path of its body, or in a query parameter: `?name`. */
const withId = (request: ValidRequest, path: string, id: string): ValidRequest =>
  path.startsWith("?")
    ? { ...request, query: { ...request.query, [path.slice(1)]: id } }
    : { ...request, body: withValueAt(request.body, path, id) };

/** Asserts that an answer says that there is no such resource. */
const assertNothing = (answer: Answer, isErasure: boolean, why: string): void => {
  assert.strictEqual(answer.status, isErasure ? 200 : 404, why);
  if (isErasure) assert.deepStrictEqual(answer.body, { data: { devices: 0 } }, why);
  else assert.strictEqual(answer.body.error.code, "not_found", why);
};

layer(TestWaypost.layer)("Resources of others", (it) => {
  const made = new Map<string, ValidRequest>();
  /** An example's request in a fixture, made once for each name: no request here uses up its resources. */
  const madeOnce = Effect.fnUntraced(function* (name: string, endpoint: Endpoint, fixture: MatrixFixture) {
    const key = `${endpoint.api} ${name} ${fixture.environment} ${fixture.workspace.id}`;
    const known = made.get(key) ?? (yield* exampleOf(endpoint).request(fixture));
    made.set(key, known);
    return known;
  });

  /** Path parameters of deleted resources of one fixture, by the kind of the resource. */
  const deletedResources = Effect.fnUntraced(function* (mine: MatrixFixture) {
    const ids = new Map<string, Readonly<Record<string, string>>>();
    for (const endpoint of everyCall.filter(({ method }) => method === "DELETE")) {
      const kind = endpoint.params.at(-1);
      // Revoked tokens and keys are still listed and may be revoked again.
      if (kind === undefined || kind === "token" || kind === "key" || nonIds.has(kind)) continue;
      const request = yield* exampleOf(endpoint).request(mine);
      const answer = yield* send(mine, endpoint, request);
      assert.strictEqual(answer.status, 200, describeAnswer(answer));
      ids.set(kind, request.params ?? {});
    }
    return ids;
  });

  it.effect(
    "an id in a path of another workspace or environment, deleted or unknown, is not found " +
      "(A2.3, B2.3, errors.not_found, operator.foreign)",
    () =>
      Effect.gen(function* () {
        const { mine, otherEnvironment, otherWorkspace } = yield* makeMatrixFixtures;
        const gone = yield* deletedResources(mine);
        let tried = 0;
        const prepared = Effect.fnUntraced(function* (endpoint: Endpoint) {
          const example = exampleOf(endpoint);
          const request = yield* madeOnce(endpoint.name, endpoint, mine);
          const hasPairs =
            example.joins !== true && endpoint.params.filter((name) => !isScope(name)).length > 1;
          const sibling = hasPairs
            ? ((yield* madeOnce(`${endpoint.path} sibling`, endpoint, mine)).params ?? {})
            : {};
          // Tokens belong to the workspace: the other environment may see them.
          const isOfWorkspace = endpoint.api === "operator" && !endpoint.params.includes("env");
          const ofOthers = isOfWorkspace ? [otherWorkspace] : [otherWorkspace, otherEnvironment];
          const others = isOfInstallation(endpoint) ? [] : ofOthers;
          const theirs = yield* Effect.forEach(others, (fixture) =>
            Effect.map(madeOnce(endpoint.path, endpoint, fixture), ({ params }) => params ?? {}),
          );
          const wrong = [
            ...theirs.flatMap((params) => foreignParams(endpoint, request, params)),
            ...endpoint.params
              .filter((name) => gone.has(name) && !isScope(name))
              .map((name) => ({ ...request.params, ...gone.get(name) })),
            // Two valid ids that do not belong together.
            ...(hasPairs ? foreignParams(endpoint, request, sibling).slice(0, -1) : []),
          ];
          return { endpoint, request, wrong };
        });
        const ask = Effect.fnUntraced(function* ({
          endpoint,
          request,
          wrong,
        }: Effect.Success<ReturnType<typeof prepared>>) {
          const at = (params: Readonly<Record<string, string>>) =>
            send(mine, endpoint, { ...request, params: { ...request.params, ...params } });
          for (const name of endpoint.params) {
            const unknown = yield* at({ [name]: unknownId });
            const isErasure = erasures.has(endpoint.name) && !isScope(name);
            assertNothing(unknown, isErasure, `${endpoint.name}: ${describeAnswer(unknown)}`);
            yield* Effect.forEach(
              // The operator's requests of an environment have the same handlers.
              endpoint.byOperator ? someOf(someOf(malformed, tried), tried) : someOf(malformed, tried),
              (text) =>
                Effect.map(at({ [name]: text }), (answer) => {
                  const why = `${endpoint.name} at ${text}: ${describeAnswer(answer)}`;
                  assertNothing(answer, isErasure && isDecodable(text), why);
                }),
              { concurrency: 9, discard: true },
            );
            tried++;
          }
          const last = endpoint.params.findLast((name) => !nonIds.has(name)) ?? "";
          const expected = withoutIds(yield* at({ [last]: unknownId }));
          for (const params of wrong) {
            const answer = yield* send(mine, endpoint, { ...request, params });
            const why = `${endpoint.name} at ${JSON.stringify(params)}: ${describeAnswer(answer)}`;
            assertNothing(answer, erasures.has(endpoint.name), why);
            assert.strictEqual(expected.status, answer.status, why);
            // Problems of the body are not reported either, so that the answer does not reveal the id.
            if (request.body !== undefined) {
              const broken = yield* send(mine, endpoint, { ...request, params, body: "{" });
              assert.deepStrictEqual(withoutIds(broken), withoutIds(answer), why);
            }
            tried++;
          }
        });
        const withIds = everyCall.filter(({ params }) => params.some((name) => !nonIds.has(name)));
        // Some at a time: a snapshot costs as much as ten requests.
        for (const some of Arr.chunksOf(withIds, 5)) {
          const requests = yield* Effect.forEach(some, prepared);
          const before = yield* takeSnapshot;
          yield* Effect.forEach(requests, ask, { discard: true });
          yield* assertUnchanged(before, some.map(({ name }) => name).join(", "));
        }
        assert.isAbove(tried, 300);
      }),
  );

  it.effect(
    "an id of others in a body or query is treated like an unknown id (A2.2, E5.2, F4.2, K2, reports.range4)",
    () =>
      Effect.gen(function* () {
        const { mine, otherEnvironment, otherWorkspace } = yield* makeMatrixFixtures;
        const gone = yield* deletedResources(mine);
        let tried = 0;
        const withKinds = everyCall.filter((endpoint) => exampleOf(endpoint).idKinds !== undefined);
        for (const endpoint of withKinds) {
          const request = yield* madeOnce(endpoint.name, endpoint, mine);
          const before = yield* takeSnapshot;
          for (const [path, kind] of Object.entries(exampleOf(endpoint).idKinds ?? {})) {
            const ids = [
              otherWorkspace.resources[kind],
              otherEnvironment.resources[kind],
              gone.get(kind)?.[kind],
            ];
            const expected = yield* send(mine, endpoint, withId(request, path, unknownId));
            for (const id of ids.filter((each) => each !== undefined)) {
              const answer = yield* send(mine, endpoint, withId(request, path, id));
              const why = `${endpoint.name} with ${kind} ${id} at ${path}: ${describeAnswer(answer)}`;
              assert.deepStrictEqual(withoutIds(answer), withoutIds(expected), why);
              if (answer.status !== 200) {
                assert.strictEqual(answer.status, 422, why);
                assert.isTrue(
                  Object.keys(answer.body.error.fields).some((field) => path.startsWith(field)),
                  why,
                );
              }
            }
            for (const text of someOf(["nowhere", `${unknownId}0`, "\0"], tried++)) {
              const answer = yield* send(mine, endpoint, withId(request, path, text));
              assert.isBelow(answer.status, 500, `${endpoint.name} with ${JSON.stringify(text)} at ${path}`);
            }
          }
          yield* assertUnchanged(before, endpoint.name);
        }
      }),
  );

  it.effect("resources of others are in no list and behind no cursor (A2.1, A2.3, D2.2)", () =>
    Effect.gen(function* () {
      const { mine, otherEnvironment, otherWorkspace } = yield* makeMatrixFixtures;
      const lists = everyCall.filter(({ operation }) =>
        operation.parameters.some((each: any) => each.name === "cursor"),
      );
      assert.isAbove(lists.length, 5);
      for (const theirs of [otherEnvironment, otherWorkspace])
        for (let i = 0; i < 2; i++) yield* theirs.make.surveyed;
      for (const endpoint of lists) {
        const { query: _, ...request } = yield* madeOnce(endpoint.name, endpoint, mine);
        for (const theirs of [otherEnvironment, otherWorkspace]) {
          const { query: _, ...other } = yield* madeOnce(endpoint.name, endpoint, theirs);
          const page = yield* send(theirs, endpoint, { ...other, query: { limit: "1" } });
          const full = yield* send(mine, endpoint, { ...request, query: { limit: "100" } });
          assert.strictEqual(full.status, 200, describeAnswer(full));
          const cursor: string | null = page.body.meta.next_cursor;
          // The operator's lists of workspaces, tokens and sessions contain both fixtures.
          const isShared =
            endpoint.name === "GET /workspaces" ||
            endpoint.name.endsWith("/tokens") ||
            isOfInstallation(endpoint);
          if (!isShared) {
            const idOf = (each: any): string => each.id ?? each.campaign_id;
            const ids = full.body.data.map(idOf);
            for (const each of page.body.data) assert.notInclude(ids, idOf(each), endpoint.name);
            if (cursor !== null) {
              const foreign = yield* send(mine, endpoint, { ...request, query: { cursor } });
              assert.strictEqual(foreign.status, 422, `${endpoint.name}: ${describeAnswer(foreign)}`);
              assert.strictEqual(foreign.body.error.code, "invalid_cursor");
            }
          }
        }
      }
    }),
  );
});
