import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestDatabase } from "../database/TestDatabase.ts";
import { end, machines, operatorKey, operatorOf, until } from "../machines/Machines.ts";
import { asker, operatorAsker } from "../TestWaypost.ts";
import { sessionClient, signIn } from "./TestSession.ts";

const replacement = "another-operator-key-of-several-processes";

layer(TestDatabase.layer, { excludeTestServices: true })("sessions of the console in processes", (it) => {
  it.effect(
    "a session holds in every process and after a restart; it and codes end with the operator key " +
      "(console.session, console.code, Y29)",
    () =>
      Effect.gen(function* () {
        const { start, startWithKey } = yield* machines;
        const [one, other] = yield* Effect.all([start("api"), start("api")], { concurrency: "unbounded" });
        const { answer, ask, cookie } = yield* signIn(one.origin, { access_key: operatorKey, name: "Kim" });
        assert.strictEqual(answer.status, 201);
        // A proxy in front of the processes has one port, which names the cookie.
        const at = (origin: string) =>
          sessionClient(origin, cookie.replace(/_\d+=/, `_${new URL(origin).port}=`));
        const sessionAt = ({ origin }: { readonly origin: string }) =>
          Effect.map(at(origin)("/console/session"), ({ body }) => body.data?.name ?? null);
        assert.strictEqual(yield* sessionAt(other), "Kim");
        yield* end(other, "SIGTERM");
        const restarted = yield* start("api");
        assert.strictEqual(yield* sessionAt(restarted), "Kim");
        const listed = yield* at(restarted.origin)("/operator/v1/workspaces");
        assert.strictEqual(listed.status, 200);
        yield* end(restarted, "SIGTERM");
        const issued = operatorOf(one)("/console/addresses", { method: "POST" });
        const codes = [yield* issued, yield* issued].map(({ body }) => body.data.url.split("#")[1]);

        const { id } = (yield* operatorOf(one)("/workspaces", { body: { name: "Acme" } })).body.data;
        const hook = {
          body: { url: "http://127.0.0.1:1/hook", events: ["*"] },
          headers: { "idempotency-key": "hook" },
        };
        const created = (yield* operatorOf(one)(`/workspaces/${id}/sandbox/webhooks`, hook)).body.data;
        assert.isString(created.secret);

        const changed = yield* startWithKey("api", replacement);
        assert.isNull(yield* sessionAt(changed));
        const late = yield* signIn(changed.origin, { code: codes[0] });
        assert.deepStrictEqual([late.answer.status, late.cookie], [401, ""]);
        const newKey = { headers: { authorization: `Bearer ${replacement}` } };
        const open = yield* asker(changed.origin, null)("/operator/v1/console/sessions", newKey);
        assert.deepStrictEqual(open.body.data, []);
        const again = operatorAsker(changed.origin, replacement)(`/workspaces/${id}/sandbox/webhooks`, hook);
        assert.deepStrictEqual((yield* again).body.data, { ...created, secret: null });
        const refused = yield* at(changed.origin)("/operator/v1/workspaces");
        assert.strictEqual(refused.status, 401);
        yield* end(changed, "SIGTERM");

        const last = yield* start("api");
        assert.strictEqual((yield* signIn(last.origin, { code: codes[1] })).answer.status, 201);
        assert.strictEqual((yield* ask("/console/session", { method: "DELETE" })).status, 200);
        yield* until(sessionAt(last), (name) => name === null);
      }),
  );
});
