import { assert, layer } from "@effect/vitest";
import { Effect, Fiber, Layer } from "effect";
import { TestClock } from "effect/testing";
import { Settings } from "../../../src/config/Settings.ts";
import { PushChannels } from "../../../src/sending/push/PushChannels.ts";
import type { QueuePartition } from "../../../src/sending/push/PushQueueSql.ts";
import { PushWorkers } from "../../../src/sending/push/PushWorkers.ts";
import {
  EncryptionThreadSettings,
  startEncryptionThread,
} from "../../../src/sending/push/transports/EncryptionThread.ts";
import type {
  EncryptionRequest,
  EncryptionSettings,
} from "../../../src/sending/push/transports/EncryptionThreads.ts";
import { testStart } from "../../TestWaypost.ts";
import { withoutWorkers } from "./LeaseWorld.ts";
import { localServices } from "./LocalProviders.ts";
import { pushWorld } from "./PushWorld.ts";
import { eventually } from "../../Eventually.ts";

/** Runs a worker until nothing is due, with encryption threads that start as given. */
const work = (partition: QueuePartition, start: EncryptionSettings["start"]) =>
  Effect.flatMap(PushWorkers, ({ make }) => Effect.flatMap(make(partition), ({ run }) => run)).pipe(
    // Not the channels that the Waypost of the test has.
    Effect.provide(Layer.fresh(Layer.provide(PushWorkers.layer, PushChannels.layer))),
    Effect.provide(Settings.layerTest({ allowPrivateAddresses: true })),
    Effect.provideService(EncryptionThreadSettings, {
      start,
      maxThreads: 1,
      answerMillis: 600_000,
      idleMillis: 600_000,
    }),
  );

layer(withoutWorkers)("Workers that stop", (it) => {
  it.effect("a push whose worker stops while it is encrypted is sent once, by the next worker (L5)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.webpush;
      const { delivery, fired, production } = yield* pushWorld(service);
      const partition = {
        workspaceId: production.workspaceId,
        environment: "production",
        transport: "webpush",
      } as const;
      const { message } = yield* fired();
      let encrypting = 0;
      const silentThread = {
        send: (batch: EncryptionRequest) => {
          encrypting += batch.length;
        },
        stop: () => {},
      };
      const stopping = yield* Effect.forkChild(work(partition, () => silentThread));
      yield* eventually(Effect.sync(() => encrypting === 1));
      yield* Fiber.interrupt(stopping);
      assert.deepInclude(yield* delivery(message.id), { status: "handed_over", attempts: 1 });
      assert.lengthOf(service.ledger, 0);

      yield* TestClock.setTime(testStart + 60_000);
      yield* work(partition, startEncryptionThread);
      assert.deepStrictEqual(
        service.ledger.map(({ id }) => id),
        [message.id],
      );
      assert.deepInclude(yield* delivery(message.id), { status: "delivered", attempts: 2 });
    }),
  );
});
