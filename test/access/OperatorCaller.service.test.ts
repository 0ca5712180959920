import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { abilities } from "../../src/access/Ability.ts";
import { signIn } from "../console/TestSession.ts";
import { type Answer, type Ask, asker, testOperatorKey, TestWaypost } from "../TestWaypost.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const codeOf = ({ body, status }: Answer) => [status, body.error?.code];
const rule = { match: "all", conditions: [{ attribute: "platform", op: "eq", value: "ios" }] };

/** The operator key on the platform API, with or without a workspace. */
const operatorAt = (base: string, workspace?: string) => {
  const ask = asker(base, testOperatorKey);
  const named = workspace === undefined ? {} : { "waypost-workspace": workspace };
  return (path: string, more: Ask = {}) => ask(path, { ...more, headers: { ...named, ...more.headers } });
};

layer(TestWaypost.layer)("The operator on the platform API", (it) => {
  const world = Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const tenant = yield* waypost.tenant();
    const base = { sandbox: "/sandbox/platform/v1", production: "/platform/v1" };
    return {
      ...waypost,
      ...tenant,
      asOperator: (environment: keyof typeof base, workspace?: string) =>
        operatorAt(waypost.origin + base[environment], workspace),
    };
  });

  it.effect(
    "GET /me shows the credential: the operator without id and expiry, a token with both (W1, Y17.1)",
    () =>
      Effect.gen(function* () {
        const { asOperator, operator, origin, workspace } = yield* world;
        const disabled = { platform_api_enabled: false };
        yield* operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: disabled });
        const me = yield* asOperator("production", workspace.id)("/me");
        assert.deepStrictEqual(me.body.data, {
          workspace: { id: workspace.id, name: workspace.name },
          environment: "production",
          token: { id: null, name: "operator", expires_at: null },
          abilities: [...abilities],
          platform_api_enabled: false,
        });
        const { body } = yield* operator(`/workspaces/${workspace.id}/tokens`, {
          body: {
            name: "Back office",
            environment: "sandbox",
            abilities: ["reports:read"],
            expires_at: "2027-01-01T00:00:00Z",
          },
        });
        const own = yield* asker(`${origin}/sandbox/platform/v1`, body.data.token)("/me");
        assert.deepStrictEqual(own.body.data.token, {
          id: body.data.id,
          name: "Back office",
          expires_at: "2027-01-01T00:00:00+00:00",
        });
      }),
  );

  it.effect(
    "a missing or unknown workspace is 422 at the header before the route, and a token is not heard on it " +
      "(W1, Y19, B1.1, B2.2)",
    () =>
      Effect.gen(function* () {
        const { asOperator, origin, tokens, workspace } = yield* world;
        const requests = [
          ["/me", {}],
          ["/nowhere", {}],
          ["/me", { method: "DELETE" }],
          ["/segments", { body: "{" }],
        ] as const;
        for (const [path, ask] of requests) {
          for (const id of [undefined, "", "none", unknownId]) {
            const refused = yield* asOperator("production", id)(path, ask);
            const why = `${path} in ${id}: ${JSON.stringify(refused.body)}`;
            assert.deepStrictEqual(codeOf(refused), [422, "invalid_parameter"], why);
            assert.deepStrictEqual(Object.keys(refused.body.error.fields), ["Waypost-Workspace"], why);
          }
        }
        const named = asOperator("sandbox", workspace.id);
        assert.deepStrictEqual(codeOf(yield* named("/nowhere")), [404, "not_found"]);
        assert.deepStrictEqual(codeOf(yield* named("/me", { method: "DELETE" })), [
          405,
          "method_not_allowed",
        ]);
        const other = asker(`${origin}/sandbox/platform/v1`, tokens.sandbox);
        const heard = yield* other("/me", { headers: { "waypost-workspace": unknownId } });
        assert.deepStrictEqual([heard.status, heard.body.data.workspace.id], [200, workspace.id]);
      }),
  );

  it.effect("no rate limit of the plan holds the operator, and requests are not counted in it (W1)", () =>
    Effect.gen(function* () {
      const { asOperator, operator, sandbox, workspace } = yield* world;
      const plan = { sandbox_requests_per_minute: 2 };
      yield* operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: { plan } });
      for (let asked = 0; asked < 5; asked++) {
        const answer = yield* asOperator("sandbox", workspace.id)("/me");
        assert.deepStrictEqual([answer.status, answer.headers.get("ratelimit")], [200, null]);
      }
      const first = yield* sandbox("/me");
      assert.deepStrictEqual([first.status, first.headers.get("x-ratelimit-remaining")], [200, "1"]);
    }),
  );

  it.effect("the limits of the plan and an ended trial hold for the operator as for tokens (Y16)", () =>
    Effect.gen(function* () {
      const { asOperator, operator, workspace } = yield* world;
      const create = () =>
        asOperator("sandbox", workspace.id)("/campaigns", {
          body: { name: randomUUID(), type: "push", timezone: "UTC", starts_at: "2026-12-01" },
        });
      const change = (body: object) => operator(`/workspaces/${workspace.id}`, { method: "PATCH", body });
      yield* change({ plan: { max_campaigns: 1 } });
      assert.strictEqual((yield* create()).status, 201);
      assert.deepStrictEqual(codeOf(yield* create()), [403, "limit_exceeded"]);
      yield* change({ trial_ended: true });
      assert.deepStrictEqual(codeOf(yield* create()), [403, "trial_ended"]);
    }),
  );

  it.effect("the activity names the operator, a session of the operator and a token apart (Y16, S5)", () =>
    Effect.gen(function* () {
      const { asOperator, origin, sandbox, workspace } = yield* world;
      const { answer, ask } = yield* signIn(origin, { access_key: testOperatorKey, name: "Kim" });
      const inSession = (path: string, more: Ask) =>
        ask(`/sandbox/platform/v1${path}`, { ...more, headers: { "waypost-workspace": workspace.id } });
      for (const by of [sandbox, asOperator("sandbox", workspace.id), inSession]) {
        const made = yield* by("/segments", { body: { name: randomUUID(), rule } });
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      }
      const { body } = yield* sandbox("/activity");
      assert.deepStrictEqual(
        body.data.map(({ actor }: { readonly actor: { readonly type: string } }) => actor.type),
        ["session", "operator", "token"],
      );
      assert.deepStrictEqual(body.data[1].actor, { type: "operator", id: null, name: "operator" });
      assert.strictEqual(body.data[0].actor.id, answer.body.data.id);
    }),
  );

  it.effect(
    "a session of the operator works before the full API and in a workspace scheduled for deletion (Y16)",
    () =>
      Effect.gen(function* () {
        const { operator, origin, workspace } = yield* world;
        const { ask } = yield* signIn(origin, { access_key: testOperatorKey });
        const body = { platform_api_enabled: false, deletion_scheduled: true };
        yield* operator(`/workspaces/${workspace.id}`, { method: "PATCH", body });
        const headers = { "waypost-workspace": workspace.id };
        const made = yield* ask("/platform/v1/segments", { headers, body: { name: "Phones", rule } });
        assert.strictEqual(made.status, 201, JSON.stringify(made.body));
        const unknown = yield* ask("/platform/v1/me", { headers: { "waypost-workspace": unknownId } });
        assert.deepStrictEqual(codeOf(unknown), [422, "invalid_parameter"]);
      }),
  );

  it.effect("the operator and tokens share the keys of an environment's path (Y20, J1)", () =>
    Effect.gen(function* () {
      const { asOperator, production, sandbox, workspace } = yield* world;
      const change = { headers: { "idempotency-key": randomUUID() }, body: { name: "Phones", rule } };
      const first = yield* asOperator("sandbox", workspace.id)("/segments", change);
      assert.deepStrictEqual([first.status, first.headers.get("idempotent-replayed")], [201, null]);
      const replayed = yield* sandbox("/segments", change);
      assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true");
      assert.deepStrictEqual(replayed.body, first.body);
      const other = yield* production("/segments", change);
      assert.isNull(other.headers.get("idempotent-replayed"));
    }),
  );
});

