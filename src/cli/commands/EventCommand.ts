import { Console } from "effect";
import { Flag } from "effect/cli";
import { randomUUID } from "node:crypto";
import type { CustomEventDraft, EventSummary } from "../../client/WaypostClient.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { commandOn, platform } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { optionalFlag, textArgument } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { parseJson } from "../RequestBodies.ts";
import { inProduction, resource } from "../Resource.ts";
import { fittedTable, printOne } from "../terminal/Output.ts";

const events = resource({
  target: platform,
  command: "event",
  at: inProduction,
  filters: {
    name: optionalFlag("name", "Only events with this name"),
    device_id: optionalFlag("device", "Only events of the device with this id"),
    user_id: optionalFlag("user", "Only events of the person with this id of the app"),
  },
  list: (client, query) => client.customEvents.list(query),
  columns: (event) => [
    "name",
    ["of", event.user_id ?? event.device_id ?? "(erased)"],
    "occurred_at",
    ["properties", JSON.stringify(event.properties)],
  ],
});

const send = commandOn(platform, "send", {
  description: "Report a custom event of a device or of a person; event campaigns fire at once",
  examples: [
    `waypost event send order.placed ${inProduction} --user customer-8151 ` +
      `--properties '{"total": 59.9}'`,
  ],
  flags: {
    name: textArgument("name", "Name of the event, such as order.placed"),
    device: optionalFlag("device", "Id of the device that it is of"),
    user: optionalFlag("user", "The app's id of the person that it is of"),
    properties: optionalFlag("properties", 'Properties as a JSON object, such as {"total": 59.9}'),
    at: optionalFlag("at", "When it happened, as an ISO 8601 date-time. Left out: now"),
    id: optionalFlag("id", "Id of the event, a UUID: the same id again is a duplicate. Left out: a new one"),
  },
  *run(ask, { at = null, device = null, id = randomUUID(), name, properties = "{}", user = null }) {
    if ((device === null) === (user === null)) return yield* badUsage("Give either --device or --user.");
    const event = {
      id,
      name,
      device_id: device,
      user_id: user,
      occurred_at: at,
      properties: (yield* parseJson(
        properties,
        `The properties must be a JSON object, such as {"total": 59.9}.`,
      )) as CustomEventDraft["properties"] & object,
    };
    const outcome = yield* ask((client) => client.customEvents.report({ events: [event] }));
    const [rejected] = outcome.rejected;
    if (rejected !== undefined) return yield* refused(rejected.reasons.join(" "));
    yield* printOne(outcome, ({ accepted }) =>
      accepted === 1 ? `Recorded the event ${id}.` : `The event ${id} was recorded before.`,
    );
  },
});

const lastDays = ({ days }: EventSummary): string =>
  days
    .slice(-7)
    .map(({ count }) => count)
    .join(" ");

const names = commandOn(platform, "names", {
  description: "List the names of custom events, with how many occurred a day",
  examples: [`waypost event names ${inProduction} --days 7`],
  flags: {
    days: Flag.Int("days").pipe(
      Flag.withDescription("Days to count, 1 to 31, today included; 14 if left out"),
      Flag.withDefault(14),
    ),
  },
  *run(ask, { days }) {
    const { data, meta } = yield* ask((client) => client.customEvents.names({ days }));
    if (yield* Json) return yield* Console.log(JSON.stringify({ data, meta }, null, 2));
    if (data.length === 0) return yield* Console.log("There are no events.");
    const shown = yield* fittedTable(data, (event) => [
      "name",
      ["events", String(event.count)],
      ["a day, until today", lastDays(event)],
      "last_received_at",
    ]);
    return yield* Console.log(shown);
  },
});

/** `waypost event …` */
export const eventCommand = operatorCommands("event", {
  description: "Custom events: what devices and servers report under names of their own",
  examples: [`waypost event list ${inProduction}`],
  commands: [
    send,
    events.list({
      description: "List the custom events of an environment, the newest received first",
      examples: [`waypost event list ${inProduction} --name order.placed`],
      whenEmpty: "No event matches.",
    }),
    names,
  ],
});
