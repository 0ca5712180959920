import { Clock, Context, Effect, Layer } from "effect";
import { PushCredentials } from "./PushCredentials.ts";
import type { QueuePartition } from "./PushQueueSql.ts";
import { ProviderConcurrency } from "./ProviderConcurrency.ts";
import { Apns } from "./transports/Apns.ts";
import { Fcm } from "./transports/Fcm.ts";
import { PushConnections } from "./transports/PushConnections.ts";
import type { PushChannel } from "./transports/PushTransport.ts";
import { WebPush } from "./transports/WebPush.ts";

const mostChannels = 1_000;
const shortestPause = 1_000;
const longestPause = 30_000;

/** A channel of a lane, and whether its credentials are found good. */
export interface OpenChannel extends Required<PushChannel> {
  readonly revision: bigint;
  /** How the services fare that its pushes go to. */
  readonly services: ProviderConcurrency;
  /** How often in a row the service refused the credentials; until `pausedUntil` (epoch milliseconds) it is left alone, for that or as it asked for. */
  refusals: number;
  pausedUntil: number;
}

const keyOf = ({ environment, transport, workspaceId }: QueuePartition) =>
  `${workspaceId}/${environment}/${transport}`;

/** The channels to the push services, one for each environment's credentials, opened as they are needed. */
export class PushChannels extends Context.Service<PushChannels>()("waypost/sending/PushChannels", {
  make: Effect.gen(function* () {
    const credentials = yield* PushCredentials;
    const fcm = yield* Fcm;
    const apns = yield* Apns;
    const webPush = yield* WebPush;
    const known = new Map<string, OpenChannel>();

    const opened = Effect.fnUntraced(function* (partition: QueuePartition, revision: bigint | undefined) {
      const open = <C extends { readonly revision: bigint; readonly credentials: unknown }>(
        found: C | null,
        channel: (given: C["credentials"]) => Effect.Effect<PushChannel>,
      ) => {
        if (found === null) return Effect.succeed(null);
        return found.revision === revision
          ? Effect.succeed("same" as const)
          : Effect.map(channel(found.credentials), ({ send, serviceOf }): OpenChannel => ({
              send,
              serviceOf: serviceOf ?? (() => ""),
              services: new ProviderConcurrency(serviceOf !== undefined),
              revision: found.revision,
              refusals: 0,
              pausedUntil: 0,
            }));
      };
      switch (partition.transport) {
        case "fcm":
          return yield* open(yield* credentials.open(partition, "fcm"), fcm.open);
        case "apns":
          return yield* open(yield* credentials.open(partition, "apns"), apns.open);
        case "webpush":
          return yield* open(yield* credentials.open(partition, "webpush"), webPush.open);
      }
    });

    return {
      /** The channel with the credentials as they are now; null when none are set. */
      of: Effect.fnUntraced(function* (partition: QueuePartition) {
        const key = keyOf(partition);
        const before = known.get(key);
        const found = yield* opened(partition, before?.revision);
        if (found === "same" && before !== undefined) return before;
        known.delete(key);
        if (found === null || found === "same") return null;
        if (known.size >= mostChannels) known.clear();
        known.set(key, found);
        return found;
      }),

      /** The channel as it was used last, whatever the credentials are by now. */
      known: (partition: QueuePartition): OpenChannel | undefined => known.get(keyOf(partition)),

      /** The service refused the credentials: it is left alone for a while, longer each time, until they are found good. */
      pause: Effect.fnUntraced(function* (channel: OpenChannel) {
        const now = yield* Clock.currentTimeMillis;
        // Those that were under way at the same time say it again.
        if (now < channel.pausedUntil) return 0;
        const millis = Math.min(longestPause, shortestPause * 2 ** channel.refusals);
        channel.refusals += 1;
        channel.pausedUntil = now + millis;
        return millis;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushChannels, PushChannels.make).pipe(
    Layer.provide([Fcm.layer, Apns.layer, WebPush.layer]),
    Layer.provide(PushConnections.layer),
  );
}
