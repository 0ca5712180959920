import { Effect } from "effect";
import { Flag } from "effect/cli";
import { isUuid } from "../../wire/Ids.ts";
import { listOf, type Refusal } from "../Ask.ts";
import {
  commandOn,
  environmentTarget,
  openEnvironment,
  type Platform,
  platform,
  platformTarget,
} from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, limitFlag, nameArgument, optionalFlag, switchFlag } from "../Flags.ts";
import { findIdByName } from "../Lookups.ts";
import { inSandbox, resource } from "../Resource.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { importDevices, tryDevice } from "./DeviceTrials.ts";
import { erasedDevices } from "./PersonCommand.ts";

const devices = resource({
  target: platform,
  command: "device",
  at: inSandbox,
  filters: {
    approved: choiceFlag(
      "approved",
      ["true", "false"],
      "Only approved test devices, or only the others",
    ).pipe(Flag.map((text) => (text === undefined ? undefined : text === "true"))),
    platform: choiceFlag("platform", ["ios", "android", "web", "other"], "Only devices of this platform"),
  },
  list: (client, query) => client.devices.list(query),
  columns: (device) => [
    "id",
    "installation_id",
    "platform",
    ["transport", device.transport + (device.address_gone ? " (gone)" : "")],
    ["test device", device.approved],
    "last_seen_at",
  ],
});

/** Runs a request on the device that an id or installation id names. */
const onDevice = <A, R>(
  ask: Platform,
  name: string,
  request: (device: string) => Effect.Effect<A, Refusal, R>,
): Effect.Effect<A, Refusal, R> => {
  const list = listOf(ask, (client, query) => client.devices.list(query));
  const found = findIdByName("device", name, list, (device) => device.installation_id);
  const byInstallation = Effect.flatMap(found, request);
  // An installation id may be a UUID too.
  return isUuid(name)
    ? Effect.catchTag(request(name), "CommandRefused", (refused) =>
        Effect.mapError(byInstallation, () => refused),
      )
    : byInstallation;
};

const approve = commandOn(platformTarget({ otherwise: "sandbox" }), "approve", {
  description: "Approve a test device, by its id or installation id",
  examples: ["waypost device approve --workspace Acme my-phone"],
  flags: { device: nameArgument("device"), withdraw: switchFlag("withdraw", "Withdraw the approval") },
  *run(ask, { device, withdraw }) {
    const decided = yield* onDevice(ask, device, (id) =>
      ask((client) => client.devices.approve(id, { approved: !withdraw })),
    );
    yield* printOne(decided, ({ approved, installation_id }) =>
      approved
        ? `The device ${installation_id} is now an approved test device.`
        : `The device ${installation_id} is no longer an approved test device.`,
    );
  },
});

const explain = commandOn(platform, "explain", {
  description: "Explain which active campaigns would reach a device now, and why others would not",
  examples: [
    `waypost device explain ${inSandbox} my-phone`,
    `waypost device explain ${inSandbox} my-phone ` +
      "--campaign 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62 --at 2026-11-21T09:30:00Z",
  ],
  flags: {
    device: nameArgument("device"),
    campaign: optionalFlag("campaign", "Only the campaign with this id, active or not"),
    at: optionalFlag("at", "What happened at this instant of the last 30 days, with --campaign"),
    limit: limitFlag,
  },
  *run(ask, { device, limit, ...filters }) {
    yield* onDevice(ask, device, (id) =>
      printList(
        limit,
        listOf(ask, (client, query) => client.explanations.explain(id, { ...query, ...filters })),
        ({ campaign_name, until }) => [
          "campaign_id",
          ["name", campaign_name],
          "reaches",
          "reason",
          ["until", until, "instant"],
        ],
        filters.campaign === undefined ? "No campaign is active." : "There is no such campaign.",
      ),
    );
  },
});

const erase = commandOn(environmentTarget, "erase", {
  description:
    "Erase a device, by its id or installation id: address, attributes, positions and the texts of answers",
  examples: ["waypost device erase --workspace Acme --environment production 5f0c1b1e-3a43"],
  flags: { device: nameArgument("device") },
  *run(ask, { device }, environment) {
    const eraseDevice = (id: string) => ask((client, ...at) => client.people.eraseDevice(...at, id));
    const eraseNamed = Effect.flatMap(openEnvironment(environment), (asks) =>
      onDevice(asks, device, eraseDevice),
    );
    // An id may be that of a device that has unregistered, which no list has.
    const byId = isUuid(device) ? yield* eraseDevice(device) : null;
    const erased =
      byId === null
        ? yield* eraseNamed
        : byId.devices > 0
          ? byId
          : yield* Effect.catchTag(eraseNamed, "CommandRefused", () => Effect.succeed(byId));
    yield* printOne(erased, erasedDevices);
  },
});

/** `waypost device …` */
export const deviceCommand = operatorCommands("device", {
  description: "Devices that apps have registered",
  examples: [`waypost device list ${inSandbox}`, "waypost device approve --workspace Acme my-phone"],
  commands: [
    devices.list({
      description: "List the registered devices of an environment",
      examples: [`waypost device list ${inSandbox} --approved false`],
      whenEmpty: "No device matches.",
    }),
    approve,
    tryDevice,
    explain,
    importDevices,
    erase,
  ],
});
