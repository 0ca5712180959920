import { assert, layer } from "@effect/vitest";
import { Clock, Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestDatabase } from "../database/TestDatabase.ts";
import { collection, pointFeature } from "../locations/Features.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { asker } from "../TestWaypost.ts";
import { Balancer } from "./Balancer.ts";
import { ok } from "../given/Given.ts";
import { end, type Machine, machines, operatorOf, readiness, until } from "./Machines.ts";
import { makeSharedWorkspace } from "./SharedWorkspace.ts";
import { traffic } from "./Traffic.ts";
import { assertExact, uncertainPushes } from "./Exactness.ts";

const abilities = ["locations:write", "locations:read"];

/** A change through one process is visible in the other: new locations at once, a revoked token soon. */
const assertVisibleInOther = Effect.fnUntraced(function* (one: Machine, other: Machine) {
  const operator = operatorOf(one);
  const { id } = ok(yield* operator("/workspaces", { body: { name: "Shared" } }));
  const tokens = `/workspaces/${id}/tokens`;
  const { id: tokenId, token } = ok(
    yield* operator(tokens, { body: { name: "Test", environment: "sandbox", abilities } }),
  );
  const { sdk_key } = ok(yield* operator(`/workspaces/${id}/sandbox/sdk-keys`, { body: { name: "App" } }));
  const register = asker(`${other.origin}/device/v1`, sdk_key);
  const phone = ok(yield* register("/devices/phone", { method: "PUT", body: { platform: "ios" } }));
  const device = asker(`${other.origin}/device/v1`, phone.device_token);
  const platform = (machine: Machine) => asker(`${machine.origin}/sandbox/platform/v1`, token);
  for (const longitude of [4, 5]) {
    const body = collection(pointFeature({}, [longitude, 52]));
    const [location] = ok(yield* platform(one)("/locations/import", { body })).results;
    const recorded_at = new Date(yield* Clock.currentTimeMillis).toISOString();
    const { transitions } = ok(
      yield* device("/positions", { body: { positions: [{ latitude: 52, longitude, recorded_at }] } }),
    );
    assert.deepInclude(transitions.at(-1), { type: "enter", location_id: location.id });
  }
  assert.strictEqual((yield* platform(other)("/locations")).status, 200);
  ok(yield* operator(`${tokens}/${tokenId}`, { method: "DELETE" }));
  yield* until(platform(other)("/locations"), ({ status }) => status === 401);
});

layer(TestDatabase.layer, { excludeTestServices: true })("Two API processes and two workers", (it) => {
  it.effect(
    "a killed worker, a killed API process and a cut-off worker lose and double nothing under load " +
      "(J2, L5.2, running.several)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const service = yield* localServices.fcm;
        const { network, start, startFar } = yield* machines;
        const [api, killedApi, killed, cutOff] = yield* Effect.all(
          [start("api"), start("api"), start("worker"), startFar("worker")],
          { concurrency: "unbounded" },
        );
        yield* assertVisibleInOther(killedApi, api);
        const workspace = yield* makeSharedWorkspace(killedApi, service, 3);
        const balancer = new Balancer([api, killedApi]);
        const clients = yield* traffic(workspace, balancer);

        // Both workers have unanswered pushes. Then each has a batch that it cannot write, and the API
        // process has a request.
        const release = service.hold("accept");
        yield* workspace.startSend;
        const owners = Effect.sync(
          () => new Set(service.ledger.map(({ headers }) => headers["authorization"])).size,
        );
        yield* until(owners, (workers) => workers === 2);
        yield* until(workspace.sends, (sends) => sends[0]?.targeted === 1_306);
        const locked = yield* Deferred.make<void>();
        const killing = yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* sql`LOCK TABLE delivery IN SHARE MODE`;
            yield* Deferred.succeed(locked, undefined);
            const leased = Effect.orDie(sql`SELECT FROM send_batch WHERE leased_until IS NOT NULL`);
            yield* until(leased, (rows) => rows.length === 2);
            const waiting = Effect.orDie(sql`
              SELECT FROM pg_stat_activity
              WHERE application_name LIKE ${`% ${killedApi.child.pid}`} AND wait_event_type = 'Lock'`);
            yield* until(waiting, (rows) => rows.length > 0);
            network.start();
            yield* Effect.all([end(killedApi, "SIGKILL"), end(killed, "SIGKILL")]);
            return yield* uncertainPushes;
          }).pipe(sql.withTransaction),
        );
        yield* Deferred.await(locked);
        yield* workspace.startSend;
        const uncertain = yield* Fiber.join(killing);
        balancer.without(killedApi);
        release();

        // A new worker gets the batches and pushes of both, during further requests.
        const second = yield* start("worker");
        assert.strictEqual(yield* readiness(cutOff), 503);
        yield* until(workspace.sends, (sends) => sends.every(({ status }) => status === "done"));
        network.end();
        yield* until(readiness(cutOff), (status) => status === 200);

        // The worker that was cut off works again without a restart: it is the only worker.
        assert.strictEqual((yield* end(second, "SIGTERM")).code, 0);
        yield* workspace.startSend;
        yield* until(workspace.sends, (sends) => sends[2]?.status === "done");
        yield* clients.stop;
        assert.deepStrictEqual(balancer.refusals, []);
        assert.isAbove(balancer.repeated.length, 0);
        const repeated = yield* assertExact(api, workspace, clients, service, { sends: 3, uncertain });
        assert.isAbove(repeated, 0);
        for (const each of [api, cutOff]) assert.strictEqual((yield* end(each, "SIGTERM")).code, 0);
      }).pipe(Effect.scoped),
  );
});
