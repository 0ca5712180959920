import { Effect, Layer, Metric } from "effect";
import { Settings } from "../../../src/config/Settings.ts";
import { PushChannels } from "../../../src/sending/push/PushChannels.ts";
import { PushAttempts } from "../../../src/sending/push/PushAttempts.ts";
import { PushOutcomesSql } from "../../../src/sending/push/PushOutcomesSql.ts";
import { PushQueueSql } from "../../../src/sending/push/PushQueueSql.ts";
import { ProviderConcurrency } from "../../../src/sending/push/ProviderConcurrency.ts";
import type { Told } from "../../../src/sending/push/transports/PushTransport.ts";
import { localServices } from "./LocalProviders.ts";
import { pushWorld } from "./PushWorld.ts";

/** How often pushes were counted as uncertain for a cause. */
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

/** A phone that a message is fired for, in a lane whose pushes the test takes itself. */
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

/** A channel that keeps what it is told to send, and the way to answer it. */
export const silentChannel = () => {
  const answers: Array<(told: Told) => void> = [];
  let givenUp = 0;
  return {
    answers,
    givenUp: () => givenUp,
    open: {
      send: (_: unknown, tell: (told: Told) => void) => {
        answers.push(tell);
        return () => {
          givenUp += 1;
        };
      },
      serviceOf: () => "",
      services: new ProviderConcurrency(false),
      revision: 1n,
      refusals: 0,
      pausedUntil: 0,
    },
  };
};

export const content = {
  campaign_id: "c",
  notification_id: "n",
  type: "message",
  headline: "Hello",
  body: "",
  media: null,
  cta_label: null,
  cta_url: null,
} as const;

export const repositories = Layer.mergeAll(PushQueueSql.layer, PushOutcomesSql.layer);
export const handingOver = PushAttempts.layer.pipe(
  Layer.provideMerge(repositories),
  Layer.provide(PushChannels.layer),
  Layer.provide(Settings.layerTest({})),
);
