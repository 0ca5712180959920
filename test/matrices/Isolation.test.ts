import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyEndpoint } from "./Endpoints.ts";
import type { GoodRequest } from "./Example.ts";
import { exampleOf, send, told } from "./Examples.ts";
import { type Ground, makeGrounds } from "./Ground.ts";
import { assertUnchanged, takeSnapshot } from "./Snapshot.ts";

const random = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** What can be no id, each as it stands in a path. */
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
  `${random}x`,
  `x${random}`,
  `${random}%0a`,
  random.replaceAll("-", ""),
  "a".repeat(3000),
].map((text) => (text.includes("%") ? text : encodeURIComponent(text)));

/** Parameters that are no ids: any text may stand there. */
const free = new Set(["installation_id", "transport"]);

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** An answer with every id made the same: what it tells of a hostile one must be what it tells of any. */
const withoutIds = ({ body, status }: Answer) => ({
  status,
  body: JSON.stringify(body).replaceAll(uuids, "<id>"),
});

/** Whether a parameter says by itself where the others are looked for, as in the operator's paths. */
const isScope = (name: string) => name === "workspace" || name === "env";

/** Ids in the path that name things of another place, `theirs`, with the rest of the path as it was. */
const mixtures = (
  endpoint: Endpoint,
  mine: GoodRequest,
  theirs: Readonly<Record<string, string>>,
): ReadonlyArray<Readonly<Record<string, string>>> => {
  const params = mine.params ?? {};
  const things = endpoint.params.filter((name) => !isScope(name) && !free.has(name));
  const scopes = endpoint.params.filter((name) => isScope(name) && theirs[name] !== params[name]);
  // What is theirs is looked for under what is mine, and, where the path says whose it is, the other way round.
  const swapped = [...(scopes.length > 0 && things.length > 0 ? scopes : []), ...things];
  const each = swapped.map((name) => ({ ...params, [name]: theirs[name] ?? "" }));
  const all = Object.fromEntries(things.map((name) => [name, theirs[name] ?? ""]));
  return things.length > 1 ? [...each, { ...params, ...all }] : each;
};

const place = (body: unknown, path: string, value: unknown): unknown => {
  const [head = "", ...rest] = path.split(".");
  const tail = rest.join(".");
  const inner = (part: unknown) => (tail === "" ? value : place(part, tail, value));
  if (/^\d+$/.test(head)) {
    const list = Array.isArray(body) ? [...body] : [];
    list[Number(head)] = inner(list[Number(head)]);
    return list;
  }
  const object = { ...(body as object) } as Record<string, unknown>;
  object[head] = inner(object[head]);
  return object;
};

/** A request with another id at a place of its body or query. */
const naming = (request: GoodRequest, where: string, id: string): GoodRequest =>
  where.startsWith("?")
    ? { ...request, query: { ...request.query, [where.slice(1)]: id } }
    : { ...request, body: place(request.body, where, id) };

