import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestDatabase } from "../database/TestDatabase.ts";
import { Balancer } from "../machines/Balancer.ts";
import { end, machines, until } from "../machines/Machines.ts";
import { makeSharedWorkspace } from "../machines/SharedWorkspace.ts";
import { traffic } from "../machines/Traffic.ts";
import { assertExact } from "../machines/Exactness.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { nextProgram } from "./NextProgram.ts";
import { ownMigrations } from "./NextVersion.ts";

/** The tables that requests and workers use all the time. */
const busy = ["tenant", "campaign", "device", "geofence_event", "delivery", "send", "push_queue"];

layer(TestDatabase.layer, { excludeTestServices: true })("A rolling restart", (it) => {
  it.effect(
    "a rolling restart with migrations of busy tables fails no request and loses nothing (running.upgrade)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const service = yield* localServices.fcm;
        const { start, failToStart } = yield* machines;
        const [first, second, worker] = yield* Effect.all([start("api"), start("api"), start("worker")], {
          concurrency: "unbounded",
        });
        const scene = yield* makeSharedWorkspace(first, service, 2);
        const balancer = new Balancer([first, second]);
        const made = yield* traffic(scene, balancer);
        const launcher = yield* nextProgram(busy);

        // The new process migrates while the old ones serve requests and send.
        yield* scene.startSend;
        const next = yield* start("api,worker", launcher);
        const applied = yield* sql`SELECT FROM schema_migration`;
        assert.lengthOf(applied, ownMigrations.length + busy.length + 1);
        yield* until(scene.sends, ([send]) => send?.status === "done");

        // The old processes work on the new schema until they are replaced.
        balancer.machines.push(next);
        yield* scene.startSend;
        yield* until(scene.sends, (sends) => (sends[1]?.targeted ?? 0) > 0);
        assert.strictEqual((yield* end(worker, "SIGTERM")).code, 0);
        for (const old of [first, second]) {
          const before = made.done.campaigns;
          assert.strictEqual((yield* end(old, "SIGTERM")).code, 0);
          balancer.without(old);
          yield* until(
            Effect.sync(() => made.done.campaigns),
            (campaigns) => campaigns > before,
          );
        }
        yield* until(scene.sends, (sends) => sends[1]?.status === "done");
        yield* made.stop;
        const { code, stderr } = yield* failToStart("api");
        assert.strictEqual(code, 1);
        assert.include(stderr, "The database is newer than this program");

        assert.deepStrictEqual(balancer.refusals, []);
        yield* assertExact(next, scene, made, service, { sends: 2, uncertain: new Set() });
        const [row] = yield* sql`SELECT DISTINCT made_up FROM delivery`;
        assert.deepStrictEqual(row, { made_up: "made up" });
      }).pipe(Effect.scoped),
  );
});
