import { Option } from "effect";
import { randomUUID } from "node:crypto";
import type { CustomEventDraft } from "../../client/WaypostClient.ts";
import { listOf } from "../Ask.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { environmentFlags, limitFlag, optionalFlag, textArgument } from "../Flags.ts";
import { openWorkspace } from "../Platform.ts";
import { parseJson } from "../RequestBodies.ts";
import { printList, printOne } from "../terminal/Output.ts";

const propertiesHint = `The properties must be a JSON object, such as {"total": 59.9}.`;

const send = command("send", {
  description: "Report a custom event of a device or of a person; event campaigns fire at once",
  examples: [
    "waypost event send order.placed --workspace Acme --environment production --user customer-8151 " +
      `--properties '{"total": 59.9}'`,
  ],
  flags: {
    ...environmentFlags,
    name: textArgument("name", "Name of the event, such as order.placed"),
    device: optionalFlag("device", "Id of the device that it is of"),
    user: optionalFlag("user", "The app's id of the person that it is of"),
    properties: optionalFlag("properties", 'Properties as a JSON object, such as {"total": 59.9}'),
    at: optionalFlag("at", "When it happened, as an ISO 8601 date-time. Left out: now"),
    id: optionalFlag("id", "Id of the event, a UUID: the same id again is a duplicate. Left out: a new one"),
  },
  *run(flags) {
    if (Option.isSome(flags.device) === Option.isSome(flags.user))
      return yield* badUsage("Give either --device or --user.");
    const event = {
      id: Option.getOrElse(flags.id, () => randomUUID()),
      name: flags.name,
      device_id: Option.getOrNull(flags.device),
      user_id: Option.getOrNull(flags.user),
      occurred_at: Option.getOrNull(flags.at),
      properties: (yield* parseJson(
        Option.getOrElse(flags.properties, () => "{}"),
        propertiesHint,
      )) as CustomEventDraft["properties"] & object,
    };
    const platform = yield* openWorkspace(flags);
    const outcome = yield* platform((client) => client.customEvents.report({ events: [event] }));
    const [rejected] = outcome.rejected;
    if (rejected !== undefined) return yield* refused(rejected.reasons.join(" "));
    yield* printOne(outcome, ({ accepted }) =>
      accepted === 1 ? `Recorded the event ${event.id}.` : `The event ${event.id} was recorded before.`,
    );
  },
});

const list = command("list", {
  description: "List the custom events of an environment, the newest received first",
  examples: ["waypost event list --workspace Acme --environment production --name order.placed"],
  flags: {
    ...environmentFlags,
    name: optionalFlag("name", "Only events with this name"),
    device: optionalFlag("device", "Only events of the device with this id"),
    user: optionalFlag("user", "Only events of the person with this id of the app"),
    limit: limitFlag,
  },
  *run(flags) {
    const platform = yield* openWorkspace(flags);
    const filters = {
      name: Option.getOrUndefined(flags.name),
      device_id: Option.getOrUndefined(flags.device),
      user_id: Option.getOrUndefined(flags.user),
    };
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.customEvents.list({ ...query, ...filters })),
      [
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "OF", cell: ({ device_id, user_id }) => user_id ?? device_id ?? "(erased)" },
        { heading: "OCCURRED", kind: "instant", cell: ({ occurred_at }) => occurred_at },
        { heading: "PROPERTIES", cell: ({ properties }) => JSON.stringify(properties) },
      ],
      "No event matches.",
    );
  },
});

/** `waypost event …` */
export const eventCommand = operatorCommands("event", {
  description: "Custom events: what devices and servers report under names of their own",
  examples: ["waypost event list --workspace Acme --environment production"],
  commands: [send, list],
});
