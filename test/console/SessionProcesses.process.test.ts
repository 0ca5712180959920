import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestDatabase } from "../database/TestDatabase.ts";
import { end, machines, operatorKey, until } from "../machines/Machines.ts";
import { sessionClient, signIn } from "./TestSession.ts";

layer(TestDatabase.layer, { excludeTestServices: true })("sessions of the console in processes", (it) => {
  it.effect(
    "a session holds in every process and after a restart, until the operator key changes (console.session)",
    () =>
      Effect.gen(function* () {
        const { start, startWithKey } = yield* machines;
        const [one, other] = yield* Effect.all([start("api"), start("api")], { concurrency: "unbounded" });
        const { answer, ask, cookie } = yield* signIn(one.origin, { access_key: operatorKey, name: "Kim" });
        assert.strictEqual(answer.status, 201);
        const sessionAt = ({ origin }: { readonly origin: string }) =>
          Effect.map(
            sessionClient(origin, cookie)("/console/session"),
            ({ body }) => body.data?.name ?? null,
          );
        assert.strictEqual(yield* sessionAt(other), "Kim");
        yield* end(other, "SIGTERM");
        const restarted = yield* start("api");
        assert.strictEqual(yield* sessionAt(restarted), "Kim");
        const listed = yield* sessionClient(restarted.origin, cookie)("/operator/v1/workspaces");
        assert.strictEqual(listed.status, 200);
        yield* end(restarted, "SIGTERM");

        const changed = yield* startWithKey("api", "another-operator-key-of-several-processes");
        assert.isNull(yield* sessionAt(changed));
        const refused = yield* sessionClient(changed.origin, cookie)("/operator/v1/workspaces");
        assert.strictEqual(refused.status, 401);
        yield* end(changed, "SIGTERM");

        const last = yield* start("api");
        assert.strictEqual((yield* ask("/console/session", { method: "DELETE" })).status, 200);
        yield* until(sessionAt(last), (name) => name === null);
      }),
  );
});
