import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { lockWait } from "../database/OnCitus.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, push } from "./CampaignWorld.ts";

layer(TestWaypost.shared)("An update of a campaign that is paused meanwhile", (it) => {
  it.effect("an update without paused leaves a pause as it is that commits after its checks (S2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* campaignWorld();
      const sql = yield* SqlClient.SqlClient;
      const { id } = (yield* sandbox("/campaigns", { body: push({ name: "Sale" }) })).body.data;
      const paused = yield* Deferred.make<void>();
      const mayCommit = yield* Deferred.make<void>();
      // The change of a pause, which takes no lock on the environment.
      const pausing = yield* Effect.gen(function* () {
        yield* sql`UPDATE campaign SET paused = true WHERE id = ${id}`;
        yield* Deferred.succeed(paused, undefined);
        yield* Deferred.await(mayCommit);
      }).pipe(sql.withTransaction, Effect.forkChild);
      yield* Deferred.await(paused);
      const updating = yield* Effect.forkChild(
        sandbox(`/campaigns/${id}`, { method: "PATCH", body: push({ name: "Renamed" }) }),
      );
      yield* lockWait("%UPDATE campaign c SET name%");
      yield* Deferred.succeed(mayCommit, undefined);
      yield* Fiber.join(pausing);
      const { body, status } = yield* Fiber.join(updating);
      assert.strictEqual(status, 200, JSON.stringify(body));
      assert.deepInclude(body.data, { name: "Renamed", paused: true });
    }),
  );
});
