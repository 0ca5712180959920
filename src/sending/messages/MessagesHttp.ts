import { Effect } from "effect";
import { DeviceApi } from "../../DeviceApi.ts";
import { DeviceCaller } from "../../devices/DeviceCaller.ts";
import { Cursors } from "../../http/Cursors.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { readOptionalBody } from "../../wire/ParsedBody.ts";
import type { RequestInput } from "../../wire/RequestBody.ts";
import { InteractionDraft, type InteractionType } from "./Interaction.ts";
import { Messages } from "./Messages.ts";

/** Handlers of `MessagesApi`. */
export const messagesHandlers = handlerGroup(
  DeviceApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const messages = yield* Messages;
    const cursors = yield* Cursors;
    const interact =
      (type: InteractionType) =>
      ({ params, ...input }: RequestInput & { readonly params: { readonly message: string } }) =>
        Effect.gen(function* () {
          const caller = yield* DeviceCaller;
          const body = yield* readOptionalBody(InteractionDraft, input).pipe(
            // A missing message is reported before a body that cannot be parsed (contract B1).
            Effect.tapError(() => messages.deliveredAt(caller, params.message)),
          );
          return { data: yield* messages.interact(caller, params.message, type, body) };
        });
    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(DeviceCaller, (caller) => {
          const owner = `${caller.workspaceId}/${caller.environment}/${caller.deviceKey}`;
          return cursors.page({ endpoint: "GET /messages", owner, isLarge: true }, query, (position) =>
            messages.page(caller, position),
          );
        }),
      )
      .handleRaw("open", interact("opened"))
      .handleRaw("click", interact("clicked"));
  }),
);