layer(TestWaypost.layer)("What the platform API has of the operator's", (it) => {
  it.effect("content without a campaign has a version that If-Match names (W2, S3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const draft = { name: "Note", type: "message", headline: "Hello", body: "World" };
      const { id } = (yield* sandbox("/notifications", { body: draft })).body.data;
      const path = `/notifications/${id}`;
      const tag = (yield* sandbox(path)).headers.get("etag") ?? "";
      const change = (headers: Readonly<Record<string, string>>, method = "PATCH") =>
        sandbox(path, {
          method,
          headers,
          ...(method === "PATCH" ? { body: { ...draft, body: "All" } } : {}),
        });
      const changed = yield* change({ "if-match": tag });
      assert.deepStrictEqual([changed.status, changed.body.data.body], [200, "All"]);
      assert.notStrictEqual(changed.headers.get("etag"), tag);
      for (const method of ["PATCH", "DELETE"]) {
        const stale = yield* change({ "if-match": tag }, method);
        assert.deepStrictEqual(codeOf(stale), [412, "version_conflict"], method);
      }
      const current = { "if-match": changed.headers.get("etag") ?? "" };
      assert.strictEqual((yield* change(current, "DELETE")).status, 200);
    }),
  );

  it.effect("usage needs no ability, and in Production the full API (W2, Y17.2)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const own = yield* waypost.workspace({ enabled: false });
      const usage = (environment: "sandbox" | "production") =>
        Effect.flatMap(waypost.token(own, environment, ["media:read"]), ({ token }) =>
          waypost.platform(environment, token)("/usage"),
        );
      const { body, status } = yield* usage("sandbox");
      const none = { campaigns: 0, notifications: 0, locations: 0, media_bytes: 0 };
      assert.deepStrictEqual([status, body.data], [200, none]);
      assert.deepStrictEqual(codeOf(yield* usage("production")), [403, "platform_api_not_enabled"]);
    }),
  );

  it.effect("devices, sends and deliveries are CSV files for every caller (W2, Y18.1, M5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, workspace } = yield* waypost.tenant();
      const operator = operatorAt(`${waypost.origin}/sandbox/platform/v1`, workspace.id);
      for (const list of ["devices", "sends", "deliveries"]) {
        const [own, theirs] = [yield* sandbox(`/${list}?format=csv`), yield* operator(`/${list}?format=csv`)];
        assert.strictEqual(own.headers.get("content-type"), "text/csv; charset=utf-8", list);
        assert.match(own.body, /^id,/);
        assert.strictEqual(theirs.body, own.body);
        const paged = yield* sandbox(`/${list}?format=csv&limit=2`);
        assert.deepStrictEqual(codeOf(paged), [422, "invalid_parameter"], list);
      }
    }),
  );
});
