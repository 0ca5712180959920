import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { hears } from "../outbox/EventType.ts";
import { Outbox } from "../outbox/Outbox.ts";
import { NotFound } from "../wire/ApiError.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Message } from "./Message.ts";
import { type DeliveryKey, deliveryKey, messageId } from "./MessageId.ts";
import { type MessageRow, MessagesSql } from "./MessagesSql.ts";

type Caller = DeviceCaller["Service"];

/** The inbox of a device. */
export class Messages extends Context.Service<Messages>()("waypost/sending/Messages", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const outbox = yield* Outbox;
    const repository = yield* MessagesSql;
    const { media: mediaBase } = yield* PublicAddresses;

    const toMessage =
      ({ deviceKey }: Caller) =>
      ({ sourceId, ...row }: MessageRow): Message => ({
        ...row,
        id: messageId(sourceId, deviceKey),
        media: shownMedia(mediaBase, row.media),
      });

    /** Stores the first opening. If a webhook listens to it, its event commits with it. */
    const storeOpening = (caller: Caller, { deviceKey, sourceId }: DeliveryKey, now: number) => {
      const opened = repository.open(caller, sourceId, deviceKey, now);
      if (!hears(caller.webhookEvents, "message.opened")) return opened;
      const { environment, workspaceId } = caller;
      const event = {
        workspaceId,
        environment,
        type: "message.opened",
        at: now,
        sourceId,
        deviceKey,
      } as const;
      return database.atomically(
        Effect.gen(function* () {
          const isFirst = yield* repository.lockUnopened(caller, sourceId, deviceKey);
          const rows = yield* opened;
          if (isFirst) yield* outbox.record([event]);
          return rows;
        }),
      );
    };

    return {
      /** Messages delivered to the device, newest first. */
      page: (caller: Caller, position: PagePosition) => {
        const before = position.before === null ? null : (deliveryKey(position.before)?.sourceId ?? null);
        const rows = repository.page(caller, caller.deviceKey, before, position.limit);
        return Effect.map(rows, (found) => found.map(toMessage(caller)));
      },

      /** Records that the message was opened (the first time counts) and returns it. @throws 404 */
      open: Effect.fn("Messages.open")(function* (caller: Caller, id: string) {
        const key = deliveryKey(id);
        if (key === null || key.deviceKey !== caller.deviceKey) return yield* NotFound.resource("message");
        const now = yield* Clock.currentTimeMillis;
        const row = (yield* storeOpening(caller, key, now))[0];
        return row === undefined ? yield* NotFound.resource("message") : toMessage(caller)(row);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Messages, Messages.make).pipe(Layer.provide(MessagesSql.layer));
}
