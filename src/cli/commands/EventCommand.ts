import { Console, Option } from "effect";
import { Flag } from "effect/cli";
import { randomUUID } from "node:crypto";
import type { CustomEventDraft, EventSummary } from "../../client/WaypostClient.ts";
import { listOf } from "../Ask.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { environmentFlags, limitFlag, optionalFlag, textArgument } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { openWorkspace } from "../Platform.ts";
import { parseJson } from "../RequestBodies.ts";
import { fittedTable, printList, printOne } from "../terminal/Output.ts";
import type { Column } from "../terminal/Table.ts";

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

const names = command("names", {
  description: "List the names of custom events, with how many occurred a day",
  examples: ["waypost event names --workspace Acme --environment production --days 7"],
  flags: {
    ...environmentFlags,
    days: Flag.Int("days").pipe(
      Flag.withDescription("Days to count, 1 to 31, today included; 14 if left out"),
      Flag.withDefault(14),
    ),
  },
  *run({ days, ...flags }) {
    const platform = yield* openWorkspace(flags);
    const { data, meta } = yield* platform((client) => client.customEvents.names({ days }));
    const last = (counts: EventSummary["days"]) => counts.slice(-7).map(({ count }) => count);
    if (yield* Json) return yield* Console.log(JSON.stringify({ data, meta }, null, 2));
    if (data.length === 0) return yield* Console.log("There are no events.");
    const columns: ReadonlyArray<Column<EventSummary>> = [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "EVENTS", cell: ({ count }) => String(count) },
      { heading: "A DAY, UNTIL TODAY", cell: (each) => last(each.days).join(" ") },
      { heading: "LAST RECEIVED", kind: "instant", cell: (each) => each.last_received_at },
    ];
    return yield* Console.log(yield* fittedTable(columns, data));
  },
});

/** `waypost event …` */
export const eventCommand = operatorCommands("event", {
  description: "Custom events: what devices and servers report under names of their own",
  examples: ["waypost event list --workspace Acme --environment production"],
  commands: [send, list, names],
});