layer(TestWaypost.layer)("Resources of others", (it) => {
  /** Ids of things of my own that are deleted, by the endpoint that deletes the kind. */
  const deleted = Effect.fnUntraced(function* (mine: Ground) {
    const ids = new Map<string, Readonly<Record<string, string>>>();
    for (const endpoint of everyEndpoint.filter(({ method }) => method === "DELETE")) {
      const kind = endpoint.params.at(-1);
      // What an operator revokes stays listed, and revoking it again is fine.
      if (kind === undefined || kind === "token" || kind === "key" || free.has(kind)) continue;
      const request = yield* exampleOf(endpoint).request(mine);
      const answer = yield* send(mine, endpoint, request);
      assert.strictEqual(answer.status, 200, told(answer));
      ids.set(kind, request.params ?? {});
    }
    return ids;
  });

  it.effect(
    "an id in a path of another workspace or environment, deleted or unknown, is not found " +
      "(A2.3, B2.3, errors.not_found, operator.foreign)",
    () =>
      Effect.gen(function* () {
        const { mine, otherEnvironment, otherWorkspace } = yield* makeGrounds;
        const gone = yield* deleted(mine);
        let tried = 0;
        for (const endpoint of everyEndpoint.filter(({ params }) => params.some((name) => !free.has(name)))) {
          const example = exampleOf(endpoint);
          const request = yield* example.request(mine);
          const sibling = (yield* example.request(mine)).params ?? {};
          // A workspace's tokens are listed for both its environments: one of them is no stranger to the other.
          const isOfWorkspace = endpoint.of === "operator" && !endpoint.params.includes("env");
          const others = isOfWorkspace ? [otherWorkspace] : [otherWorkspace, otherEnvironment];
          const theirs = yield* Effect.forEach(others, (ground) =>
            Effect.map(example.request(ground), ({ params }) => params ?? {}),
          );
          const wrong = [
            ...theirs.flatMap((params) => mixtures(endpoint, request, params)),
            ...endpoint.params
              .filter((name) => gone.has(name) && !isScope(name))
              .map((name) => ({ ...request.params, ...gone.get(name) })),
            // Of two ids each is good, but not together.
            ...(example.joins !== true && endpoint.params.filter((name) => !isScope(name)).length > 1
              ? mixtures(endpoint, request, sibling).slice(0, -1)
              : []),
          ];
          const before = yield* takeSnapshot;
          for (const name of endpoint.params) {
            const anyone = yield* send(mine, endpoint, {
              ...request,
              params: { ...request.params, [name]: random },
            });
            assert.strictEqual(anyone.status, 404, `${endpoint.name}: ${told(anyone)}`);
            const answers = yield* Effect.forEach(
              malformed,
              (text) => send(mine, endpoint, { ...request, params: { ...request.params, [name]: text } }),
              { concurrency: 9 },
            );
            for (const [at, answer] of answers.entries()) {
              assert.strictEqual(answer.status, 404, `${endpoint.name} at ${malformed[at]}: ${told(answer)}`);
              assert.strictEqual(answer.body.error.code, "not_found", malformed[at]);
              tried++;
            }
          }
          const last = endpoint.params.findLast((name) => !free.has(name)) ?? "";
          const stranger = withoutIds(
            yield* send(mine, endpoint, { ...request, params: { ...request.params, [last]: random } }),
          );
          for (const params of wrong) {
            const answer = yield* send(mine, endpoint, { ...request, params });
            const why = `${endpoint.name} at ${JSON.stringify(params)}: ${told(answer)}`;
            assert.strictEqual(answer.status, 404, why);
            assert.strictEqual(answer.body.error.code, "not_found", why);
            assert.strictEqual(stranger.status, 404, why);
            // What is wrong with a body is not told either, so that nothing tells whether the id is one.
            if (request.body !== undefined) {
              const broken = yield* send(mine, endpoint, { ...request, params, body: "{" });
              assert.deepStrictEqual(withoutIds(broken), withoutIds(answer), why);
            }
            tried++;
          }
          yield* assertUnchanged(before, endpoint.name);
        }
        assert.isAbove(tried, 300);
      }),
  );

  it.effect(
    "an id of others in a body or query is treated like an unknown id (A2.2, E5.2, F4.2, K2, reports.range4)",
    () =>
      Effect.gen(function* () {
        const { mine, otherEnvironment, otherWorkspace } = yield* makeGrounds;
        const gone = yield* deleted(mine);
        for (const endpoint of everyEndpoint) {
          const example = exampleOf(endpoint);
          for (const [where, kind] of Object.entries(example.names ?? {})) {
            const request = yield* example.request(mine);
            const ids = [otherWorkspace.things[kind], otherEnvironment.things[kind], gone.get(kind)?.[kind]];
            const before = yield* takeSnapshot;
            const stranger = yield* send(mine, endpoint, naming(request, where, random));
            for (const id of ids.filter((each) => each !== undefined)) {
              const answer = yield* send(mine, endpoint, naming(request, where, id));
              const why = `${endpoint.name} with ${kind} ${id} at ${where}: ${told(answer)}`;
              assert.deepStrictEqual(withoutIds(answer), withoutIds(stranger), why);
              if (answer.status !== 200) {
                assert.strictEqual(answer.status, 422, why);
                assert.isTrue(
                  Object.keys(answer.body.error.fields).some((field) => where.startsWith(field)),
                  why,
                );
              }
            }
            for (const text of ["nowhere", `${random}0`, "\0"]) {
              const answer = yield* send(mine, endpoint, naming(request, where, text));
              assert.isBelow(answer.status, 500, `${endpoint.name} with ${JSON.stringify(text)} at ${where}`);
            }
            yield* assertUnchanged(before, `${endpoint.name} at ${where}`);
          }
        }
      }),
  );

  it.effect("resources of others are in no list and behind no cursor (A2.1, A2.3, D2.2)", () =>
    Effect.gen(function* () {
      const { mine, otherEnvironment, otherWorkspace } = yield* makeGrounds;
      const lists = everyEndpoint.filter(({ operation }) =>
        operation.parameters.some((each: any) => each.name === "cursor"),
      );
      assert.isAbove(lists.length, 5);
      for (const endpoint of lists) {
        const { query: _, ...request } = yield* exampleOf(endpoint).request(mine);
        for (const theirs of [otherEnvironment, otherWorkspace]) {
          const { query: _, ...other } = yield* exampleOf(endpoint).request(theirs);
          for (let i = 0; i < 2; i++) yield* theirs.make.surveyed;
          const page = yield* send(theirs, endpoint, { ...other, query: { limit: "1" } });
          const whole = yield* send(mine, endpoint, { ...request, query: { limit: "100" } });
          assert.strictEqual(whole.status, 200, told(whole));
          const cursor: string | null = page.body.meta.next_cursor;
          // The operator sees all workspaces in one list.
          const isOfAll = endpoint.name === "GET /workspaces" || endpoint.name.endsWith("/tokens");
          if (!isOfAll) {
            const ids = whole.body.data.map((each: { id: string }) => each.id);
            for (const { id } of page.body.data) assert.notInclude(ids, id, endpoint.name);
            if (cursor !== null) {
              const stolen = yield* send(mine, endpoint, { ...request, query: { cursor } });
              assert.strictEqual(stolen.status, 422, `${endpoint.name}: ${told(stolen)}`);
              assert.strictEqual(stolen.body.error.code, "invalid_cursor");
            }
          }
        }
      }
    }),
  );
});
