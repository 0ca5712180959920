import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { createHmac } from "node:crypto";
import { TestWaypost } from "../TestWaypost.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const hashOf = (secret: string, userId: string) => createHmac("sha256", secret).update(userId).digest("hex");

/** A workspace whose devices must prove their person, with its user secret of Sandbox. */
const demanding = Effect.gen(function* () {
  const world = yield* givenWorkspace();
  const { waypost, workspace } = world;
  const path = `/workspaces/${workspace.id}`;
  const issue = (environment = "sandbox") =>
    Effect.map(
      waypost.operator(`${path}/${environment}/user-secret`, { method: "POST" }),
      ({ body }) => body.data.user_secret as string,
    );
  const demand = (user_hash_required: boolean) =>
    waypost.operator(path, { method: "PATCH", body: { user_hash_required } });
  return { ...world, issue, demand };
});

layer(TestWaypost.shared)("Users of devices", (it) => {
  it.effect("a device says whose it is, and the operator sees it and selects by it (Q1.5)", () =>
    Effect.gen(function* () {
      const { sandbox, waypost, workspace } = yield* givenWorkspace();
      const phone = yield* sandbox.device("phone", { user_id: "  anna " });
      yield* sandbox.device("tablet", { user_id: "anna" });
      yield* sandbox.device("other", { user_id: "Anna" });
      const users = (query: string) =>
        Effect.map(waypost.operator(`/workspaces/${workspace.id}/sandbox/devices${query}`), ({ body }) =>
          body.data.map((each: any) => [each.installation_id, each.user_id]),
        );
      assert.deepStrictEqual(yield* users("?user_id=anna"), [
        ["tablet", "anna"],
        ["phone", "anna"],
      ]);
      const kept = yield* phone.ask("/devices/me", { method: "PATCH", body: { locale: "nl-NL" } });
      assert.strictEqual(kept.body.data.user_id, "anna");
      const changed = yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id: "bob" } });
      assert.strictEqual(changed.body.data.user_id, "bob");
      const cleared = yield* phone.ask("/devices/me", { method: "PATCH", body: { user_id: null } });
      assert.isNull(cleared.body.data.user_id);
      // A registration replaces the earlier one as a whole.
      const again = yield* sandbox.register("tablet", { platform: "ios" });
      assert.isNull(again.body.data.user_id);
    }),
  );

  it.effect("a user_id has 1 to 255 characters (Q1.5)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* givenWorkspace();
      for (const user_id of ["", "   ", "x".repeat(256), 7, "a\0b", ["anna"]]) {
        const refused = yield* sandbox.register("phone", { platform: "ios", user_id });
        assert.deepStrictEqual(
          [refused.status, Object.keys(refused.body.error.fields ?? {})],
          [422, ["user_id"]],
          String(user_id),
        );
      }
      const widest = "😀".repeat(255);
      const taken = yield* sandbox.register("phone", { platform: "ios", user_id: widest });
      assert.strictEqual(taken.body.data.user_id, widest);
    }),
  );

  it.effect("segments compare user_id as a text (Q1.6)", () =>
    Effect.gen(function* () {
      const { platform, sandbox } = yield* givenWorkspace();
      yield* sandbox.device("phone", { user_id: "anna", attributes: { user_id: "not this" } });
      yield* sandbox.device("other", { user_id: "bob" });
      yield* sandbox.device("nobody");
      const count = (op: string, value: unknown) =>
        Effect.map(
          platform.sandbox("/segments/count", {
            body: { rule: { match: "all", conditions: [{ attribute: "user_id", op, value }] } },
          }),
          ({ body }) => body.data?.devices ?? body.error.fields,
        );
      assert.strictEqual(yield* count("eq", "anna"), 1);
      assert.strictEqual(yield* count("ne", "anna"), 2);
      assert.strictEqual(yield* count("in", ["anna", "bob", "eve"]), 2);
      assert.strictEqual(yield* count("exists", false), 1);
      assert.strictEqual(yield* count("contains", "nn"), 1);
      assert.property(yield* count("eq", 5), "rule.conditions.0.value");
    }),
  );

  it.effect(
    "a workspace that demands proof takes a user_id only with its hash (Q1.7, errors.user_hash_required)",
    () =>
      Effect.gen(function* () {
        const { demand, issue, sandbox } = yield* demanding;
        const phone = yield* sandbox.device("phone", { user_id: "anna", user_hash: "ignored" });
        assert.strictEqual((yield* demand(true)).body.data.user_hash_required, true);
        const ask = (fields: object) => phone.ask("/devices/me", { method: "PATCH", body: fields });
        const codeOf = (answer: { readonly status: number; readonly body: any }) => [
          answer.status,
          answer.body.error?.code,
        ];
        const refused = [403, "user_hash_required"];
        // Without a secret nothing can be proved.
        assert.deepStrictEqual(codeOf(yield* ask({ user_id: "eve", user_hash: hashOf("", "eve") })), refused);
        const secret = yield* issue();
        const good = hashOf(secret, "eve");
        for (const user_hash of [
          undefined,
          null,
          "",
          "zz",
          good.slice(0, 62),
          ...["00", "0", "zz", " ", "=", "\0", "é"].map((more) => good + more),
          hashOf(secret, "anna"),
        ]) {
          const sent = user_hash === undefined ? {} : { user_hash };
          assert.deepStrictEqual(codeOf(yield* ask({ user_id: "eve", ...sent })), refused);
          const register = yield* sandbox.register("new", { platform: "ios", user_id: "eve", ...sent });
          assert.deepStrictEqual(codeOf(register), refused);
        }
        assert.strictEqual((yield* ask({ locale: "nl" })).body.data.user_id, "anna");
        assert.strictEqual((yield* ask({ user_id: "eve", user_hash: good.toUpperCase() })).status, 200);
        assert.strictEqual((yield* ask({ user_id: null })).status, 200);
        assert.strictEqual((yield* sandbox.register("none")).status, 201);
        const proved = yield* sandbox.register("new", { platform: "ios", user_id: "eve", user_hash: good });
        assert.deepStrictEqual([proved.status, proved.body.data.user_id], [201, "eve"]);
        assert.notProperty(proved.body.data, "user_hash");
      }),
  );

  it.effect("a user secret is of one environment, and a new one ends it (Q1.8)", () =>
    Effect.gen(function* () {
      const { demand, issue, production, sandbox, waypost, workspace } = yield* demanding;
      yield* demand(true);
      const first = yield* issue();
      assert.match(first, /^wpu_\w{38}$/);
      const registered = (side: typeof sandbox, secret: string) =>
        Effect.map(
          side.register("phone", { platform: "ios", user_id: "anna", user_hash: hashOf(secret, "anna") }),
          ({ status }) => status,
        );
      assert.strictEqual(yield* registered(production, first), 403);
      yield* issue("production");
      assert.strictEqual(yield* registered(production, first), 403);
      assert.strictEqual(yield* registered(sandbox, first), 201);
      const second = yield* issue();
      assert.strictEqual(yield* registered(sandbox, first), 403);
      assert.strictEqual(yield* registered(sandbox, second), 200);
      yield* demand(false);
      assert.strictEqual(yield* registered(sandbox, first), 200);
      const unknown = yield* waypost.operator(`/workspaces/${workspace.id}/staging/user-secret`, {
        method: "POST",
      });
      assert.strictEqual(unknown.status, 404);
    }),
  );
});
