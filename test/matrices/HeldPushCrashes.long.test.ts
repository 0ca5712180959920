import { assert, layer } from "@effect/vitest";
import { Clock, Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Settings } from "../../src/config/Settings.ts";
import { instant } from "../../src/database/Rows.ts";
import { PushChannels } from "../../src/sending/push/PushChannels.ts";
import { PushWorkers } from "../../src/sending/push/PushWorkers.ts";
import { HeldDeliveries } from "../../src/sending/sends/holding/HeldDeliveries.ts";
import { at, drain, start } from "../sending/ManualWorkers.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { Connections, overCutConnections } from "../sending/sends/SimulationWorld.ts";
import { webhookWorld } from "../webhooks/WebhookWorld.ts";
import type { Cut } from "./CutConnections.ts";
import { runCut, settledOnce } from "./CutWorkers.ts";
import { whileTimeMoves } from "./MovingTime.ts";

/** Longer than the lease of a push. */
const leasesEnd = TestClock.adjust("16 seconds");
const pushLayer = PushWorkers.layer.pipe(
  Layer.provide(PushChannels.layer),
  Layer.provide(Settings.layerTest({ allowPrivateAddresses: true })),
);

/** The devices of a round: a phone and an inbox with a name, and a phone without, whose template fails. */
const perRound = 3;
/** The pushes of a round: two plain ones and one from the template. */
const pushesPerRound = 3;
const rounds = 40;
/** Around the COMMIT of a transaction, and at its first statements. */
const cutsOfSettling: ReadonlyArray<Cut> = [
  { at: "before commit" },
  { at: "after commit" },
  ...[1, 2, 3, 4].map((number) => ({ at: "statement", number }) as const),
];

layer(overCutConnections)("Held messages that are pushed or rendered", (it) => {
  it.effect(
    "each is queued, sent and settled once by workers cut at any statement or COMMIT (P2.5, P2.8, L5.2)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.fcm;
        const { make, production, waypost, workspace } = yield* webhookWorld;
        const { workspaceId } = production;
        const sql = yield* SqlClient.SqlClient;
        yield* make();
        yield* waypost.operator(`/workspaces/${workspace.id}/production/transports/fcm`, {
          method: "PUT",
          body: service.credentials,
        });
        for (let index = 0; index < rounds * perRound; index++) {
          const push =
            index % perRound === 1 ? {} : { push: yield* Effect.promise(() => service.address(`${index}`)) };
          const attributes = index % perRound === 2 ? {} : { name: `Ada ${index}` };
          yield* production.device(randomUUID(), { ...push, attributes });
        }
        const quiet_hours = { from: "12:00", to: "11:00", action: "hold" };
        yield* production.sent(yield* production.push({ quiet_hours }), "14:00");
        const rendered = { template: "liquid", headline: "{{ device.attributes.name }}" };
        yield* production.sent(yield* production.push({ quiet_hours }), "14:00", rendered);
        yield* at("2026-11-21T14:00:00Z");
        yield* start;
        yield* drain;
        assert.deepStrictEqual(yield* settledOnce(workspaceId), { held: 2 * perRound * rounds });

        const workers = yield* PushWorkers;
        const release = Effect.flatMap(HeldDeliveries, ({ releaseDue }) => releaseDue);
        const push = Effect.forEach(
          ["fcm", "inbox"] as const,
          (transport) =>
            Effect.flatMap(
              workers.make({ workspaceId, environment: "production", transport }),
              ({ run }) => run,
            ),
          { discard: true },
        );
        const count = (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
          Effect.map(Effect.orDie(rows), ({ length }) => length);
        const queued = count(sql`SELECT FROM push_queue WHERE workspace_id = ${workspaceId}`);
        const isDue = sql`workspace_id = ${workspaceId} AND status = 'held' AND held_until <=`;
        let round = 0;

        const whilePushing = (cut: Cut) => Effect.map(runCut({ run: push }, 1, cut), ({ wasCut }) => wasCut);
        /** Cuts only once the push service has the pushes of the round, before it responds. */
        const whileSettling = Effect.fnUntraced(function* (cut: Cut) {
          const connections = yield* Connections;
          const respond = service.hold("accept");
          const worker = yield* Effect.forkChild(whileTimeMoves(push));
          yield* service.arrived(pushesPerRound * round);
          const { isDone } = connections.arm(cut);
          respond();
          yield* Fiber.join(worker);
          connections.disarm();
          return isDone();
        });

        /** Ends the quiet hours of the next devices, and releases and pushes their messages with cuts. */
        const survives = Effect.fnUntraced(function* (cut: Cut, pushCut: typeof whilePushing) {
          round++;
          const now = yield* Clock.currentTimeMillis;
          yield* sql`UPDATE delivery SET held_until = ${instant(now)}
            WHERE workspace_id = ${workspaceId} AND status = 'held' AND device_key <= ${round * perRound}`;
          const whileReleasing = yield* runCut({ run: release }, 2, cut);
          yield* release;
          assert.strictEqual(yield* count(sql`SELECT FROM delivery WHERE ${isDue} ${instant(now)}`), 0);
          // The plain message of an inbox is delivered; all others wait for a worker.
          assert.strictEqual(yield* queued, 2 * perRound - 1);
          const wasCut = yield* pushCut(cut);
          for (let turns = 0; turns < 5 && (yield* queued) > 0; turns++) {
            yield* leasesEnd;
            yield* whileTimeMoves(push);
          }
          assert.strictEqual(yield* queued, 0);
          assert.deepStrictEqual(yield* settledOnce(workspaceId), {
            delivered: (2 * perRound - 1) * round,
            failed: round,
            ...(round < rounds ? { held: 2 * perRound * (rounds - round) } : {}),
          });
          const arrived = service.ledger.map(({ id }) => id);
          assert.deepStrictEqual(
            [arrived.length, new Set(arrived).size],
            [pushesPerRound * round, arrived.length],
          );
          return whileReleasing.wasCut || wasCut;
        });

        for (const where of ["before commit", "after commit"] as const)
          assert.isTrue(yield* survives({ at: where }, whilePushing));
        let number = 1;
        while (yield* survives({ at: "statement", number }, whilePushing)) number++;
        assert.isAbove(number, 20);
        for (const cut of cutsOfSettling) assert.isTrue(yield* survives(cut, whileSettling), cut.at);
        assert.sameMembers(
          [...new Set(service.ledger.map(({ payload }) => payload.headline))].filter(
            (text) => text !== "Hello",
          ),
          Array.from({ length: round }, (_, index) => `Ada ${index * perRound}`),
        );
      }).pipe(Effect.provide(pushLayer)),
  );
});
