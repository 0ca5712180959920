import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import type { DeviceCaller } from "../../devices/DeviceCaller.ts";
import { PublicAddresses } from "../../http/PublicAddresses.ts";
import { shownMedia } from "../../media/MediaAddress.ts";
import { hears } from "../../outbox/EventType.ts";
import { Outbox } from "../../outbox/Outbox.ts";
import { forApp } from "../../notifications/push/PushOptions.ts";
import { isSameForAll, ownTexts } from "../../notifications/templates/MessageTexts.ts";
import { NotFound } from "../../wire/ApiError.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import {
  type Interaction,
  type InteractionDraft,
  interactionTime,
  type InteractionType,
} from "./Interaction.ts";
import type { Message } from "../rendering/Message.ts";
import { type DeliveryKey, MessageIds } from "../deliveries/MessageId.ts";
import { type MessageRow, MessagesSql } from "./MessagesSql.ts";
import { type Recipient, Recipients } from "../rendering/Recipients.ts";
import { mapSliced } from "../../workers/TimeSlices.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

type Caller = DeviceCaller["Service"];

/** The inbox of a device. */
export class Messages extends Context.Service<Messages>()("waypost/sending/Messages", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const outbox = yield* Outbox;
    const repository = yield* MessagesSql;
    const ids = yield* MessageIds;
    const recipients = yield* Recipients;
    const { media: mediaBase } = yield* PublicAddresses;

    const toMessage =
      (deviceKey: DeviceKey) =>
      ({
        campaignKey: _campaign,
        locationKey: _location,
        madeAt: _made,
        push,
        recipient: _recipient,
        sourceId,
        template: _template,
        translations: _translations,
        variantTexts: _words,
        ...row
      }: MessageRow): Message => ({
        ...row,
        id: ids.idOf({ sourceId, deviceKey }),
        media: shownMedia(mediaBase, row.media),
        ...forApp(push),
      });

    /** Messages with the words that were delivered (contract T7). Reads nothing for literal texts. */
    const render = Effect.fnUntraced(function* (
      { deviceKey, environment, workspaceId }: Tenant & { readonly deviceKey: DeviceKey },
      rows: ReadonlyArray<MessageRow>,
    ) {
      const varying = rows.filter((row) => !isSameForAll(row));
      if (varying.length === 0) return rows.map((row) => renderedRow(row));
      const now = yield* Clock.currentTimeMillis;
      const found = yield* recipients.of(
        varying.map((row) => ({
          workspaceId,
          environment,
          deviceKey,
          ...row,
          now: row.recipient === null ? now : row.madeAt,
        })),
      );
      const byRow = new Map(varying.map((row, index) => [row, found[index]]));
      return yield* mapSliced(rows, (row) => renderedRow(row, byRow.get(row)));
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

    /** Stores an interaction. If a webhook listens to it, its events commit with it. */
    const store = (caller: Caller, key: DeliveryKey, type: InteractionType, at: number) => {
      const stored = repository.interact(caller, key, type, at);
      // A click is an open, too.
      const types = (
        type === "clicked" ? ["opened", "clicked"] : ["opened"]
      ) as ReadonlyArray<InteractionType>;
      const heard = types.filter((each) => hears(caller.webhookEvents, `message.${each}`));
      if (heard.length === 0) return stored;
      const { environment, workspaceId } = caller;
      return database.atomically(
        Effect.gen(function* () {
          const before = yield* repository.lockInteractions(caller, key);
          const interaction = yield* stored;
          const first = heard.filter((each) => before !== null && !before[each]);
          yield* outbox.record(
            first.map((each) => ({ workspaceId, environment, type: `message.${each}` as const, at, ...key })),
          );
          return interaction;
        }),
      );
    };

    return {
      /** Messages delivered to the device, newest first. */
      page: (device: Tenant & { readonly deviceKey: DeviceKey }, position: PagePosition) => {
        const before = position.before === null ? null : (ids.keyOf(position.before)?.sourceId ?? null);
        const rows = repository.page(device, device.deviceKey, before, position.limit);
        return rows.pipe(
          Effect.flatMap((found) => render(device, found)),
          Effect.map((found) => found.map(toMessage(device.deviceKey))),
        );
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
        const interaction = yield* store(caller, yield* ownKey(caller, id), type, at);
        if (interaction === null) return yield* NotFound.resource("message");
        return { message_id: id.toLowerCase(), ...interaction } satisfies Interaction;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Messages, Messages.make).pipe(
    Layer.provide([MessagesSql.layer, MessageIds.layer, Recipients.layer]),
  );
}

/**
 * A message with the texts for its recipient. One from before deliveries kept what their texts read, which
 * cannot be rendered any more because the attributes of its device have changed, is shown without texts.
 */
const renderedRow = (row: MessageRow, recipient?: Recipient): MessageRow => {
  if (recipient === undefined) return row.variantTexts ? { ...row, ...ownTexts(row) } : row;
  const result = recipient.render(row);
  return result._tag === "Rendered"
    ? { ...row, ...result.texts }
    : { ...row, headline: "", body: "", cta_label: null, cta_url: null, push: null };
};
