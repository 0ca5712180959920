import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { DeviceApi } from "../DeviceApi.ts";
import { DeviceCaller } from "../devices/DeviceCaller.ts";
import { Cursors } from "../http/Cursors.ts";
import { Messages } from "./Messages.ts";

/** Handlers of `MessagesApi`. */
export const messagesHandlers = HttpApiBuilder.group(
  DeviceApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const messages = yield* Messages;
    const cursors = yield* Cursors;
    return handlers
      .handle("list", ({ query }) =>
        Effect.flatMap(DeviceCaller, (caller) => {
          const owner = `${caller.workspaceId}/${caller.environment}/${caller.deviceKey}`;
          return cursors.page({ endpoint: "GET /messages", owner }, query, (position) =>
            messages.page(caller, position),
          );
        }),
      )
      .handle("open", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* messages.open(yield* DeviceCaller, params.message) };
        }),
      );
  }),
);
