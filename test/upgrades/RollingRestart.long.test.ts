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
import { releaseCommit, releasedProgram, releases } from "./ReleasedProgram.ts";

/** The tables that requests and workers use all the time. */
const busy = ["tenant", "campaign", "device", "geofence_event", "delivery", "send", "push_queue"];

/** The versions of a rolling restart: launchers, this program if left out. */
interface Versions {
  readonly previous?: string;
  readonly next?: string;
  /** The numbers of their migrations. */
  readonly migrations: readonly [previous: number, next: number];
}

/** Replaces the processes of one version by one of the next while a send, events and requests go on. */
const rollingRestart = Effect.fnUntraced(function* ({ migrations, next, previous }: Versions) {
  const sql = yield* SqlClient.SqlClient;
  const service = yield* localServices.fcm;
  const { start, failToStart } = yield* machines;
  const [first, second, worker] = yield* Effect.all(
    [start("api", previous), start("api", previous), start("worker", previous)],
    { concurrency: "unbounded" },
  );
  assert.lengthOf(yield* sql`SELECT FROM schema_migration`, migrations[0]);
  const scene = yield* makeSharedWorkspace(first, service, 2);
  const balancer = new Balancer([first, second]);
  const made = yield* traffic(scene, balancer);

  // The new process migrates while the old ones serve requests and send.
  yield* scene.startSend;
  const newer = yield* start("api,worker", next);
  assert.lengthOf(yield* sql`SELECT FROM schema_migration`, migrations[1]);
  yield* until(scene.sends, ([send]) => send?.status === "done");

  // The old processes work on the new schema until they are replaced.
  balancer.machines.push(newer);
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
  if (migrations[0] < migrations[1]) {
    const { code, stderr } = yield* failToStart("api", previous);
    assert.strictEqual(code, 1);
    assert.include(stderr, "The database is newer than this program");
  }

  assert.deepStrictEqual(balancer.refusals, []);
  yield* assertExact(newer, scene, made, service, { sends: 2, uncertain: new Set() });
});

layer(TestDatabase.layer, { excludeTestServices: true })("A rolling restart", (it) => {
  it.effect(
    "a rolling restart with migrations of busy tables fails no request and loses nothing (running.upgrade)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const own = ownMigrations.length;
        const next = yield* nextProgram(busy);
        yield* rollingRestart({ next, migrations: [own, own + busy.length + 1] });
        const [row] = yield* sql`SELECT DISTINCT made_up FROM delivery`;
        assert.deepStrictEqual(row, { made_up: "made up" });
      }).pipe(Effect.scoped),
  );
});

for (const version of releases) {
  const commit = releaseCommit(version);
  layer(TestDatabase.layerEmpty, { excludeTestServices: true })(`A rolling restart from ${version}`, (it) => {
    it.effect.skipIf(commit === null)(
      "a rolling restart from the program of a release fails no request and loses nothing (running.upgrade)",
      () =>
        Effect.gen(function* () {
          const { launcher, migrations } = yield* releasedProgram(commit ?? "");
          yield* rollingRestart({ previous: launcher, migrations: [migrations, ownMigrations.length] });
        }).pipe(Effect.scoped),
    );
  });
}
