/** The commands `waypost device try` and `waypost device import`. */
import { Clock, Console, Effect } from "effect";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { DeviceClient } from "../../client/DeviceClient.ts";
import { utcText } from "../../time/LocalTime.ts";
import { visible } from "../../wire/VisibleText.ts";
import { askOf, listOf } from "../Ask.ts";
import { badUsage } from "../CommandRefused.ts";
import {
  commandOn,
  environmentTarget,
  openEnvironment,
  type Platform,
  workspaceTarget,
} from "../CommandTarget.ts";
import { optionalFlag, textArgument } from "../Flags.ts";
import { findId } from "../Lookups.ts";
import { Json, keyHint, locateServer } from "../Operator.ts";
import { inProduction } from "../Resource.ts";
import { formatCount } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";

const environment = "sandbox";

const findLocation = (platform: Platform, name: string) =>
  findId(
    "location",
    name,
    listOf(platform, (client, query) => client.locations.list({ ...query, q: name })),
  );

/** Acts as a test device in Sandbox, which is gone afterwards; the reports keep what it received. */
export const tryDevice = commandOn(workspaceTarget, "try", {
  description:
    "Act as a new test device in Sandbox that enters or leaves a location, and print the messages it gets",
  examples: ["waypost device try --workspace Acme --enter Amsterdam"],
  flags: {
    enter: optionalFlag("enter", "Location that the device enters, by id or name"),
    exit: optionalFlag("exit", "Location that the device leaves, by id or name, after --enter"),
  },
  *run(ask, flags, { workspace }) {
    const platform = yield* openEnvironment({ workspace, environment });
    const moves = (["enter", "exit"] as const).filter((type) => flags[type] !== undefined);
    const occurred_at = utcText(yield* Clock.currentTimeMillis);
    const events = yield* Effect.forEach(moves, (type) =>
      Effect.map(findLocation(platform, flags[type] ?? ""), (location_id) => ({
        id: randomUUID(),
        type,
        location_id,
        occurred_at,
      })),
    );
    const name = "waypost device try";
    const key = Effect.acquireRelease(
      ask((client, id) => client.sdkKeys.issue(id, environment, { name })),
      (issued) => Effect.ignore(ask((client, id) => client.sdkKeys.revoke(id, environment, issued.id))),
    );
    const deliveries = yield* Effect.gen(function* () {
      const { sdk_key: sdkKey } = yield* key;
      const { url } = yield* locateServer;
      const app = askOf(url, keyHint, (settings) => new DeviceClient({ ...settings, sdkKey }));
      const { device_token: deviceToken, id } = yield* app((client) =>
        client.devices.register(`try-${randomUUID()}`, { platform: "other" }),
      );
      const device = askOf(url, keyHint, (settings) => new DeviceClient({ ...settings, deviceToken }));
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

/** Failed rows that are shown. */
const maxShown = 20;

/** `waypost device import` */
export const importDevices = commandOn(environmentTarget, "import", {
  description: "Import devices of another system, with their push addresses, from a file of any size",
  examples: [`waypost device import ${inProduction} devices.csv`],
  flags: {
    file: textArgument("file", "CSV, or a file with a JSON object in each line (.ndjson, .jsonl)"),
  },
  *run(ask, { file }) {
    if (!existsSync(file)) return yield* badUsage(`There is no file ${file}.`);
    const data = yield* ask((client, ...at) => client.deviceImport.import(...at, file));
    if (yield* Json) return yield* Console.log(JSON.stringify({ data }));
    const { created, failed, updated } = data.summary;
    const count = (rows: number, what: string) => `${formatCount(rows)} ${what}`;
    yield* Console.log(
      [count(created, "created"), count(updated, "updated"), count(failed, "failed")].join(", "),
    );
    const reasons = data.results.flatMap((result) =>
      (result.reasons ?? []).map((reason) => `row ${result.index}: ${reason}`),
    );
    for (const each of reasons.slice(0, maxShown)) yield* Console.log(visible(each));
    if (reasons.length > maxShown) yield* Console.log("There are more: use --json to see all.");
  },
});
