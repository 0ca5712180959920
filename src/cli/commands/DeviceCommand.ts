import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { isUuid } from "../../wire/Ids.ts";
import {
  environmentFlag,
  environmentFlags,
  findIdByName,
  limitFlag,
  nameArgument,
  openEnvironment,
  workspaceFlag,
} from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";

const list = Command.make(
  "list",
  {
    ...environmentFlags,
    approved: Flag.Literals("approved", ["true", "false"]).pipe(
      Flag.withDescription("Only devices that are approved, or only those that are not"),
      Flag.optional,
    ),
    platform: Flag.Literals("platform", ["ios", "android", "web", "other"]).pipe(
      Flag.withDescription("Only devices of this platform"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  Effect.fn(function* (flags) {
    const { ask, params } = yield* openEnvironment(flags);
    const filters = {
      ...(Option.isSome(flags.approved) ? { approved: flags.approved.value === "true" } : {}),
      ...(Option.isSome(flags.platform) ? { platform: flags.platform.value } : {}),
    };
    yield* printList(
      flags.limit,
      (query) => ask((client) => client.devices.list({ params, query: { ...query, ...filters } })),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "INSTALLATION", kind: "id", cell: (device) => device.installation_id },
        { heading: "PLATFORM", cell: ({ platform }) => platform },
        { heading: "TRANSPORT", cell: (device) => device.transport + (device.address_gone ? " (gone)" : "") },
        { heading: "APPROVED", cell: ({ approved }) => yesNo(approved) },
        { heading: "LAST SEEN", kind: "instant", cell: (device) => device.last_seen_at },
      ],
      "No device matches.",
    );
  }),
).pipe(
  Command.withDescription("List the registered devices of an environment"),
  Command.withExamples([
    { command: "waypost device list --workspace Acme --environment sandbox --approved false" },
  ]),
);

const approve = Command.make(
  "approve",
  {
    workspace: workspaceFlag,
    environment: environmentFlag.pipe(Flag.withDefault("sandbox" as const)),
    device: nameArgument("device"),
    withdraw: Flag.Boolean("withdraw").pipe(
      Flag.withDescription("Withdraw the approval"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* (flags) {
    const { ask, params } = yield* openEnvironment(flags);
    const approveId = (device: string) =>
      ask((client) =>
        client.devices.approve({ params: { ...params, device }, payload: { approved: !flags.withdraw } }),
      );
    const approveInstallation = Effect.flatMap(
      findIdByName(
        "device",
        flags.device,
        (query) => ask((client) => client.devices.list({ params, query })),
        (device) => device.installation_id,
      ),
      approveId,
    );
    // An installation id may be a UUID too.
    const { data } = yield* isUuid(flags.device)
      ? approveId(flags.device).pipe(
          Effect.catchTag("CommandRefused", (refused) => Effect.mapError(approveInstallation, () => refused)),
        )
      : approveInstallation;
    yield* printOne(data, ({ approved, installation_id }) =>
      approved
        ? `The device ${installation_id} is now an approved test device.`
        : `The device ${installation_id} is no longer an approved test device.`,
    );
  }),
).pipe(
  Command.withDescription("Approve a test device, by its id or installation id"),
  Command.withExamples([{ command: "waypost device approve --workspace Acme my-phone" }]),
);

/** `waypost device …` */
export const deviceCommand = Command.make("device").pipe(
  Command.withDescription("Devices that apps have registered"),
  Command.withSubcommands([list, approve]),
  Command.withExamples([
    { command: "waypost device list --workspace Acme --environment sandbox" },
    { command: "waypost device approve --workspace Acme my-phone" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
