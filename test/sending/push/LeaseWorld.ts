import { Effect, Layer, Metric } from "effect";
import { Settings } from "../../../src/config/Settings.ts";
import { ChannelPause, PushChannels } from "../../../src/sending/push/PushChannels.ts";
import { PushAttempts } from "../../../src/sending/push/PushAttempts.ts";
import { PushOutcomesSql } from "../../../src/sending/push/PushOutcomesSql.ts";
import { PushQueueSql } from "../../../src/sending/push/PushQueueSql.ts";
import { ProviderConcurrency } from "../../../src/sending/push/ProviderConcurrency.ts";
import type { Report } from "../../../src/sending/push/transports/PushTransport.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import { pushWorld } from "./PushWorld.ts";

/** The number of uncertain pushes counted for a cause. */
export const uncertainBy = (cause: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all.reduce(
      (sum, each) =>
        each.id === "waypost_push_uncertain_total" && each.attributes?.["cause"] === cause
          ? sum + Number((each.state as { readonly count: number | bigint }).count)
          : sum,
      0,
    ),
  );

/** A Waypost that takes no push by itself: it could take one that a test has just returned. */
export const withoutWorkers = TestWaypost.layerWith({ roles: new Set(["api"]) });

/** A world with a queue partition whose pushes the test takes itself. */
export const partition = Effect.gen(function* () {
  const service = yield* localServices.fcm;
  const world = yield* pushWorld(service);
  const { workspaceId } = world.production;
  return {
    ...world,
    service,
    partition: { workspaceId, environment: "production", transport: "fcm" } as const,
  };
});

/** A channel that answers only when the test does, through `answers`. */
export const silentChannel = () => {
  const answers: Array<Report> = [];
  let canceled = 0;
  return {
    answers,
    canceled: () => canceled,
    open: {
      send: (_: unknown, report: Report) => {
        answers.push(report);
        return () => {
          canceled += 1;
        };
      },
      cutOf: () => [],
      serviceOf: () => "",
      revision: 1n,
      concurrency: new ProviderConcurrency(false),
      pause: new ChannelPause(),
    },
  };
};

export const repositories = Layer.mergeAll(PushQueueSql.layer, PushOutcomesSql.layer);
export const attemptLayer = PushAttempts.layer.pipe(
  Layer.provideMerge(repositories),
  Layer.provide(PushChannels.layer),
  Layer.provide(Settings.layerTest({})),
);
