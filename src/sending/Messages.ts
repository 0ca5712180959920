import { Clock, Context, Effect, Layer } from "effect";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { NotFound } from "../wire/ApiError.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Message } from "./Message.ts";
import { MessageIds } from "./MessageId.ts";
import { type MessageRow, MessagesSql } from "./MessagesSql.ts";

type Caller = DeviceCaller["Service"];

/** The inbox of a device. */
export class Messages extends Context.Service<Messages>()("waypost/sending/Messages", {
  make: Effect.gen(function* () {
    const repository = yield* MessagesSql;
    const ids = yield* MessageIds;
    const { media: mediaBase } = yield* PublicAddresses;

    const toMessage =
      ({ deviceKey }: Caller) =>
      ({ sourceId, ...row }: MessageRow): Message => ({
        ...row,
        id: ids.idOf({ sourceId, deviceKey }),
        media: shownMedia(mediaBase, row.media),
      });

    return {
      /** Messages delivered to the device, newest first. */
      page: (caller: Caller, position: PagePosition) => {
        const before = position.before === null ? null : (ids.keyOf(position.before)?.sourceId ?? null);
        const rows = repository.page(caller, caller.deviceKey, before, position.limit);
        return Effect.map(rows, (found) => found.map(toMessage(caller)));
      },

      /** Records that the message was opened (the first time counts) and returns it. @throws 404 */
      open: Effect.fn("Messages.open")(function* (caller: Caller, id: string) {
        const key = ids.keyOf(id);
        if (key === null || key.deviceKey !== caller.deviceKey) return yield* NotFound.resource("message");
        const now = yield* Clock.currentTimeMillis;
        const row = (yield* repository.open(caller, key.sourceId, caller.deviceKey, now))[0];
        return row === undefined ? yield* NotFound.resource("message") : toMessage(caller)(row);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Messages, Messages.make).pipe(
    Layer.provide([MessagesSql.layer, MessageIds.layer]),
  );
}
