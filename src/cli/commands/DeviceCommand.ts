import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import { isUuid } from "../../wire/Ids.ts";
import { listOf } from "../Ask.ts";
import type { CommandRefused } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import {
  choiceFlag,
  environmentFlag,
  environmentFlags,
  limitFlag,
  nameArgument,
  optionalFlag,
  switchFlag,
  workspaceFlag,
} from "../Flags.ts";
import { findIdByName, openEnvironment } from "../Lookups.ts";
import { openWorkspace, type Platform } from "../Platform.ts";
import { yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { importDevices } from "./DeviceImportCommand.ts";
import { tryDevice } from "./DeviceTryCommand.ts";
import { erasedDevices } from "./PersonCommand.ts";

const list = command("list", {
  description: "List the registered devices of an environment",
  examples: ["waypost device list --workspace Acme --environment sandbox --approved false"],
  flags: {
    ...environmentFlags,
    approved: choiceFlag("approved", ["true", "false"], "Only approved test devices, or only the others"),
    platform: choiceFlag("platform", ["ios", "android", "web", "other"], "Only devices of this platform"),
    limit: limitFlag,
  },
  *run(flags) {
    const platform = yield* openWorkspace(flags);
    const filters = {
      ...(Option.isSome(flags.approved) ? { approved: flags.approved.value === "true" } : {}),
      platform: Option.getOrUndefined(flags.platform),
    };
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.devices.list({ ...query, ...filters })),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "INSTALLATION", kind: "id", cell: (device) => device.installation_id },
        { heading: "PLATFORM", cell: ({ platform }) => platform },
        { heading: "TRANSPORT", cell: (device) => device.transport + (device.address_gone ? " (gone)" : "") },
        { heading: "TEST DEVICE", cell: ({ approved }) => yesNo(approved) },
        { heading: "LAST SEEN", kind: "instant", cell: (device) => device.last_seen_at },
      ],
      "No device matches.",
    );
  },
});

/** Runs a request on the device that an id or installation id names. */
const onDevice = <A, R>(
  platform: Platform,
  name: string,
  request: (device: string) => Effect.Effect<A, CommandRefused, R>,
): Effect.Effect<A, CommandRefused, R> => {
  const byInstallation = Effect.flatMap(
    findIdByName(
      "device",
      name,
      listOf(platform, (client, query) => client.devices.list(query)),
      (device) => device.installation_id,
    ),
    request,
  );
  // An installation id may be a UUID too.
  return isUuid(name)
    ? Effect.catchTag(request(name), "CommandRefused", (refused) =>
        Effect.mapError(byInstallation, () => refused),
      )
    : byInstallation;
};

const approve = command("approve", {
  description: "Approve a test device, by its id or installation id",
  examples: ["waypost device approve --workspace Acme my-phone"],
  flags: {
    workspace: workspaceFlag,
    environment: environmentFlag.pipe(Flag.withDefault("sandbox" as const)),
    device: nameArgument("device"),
    withdraw: switchFlag("withdraw", "Withdraw the approval"),
  },
  *run(flags) {
    const platform = yield* openWorkspace(flags);
    const decided = yield* onDevice(platform, flags.device, (device) =>
      platform((client) => client.devices.approve(device, { approved: !flags.withdraw })),
    );
    yield* printOne(decided, ({ approved, installation_id }) =>
      approved
        ? `The device ${installation_id} is now an approved test device.`
        : `The device ${installation_id} is no longer an approved test device.`,
    );
  },
});

const explain = command("explain", {
  description: "Explain which active campaigns would reach a device now, and why others would not",
  examples: [
    "waypost device explain --workspace Acme --environment sandbox my-phone",
    "waypost device explain --workspace Acme --environment sandbox my-phone " +
      "--campaign 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62 --at 2026-11-21T09:30:00Z",
  ],
  flags: {
    ...environmentFlags,
    device: nameArgument("device"),
    campaign: optionalFlag("campaign", "Only the campaign with this id, active or not"),
    at: optionalFlag("at", "What happened at this instant of the last 30 days, with --campaign"),
    limit: limitFlag,
  },
  *run(flags) {
    const platform = yield* openWorkspace(flags);
    const filters = {
      campaign: Option.getOrUndefined(flags.campaign),
      at: Option.getOrUndefined(flags.at),
    };
    yield* onDevice(platform, flags.device, (device) =>
      printList(
        flags.limit,
        listOf(platform, (client, query) => client.explanations.explain(device, { ...query, ...filters })),
        [
          { heading: "CAMPAIGN", kind: "id", cell: (each) => each.campaign_id },
          { heading: "NAME", cell: (each) => each.campaign_name },
          { heading: "REACHES", cell: ({ reaches }) => yesNo(reaches) },
          { heading: "REASON", cell: ({ reason }) => reason },
          { heading: "UNTIL", kind: "instant", cell: ({ until }) => until },
        ],
        Option.isSome(flags.campaign) ? "There is no such campaign." : "No campaign is active.",
      ),
    );
  },
});

const erase = command("erase", {
  description:
    "Erase a device, by its id or installation id: address, attributes, positions and the texts of answers",
  examples: ["waypost device erase --workspace Acme --environment production 5f0c1b1e-3a43"],
  flags: { ...environmentFlags, device: nameArgument("device") },
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const platform = yield* openWorkspace({ ...flags, workspace: at[0] });
    const eraseDevice = (device: string) => ask((client) => client.people.eraseDevice(...at, device));
    // An id may be that of a device that has unregistered, which no list has.
    const byId = isUuid(flags.device) ? yield* eraseDevice(flags.device) : null;
    const erased =
      byId !== null && byId.devices > 0
        ? byId
        : yield* onDevice(platform, flags.device, eraseDevice).pipe(
            Effect.catchTag("CommandRefused", (refused) =>
              byId === null ? Effect.fail(refused) : Effect.succeed(byId),
            ),
          );
    yield* printOne(erased, erasedDevices);
  },
});

/** `waypost device …` */
export const deviceCommand = operatorCommands("device", {
  description: "Devices that apps have registered",
  examples: [
    "waypost device list --workspace Acme --environment sandbox",
    "waypost device approve --workspace Acme my-phone",
  ],
  commands: [list, approve, tryDevice, explain, importDevices, erase],
});
