import { assert, describe, it } from "@effect/vitest";
import { Clock, Effect, Exit, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { inject } from "vitest";
import type { Role } from "../../../src/config/Settings.ts";
import { Settings } from "../../../src/config/Settings.ts";
import { assumeDistributed } from "../../../src/database/citus/IsDistributed.ts";
import { postgresLayer } from "../../../src/database/Postgres.ts";
import { RequestActivity } from "../../../src/http/RequestActivity.ts";
import { BatchLoad } from "../../../src/sending/sends/BatchLoad.ts";
import { isOnCitus } from "../../database/OnCitus.ts";
import { TestDatabase } from "../../database/TestDatabase.ts";
import { TestWaypost } from "../../TestWaypost.ts";

/** A session of a process on the database of the test. */
const session = (applicationName: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { socketPath: path, username } = inject("testServer");
      const [row] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`;
      const database = row?.name ?? "";
      return postgresLayer({ _tag: "socket", path, username, database }, { applicationName });
    }),
  );

/** The load of a process whose batches take 500 ms each, and its pauses so far, in milliseconds. */
const batchLoad = (roles: ReadonlyArray<Role> = ["api", "worker"]) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    let millis = 0;
    let paused = 0;
    const faked: Clock.Clock = Object.create(clock, {
      currentTimeMillis: { value: Effect.sync(() => millis) },
      sleep: { value: (duration: any) => Effect.sync(() => void (paused += duration.value.millis)) },
    });
    const { limited } = yield* BatchLoad.make.pipe(
      Effect.provide(Settings.layerTest({ roles: new Set(roles) })),
    );
    const run = (batch: Effect.Effect<boolean>) =>
      Effect.provideService(
        limited(Effect.tap(batch, () => Effect.sync(() => (millis += 500)))),
        Clock.Clock,
        faked,
      );
    return { run, paused: () => paused };
  });

/** The pause after a batch, in milliseconds. */
const pauseAfter = Effect.fnUntraced(function* (batch: Effect.Effect<unknown>, roles?: ReadonlyArray<Role>) {
  const { paused, run } = yield* batchLoad(roles);
  yield* run(Effect.as(batch, true));
  return paused();
});

/** A batch, and how many of it run at most at the same time. */
const counted = () => {
  let [running, most] = [0, 0];
  const batch = Effect.gen(function* () {
    most = Math.max(most, ++running);
    yield* Effect.yieldNow;
    running--;
    return true;
  });
  return { batch, most: () => most };
};

const own = "waypost api,worker here 1";

/** Runs a test in the session of a process that has a database of its own. */
const inSession = (name: string) =>
  Effect.provide(
    Layer.merge(session(name), RequestActivity.layer).pipe(Layer.provideMerge(TestDatabase.layer)),
  );

/** On Citus a process does not know whether it is alone. */
const onOneNode = it.effect.skipIf(isOnCitus());

describe("The load of batches", () => {
  onOneNode("a process that has the database for itself and serves no request makes none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pauseAfter(Effect.void), 0);
      // Its own sessions, and those of other programs, do not count.
      yield* Layer.build(session(own));
      yield* Layer.build(session("waypost-doctor"));
      assert.strictEqual(yield* pauseAfter(Effect.void), 0);
    }).pipe(inSession(own)),
  );

  onOneNode("a batch during which a request begins or ends has one of a tenth", () =>
    Effect.gen(function* () {
      const { record } = yield* RequestActivity;
      assert.strictEqual(yield* pauseAfter(Effect.sync(record)), 50);
      assert.strictEqual(yield* pauseAfter(Effect.void), 0);
    }).pipe(inSession(own)),
  );

  it.effect("batches beside another process have one, as its requests are not known", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(session("waypost api there 1"));
          assert.strictEqual(yield* pauseAfter(Effect.void), 50);
        }),
      );
    }).pipe(inSession(own)),
  );

  it.effect("batches of a process that serves no requests have one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pauseAfter(Effect.void, ["worker"]), 50);
    }).pipe(inSession("waypost worker here 1")),
  );

  it.effect("batches have one where other processes may not be seen: behind a pooler and on Citus", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.provide(pauseAfter(Effect.void), session("pooler")), 50);
      assumeDistributed(yield* SqlClient.SqlClient);
      assert.strictEqual(yield* pauseAfter(Effect.void), 50);
    }).pipe(inSession(own)),
  );

  it.effect("each request counts when it begins and when it ends", () =>
    Effect.gen(function* () {
      const { origin } = yield* TestWaypost;
      const { changes } = yield* RequestActivity;
      const before = yield* changes;
      yield* Effect.promise(() => fetch(`${origin}/health/live`));
      assert.strictEqual((yield* changes) - before, 2);
    }).pipe(Effect.provide(TestWaypost.shared)),
  );

  onOneNode("two run at the same time from the second on, until a request comes", () =>
    Effect.gen(function* () {
      const { record } = yield* RequestActivity;
      const { run } = yield* batchLoad();
      const most = Effect.fnUntraced(function* (beside: Effect.Effect<void>) {
        const { batch, most } = counted();
        yield* run(Effect.tap(batch, () => beside));
        return most();
      });
      assert.strictEqual(yield* most(Effect.void), 1);
      assert.strictEqual(yield* most(Effect.void), 2);
      assert.strictEqual(yield* most(Effect.sync(record)), 2);
      assert.strictEqual(yield* most(Effect.void), 1);
      assert.strictEqual(yield* most(Effect.void), 2);
    }).pipe(inSession(own)),
  );

  onOneNode("of two, one may find no batch, and one that fails leaves the other to end", () =>
    Effect.gen(function* () {
      const { run } = yield* batchLoad();
      const rest = [true, true, false, true];
      const next = Effect.sync(() => rest.shift() ?? false);
      assert.isTrue(yield* run(next));
      assert.isTrue(yield* run(next));
      let hasEnded = false;
      const slow = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => (hasEnded = true)),
      );
      const either = [Effect.die("lost"), slow];
      const exit = yield* Effect.exit(run(Effect.suspend(() => either.shift() ?? Effect.succeed(false))));
      assert.isTrue(Exit.isFailure(exit));
      assert.isTrue(hasEnded);
      assert.isFalse(yield* run(Effect.succeed(false)));
    }).pipe(inSession(own)),
  );
});
