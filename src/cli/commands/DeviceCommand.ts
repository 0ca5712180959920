import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { isUuid } from "../../wire/Ids.ts";
import {
  environmentFlag,
  findWorkspace,
  limitFlag,
  nameArgument,
  pick,
  readList,
  workspaceFlag,
} from "../Lookups.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { printList, printOne, yesNo } from "../terminal/Output.ts";
import { idColumn, momentColumn } from "../terminal/Table.ts";

const list = Command.make(
  "list",
  {
    workspace: workspaceFlag,
    environment: environmentFlag,
    approved: Flag.Literals("approved", ["true", "false"]).pipe(
      Flag.withDescription("Only approved devices, or only those that are not"),
      Flag.optional,
    ),
    platform: Flag.Literals("platform", ["ios", "android", "web", "other"]).pipe(
      Flag.withDescription("Only devices of this platform"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const params = { workspace, env: flags.environment };
    const filters = {
      ...(Option.isSome(flags.approved) ? { approved: flags.approved.value === "true" } : {}),
      ...(Option.isSome(flags.platform) ? { platform: flags.platform.value } : {}),
    };
    const found = yield* readList(flags.limit, (query) =>
      ask((client) => client.devices.list({ params, query: { ...query, ...filters } })),
    );
    yield* printList(
      found,
      [
        idColumn("ID", ({ id }) => id),
        { heading: "INSTALLATION", cell: (device) => device.installation_id },
        { heading: "PLATFORM", cell: ({ platform }) => platform },
        { heading: "TRANSPORT", cell: (device) => device.transport + (device.address_gone ? " (gone)" : "") },
        { heading: "APPROVED", cell: ({ approved }) => yesNo(approved) },
        momentColumn("LAST SEEN", (device) => device.last_seen_at),
      ],
      "No such device is registered.",
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
      Flag.withDescription("Take the approval back"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const params = { workspace, env: flags.environment };
    const approveId = (device: string) =>
      ask((client) =>
        client.devices.approve({ params: { ...params, device }, payload: { approved: !flags.withdraw } }),
      );
    const approveInstallation = readList(Number.POSITIVE_INFINITY, (query) =>
      ask((client) => client.devices.list({ params, query })),
    ).pipe(
      Effect.flatMap(({ items }) => pick("device", flags.device, items, (each) => each.installation_id)),
      Effect.flatMap(({ id }) => approveId(id)),
    );
    // Apps like to name their installations by UUIDs too.
    const { data } = yield* isUuid(flags.device)
      ? approveId(flags.device).pipe(
          Effect.catchTag("CommandRefused", (refused) => Effect.mapError(approveInstallation, () => refused)),
        )
      : approveInstallation;
    yield* printOne(data, ({ approved, installation_id }) =>
      approved
        ? `The device ${installation_id} is an approved test device now.`
        : `The device ${installation_id} is no approved test device any more.`,
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
