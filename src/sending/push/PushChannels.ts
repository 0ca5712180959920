import { Context, Effect, Layer } from "effect";
import { OutgoingRequests } from "../../outgoing/OutgoingRequests.ts";
import { ProviderConcurrency } from "./ProviderConcurrency.ts";
import { PushCredentials } from "../credentials/PushCredentials.ts";
import type { QueuePartition } from "./PushQueueSql.ts";
import { Apns } from "./transports/Apns.ts";
import { Fcm } from "./transports/Fcm.ts";
import { accepted, nothingToCancel, type PushChannel } from "./transports/PushTransport.ts";
import { WebPush } from "./transports/WebPush.ts";

const maxChannels = 1_000;
const minPauseMillis = 1_000;
const maxPauseMillis = 30_000;

/** Pauses a channel after refused credentials, or as its provider asks. Epoch milliseconds. */
export class ChannelPause {
  #refusals = 0;
  #until = 0;

  /** Whether the last push was refused for its credentials. They are then tried with one push at a time. */
  get isSuspect(): boolean {
    return this.#refusals > 0;
  }

  isActive(now: number): boolean {
    return now < this.#until;
  }

  extend(until: number): void {
    this.#until = Math.max(this.#until, until);
  }

  credentialsAccepted(): void {
    this.#refusals = 0;
  }

  /**
   * Pauses after refused credentials, twice as long each time. Returns the milliseconds; 0 if it is paused
   * already, because pushes that were in flight together are refused together.
   */
  credentialsRefused(now: number): number {
    if (this.isActive(now)) return 0;
    const millis = Math.min(maxPauseMillis, minPauseMillis * 2 ** this.#refusals);
    this.#refusals += 1;
    this.#until = now + millis;
    return millis;
  }
}

/** The channel of a queue partition. */
export interface OpenChannel extends Required<PushChannel> {
  /** Of the credentials. */
  readonly revision: bigint;
  readonly concurrency: ProviderConcurrency;
  readonly pause: ChannelPause;
}

/** The channel of the inbox: a message that could be rendered is delivered. */
const inboxChannel = (): OpenChannel => ({
  send: (_, report) => {
    report(accepted);
    return nothingToCancel;
  },
  cutOf: () => [],
  serviceOf: () => "",
  revision: 0n,
  concurrency: new ProviderConcurrency(false),
  pause: new ChannelPause(),
});

/** Names a queue partition, as `duePartitions` does. */
export const partitionName = ({ environment, transport, workspaceId }: QueuePartition): string =>
  `${workspaceId}/${environment}/${transport}`;

/** Channels to the push providers: one for each environment and provider, opened as needed. */
export class PushChannels extends Context.Service<PushChannels>()("waypost/sending/PushChannels", {
  make: Effect.gen(function* () {
    const credentials = yield* PushCredentials;
    const fcm = yield* Fcm;
    const apns = yield* Apns;
    const webPush = yield* WebPush;
    const channels = new Map<string, OpenChannel>();
    const inbox = inboxChannel();

    /** A new channel for the current credentials; "same" if their revision is unchanged; null for none. */
    const opened = Effect.fnUntraced(function* (partition: QueuePartition, revision: bigint | undefined) {
      const open = <C extends { readonly revision: bigint; readonly credentials: unknown }>(
        current: C | null,
        channel: (given: C["credentials"]) => Effect.Effect<PushChannel>,
      ) => {
        if (current === null) return Effect.succeed(null);
        return current.revision === revision
          ? Effect.succeed("same" as const)
          : Effect.map(channel(current.credentials), ({ cutOf, send, serviceOf }): OpenChannel => ({
              send,
              cutOf,
              serviceOf: serviceOf ?? (() => ""),
              revision: current.revision,
              concurrency: new ProviderConcurrency(serviceOf !== undefined),
              pause: new ChannelPause(),
            }));
      };
      switch (partition.transport) {
        case "fcm":
          return yield* open(yield* credentials.open(partition, "fcm"), fcm.open);
        case "apns":
          return yield* open(yield* credentials.open(partition, "apns"), apns.open);
        case "webpush":
          return yield* open(yield* credentials.open(partition, "webpush"), webPush.open);
        case "inbox":
          return inbox;
      }
    });

    return {
      /** The channel with the current credentials; null if none are set. */
      of: Effect.fnUntraced(function* (partition: QueuePartition) {
        const name = partitionName(partition);
        const before = channels.get(name);
        const current = yield* opened(partition, before?.revision);
        if (current === "same" && before !== undefined) return before;
        channels.delete(name);
        if (current === null || current === "same") return null;
        if (channels.size >= maxChannels) channels.clear();
        channels.set(name, current);
        return current;
      }),

      /** The names of the partitions whose channel, as last used, is paused. */
      paused: (now: number): ReadonlyArray<string> =>
        [...channels].flatMap(([name, { pause }]) => (pause.isActive(now) ? [name] : [])),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushChannels, PushChannels.make).pipe(
    Layer.provide([Fcm.layer, Apns.layer, WebPush.layer]),
    Layer.provide(OutgoingRequests.layer),
  );
}
