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
import type { CommandRefused } from "../CommandRefused.ts";
import { operatorFlags } from "../Operator.ts";
import { yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { importDevices } from "./DeviceImportCommand.ts";
import { erasedDevices } from "./PersonCommand.ts";

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

type PageQuery = { readonly limit: number; readonly cursor?: string };

/** Runs a request on the device that an id or installation id names. */
const onDevice = <A, R>(
  { ask, params }: Effect.Success<ReturnType<typeof openEnvironment>>,
  name: string,
  request: (device: string) => Effect.Effect<A, CommandRefused, R>,
): Effect.Effect<A, CommandRefused, R> => {
  const byInstallation = Effect.flatMap(
    findIdByName(
      "device",
      name,
      (query) => ask((client) => client.devices.list({ params, query })),
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
    const { data } = yield* onDevice({ ask, params }, flags.device, (device) =>
      ask((client) =>
        client.devices.approve({ params: { ...params, device }, payload: { approved: !flags.withdraw } }),
      ),
    );
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

const explain = Command.make(
  "explain",
  {
    ...environmentFlags,
    device: nameArgument("device"),
    campaign: Flag.String("campaign").pipe(
      Flag.withDescription("Only the campaign with this id, active or not"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  Effect.fn(function* (flags) {
    const environment = yield* openEnvironment(flags);
    const { ask, params } = environment;
    const filters = Option.isSome(flags.campaign) ? { campaign: flags.campaign.value } : {};
    const page = (device: string, query: PageQuery) =>
      ask((client) =>
        client.devices.explain({ params: { ...params, device }, query: { ...query, ...filters } }),
      );
    yield* onDevice(environment, flags.device, (device) =>
      printList(
        flags.limit,
        (query) => page(device, query),
        [
          { heading: "CAMPAIGN", kind: "id", cell: (each) => each.campaign_id },
          { heading: "NAME", cell: (each) => each.campaign_name },
          { heading: "REACHES", cell: ({ reaches }) => yesNo(reaches) },
          { heading: "REASON", cell: ({ reason }) => reason },
          { heading: "UNTIL", kind: "instant", cell: ({ until }) => until },
        ],
        "No campaign is active.",
      ),
    );
  }),
).pipe(
  Command.withDescription(
    "Explain which active campaigns would reach a device now, and why others would not",
  ),
  Command.withExamples([
    { command: "waypost device explain --workspace Acme --environment sandbox my-phone" },
  ]),
);

const erase = Command.make(
  "erase",
  { ...environmentFlags, device: nameArgument("device") },
  Effect.fn(function* (flags) {
    const environment = yield* openEnvironment(flags);
    const { ask, params } = environment;
    const eraseDevice = (device: string) =>
      ask((client) => client.people.eraseDevice({ params: { ...params, device } }));
    // An id may be that of a device that has unregistered, which no list has.
    const byId = isUuid(flags.device) ? yield* eraseDevice(flags.device) : null;
    const { data } =
      byId !== null && byId.data.devices > 0
        ? byId
        : yield* onDevice(environment, flags.device, eraseDevice).pipe(
            Effect.catchTag("CommandRefused", (refused) =>
              byId === null ? Effect.fail(refused) : Effect.succeed(byId),
            ),
          );
    yield* printOne(data, erasedDevices);
  }),
).pipe(
  Command.withDescription(
    "Erase a device, by its id or installation id: address, attributes, positions and the texts of answers",
  ),
  Command.withExamples([
    { command: "waypost device erase --workspace Acme --environment production 5f0c1b1e-3a43" },
  ]),
);

/** `waypost device …` */
export const deviceCommand = Command.make("device").pipe(
  Command.withDescription("Devices that apps have registered"),
  Command.withSubcommands([list, approve, explain, importDevices, erase]),
  Command.withExamples([
    { command: "waypost device list --workspace Acme --environment sandbox" },
    { command: "waypost device approve --workspace Acme my-phone" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
