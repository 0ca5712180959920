import { Clock, Effect, Option } from "effect";
import { randomUUID } from "node:crypto";
import { DeviceClient } from "../../client/DeviceClient.ts";
import { utcText } from "../../time/LocalTime.ts";
import { askOf, listOf } from "../Ask.ts";
import { command } from "../DeclaredCommand.ts";
import { optionalFlag, workspaceFlag } from "../Flags.ts";
import { findId, findWorkspace } from "../Lookups.ts";
import { keyHint, operator } from "../Operator.ts";
import { openWorkspace, type Platform } from "../Platform.ts";
import { printOne } from "../terminal/Output.ts";

const environment = "sandbox";

const findLocation = (platform: Platform, name: string) =>
  findId(
    "location",
    name,
    listOf(platform, (client, query) => client.locations.list({ ...query, q: name })),
  );

/** Acts as a test device in Sandbox, which is gone afterwards; the reports keep what it received. */
export const tryDevice = command("try", {
  description:
    "Act as a new test device in Sandbox that enters or leaves a location, and print the messages it gets",
  examples: ["waypost device try --workspace Acme --enter Amsterdam"],
  flags: {
    workspace: workspaceFlag,
    enter: optionalFlag("enter", "Location that the device enters, by id or name"),
    exit: optionalFlag("exit", "Location that the device leaves, by id or name, after --enter"),
  },
  *run(flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const platform = yield* openWorkspace({ workspace, environment });
    const moves = [
      ...Option.toArray(Option.map(flags.enter, (name) => ({ type: "enter" as const, name }))),
      ...Option.toArray(Option.map(flags.exit, (name) => ({ type: "exit" as const, name }))),
    ];
    const occurred_at = utcText(yield* Clock.currentTimeMillis);
    const events = yield* Effect.forEach(moves, ({ name, type }) =>
      Effect.map(findLocation(platform, name), (location_id) => ({
        id: randomUUID(),
        type,
        location_id,
        occurred_at,
      })),
    );
    const name = "waypost device try";
    const key = Effect.acquireRelease(
      ask((client) => client.sdkKeys.issue(workspace, environment, { name })),
      ({ id }) => Effect.ignore(ask((client) => client.sdkKeys.revoke(workspace, environment, id))),
    );
    const deliveries = yield* Effect.gen(function* () {
      const { sdk_key: sdkKey } = yield* key;
      const app = askOf(ask.url, keyHint, (settings) => new DeviceClient({ ...settings, sdkKey }));
      const { device_token: deviceToken, id } = yield* app((client) =>
        client.devices.register(`try-${randomUUID()}`, { platform: "other" }),
      );
      const device = askOf(ask.url, keyHint, (settings) => new DeviceClient({ ...settings, deviceToken }));
      yield* Effect.addFinalizer(() => Effect.ignore(device((client) => client.devices.unregister())));
      yield* platform((client) => client.devices.approve(id, { approved: true }));
      if (events.length === 0) return [];
      return (yield* device((client) => client.events.report({ events }))).deliveries;
    }).pipe(Effect.scoped);
    yield* printOne(deliveries, (messages) =>
      messages.length === 0
        ? "The device got no message. See which campaigns are active with waypost campaign list."
        : messages.map(({ body, headline }) => `${headline}\n${body}`).join("\n\n"),
    );
  },
});
