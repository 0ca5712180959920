import { Clock, Context, Effect, Layer } from "effect";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { NotFound } from "../wire/ApiError.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import {
  type Interaction,
  type InteractionDraft,
  interactionTime,
  type InteractionType,
} from "./Interaction.ts";
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
      (deviceKey: number) =>
      ({ sourceId, ...row }: MessageRow): Message => ({
        ...row,
        id: ids.idOf({ sourceId, deviceKey }),
        media: shownMedia(mediaBase, row.media),
      });

    const ownKey = (caller: Caller, id: string) => {
      const key = ids.keyOf(id);
      return key === null || key.deviceKey !== caller.deviceKey
        ? Effect.fail(NotFound.resource("message"))
        : Effect.succeed(key);
    };
    const deliveredAt = Effect.fnUntraced(function* (caller: Caller, id: string) {
      const at = yield* repository.deliveredAt(caller, yield* ownKey(caller, id));
      return at ?? (yield* NotFound.resource("message"));
    });

    return {
      /** Messages delivered to the device, newest first. */
      page: (device: Tenant & { readonly deviceKey: number }, position: PagePosition) => {
        const before = position.before === null ? null : (ids.keyOf(position.before)?.sourceId ?? null);
        const rows = repository.page(device, device.deviceKey, before, position.limit);
        return Effect.map(rows, (found) => found.map(toMessage(device.deviceKey)));
      },

      /** When a message was delivered, in epoch milliseconds. @throws 404 */
      deliveredAt,

      /** Records that the message was opened or clicked; the first time counts. @throws 404, 422 */
      interact: Effect.fn("Messages.interact")(function* (
        caller: Caller,
        id: string,
        type: InteractionType,
        body: ParsedBody<InteractionDraft>,
      ) {
        const now = yield* Clock.currentTimeMillis;
        const { fields, problems } = body;
        let at = now;
        if (!problems.isEmpty || (fields.occurred_at ?? null) !== null) {
          const time = interactionTime(fields.occurred_at ?? now, yield* deliveredAt(caller, id), now);
          if (time._tag === "Refused") problems.add("occurred_at", time.problem);
          else at = time.at;
          yield* body.complete;
        }
        const interaction = yield* repository.interact(caller, yield* ownKey(caller, id), type, at);
        if (interaction === null) return yield* NotFound.resource("message");
        return { message_id: id.toLowerCase(), ...interaction } satisfies Interaction;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Messages, Messages.make).pipe(
    Layer.provide([MessagesSql.layer, MessageIds.layer]),
  );
}
