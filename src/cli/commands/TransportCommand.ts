import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import type { OperatorClient, Transport } from "../../client/OperatorClient.ts";
import {
  ApnsCredentials,
  FcmCredentials,
  PushProvider,
  WebPushCredentials,
} from "../../sending/credentials/PushCredential.ts";
import { TransportTestDraft } from "../../sending/push/TransportTest.ts";
import { type Environment, environmentName } from "../../workspaces/Environment.ts";
import { listOf } from "../Ask.ts";
import { refused } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { type EnvironmentFlags, environmentFlags, optionalFlag, textFlag } from "../Flags.ts";
import { openEnvironment } from "../Lookups.ts";
import { parseFlags, parseJson, readText } from "../RequestBodies.ts";
import { yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import type { Column } from "../terminal/Table.ts";

const columns: ReadonlyArray<Column<Transport>> = [
  { heading: "TRANSPORT", cell: ({ transport }) => transport },
  { heading: "CONFIGURED", cell: ({ configured }) => yesNo(configured) },
  { heading: "SET", kind: "instant", cell: ({ updated_at }) => updated_at },
  { heading: "DEFAULT URL", cell: ({ default_url }) => default_url },
  { heading: "PUBLIC KEY", kind: "id", cell: ({ public_key }) => public_key },
];

const list = command("list", {
  description: "List the push services of an environment, and which have credentials",
  examples: ["waypost transport list --workspace Acme --environment production"],
  flags: environmentFlags,
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const transports = listOf(ask, (client) => client.transports.list(...at));
    yield* printList(Number.POSITIVE_INFINITY, transports, columns, "");
  },
});

/** Sets credentials of an environment, and prints what browsers need. */
const putCredentials = Effect.fnUntraced(function* (
  flags: EnvironmentFlags,
  noun: string,
  put: (client: OperatorClient, ...at: readonly [string, Environment]) => Promise<Transport>,
) {
  const { ask, at } = yield* openEnvironment(flags);
  yield* printOne(yield* ask((client) => put(client, ...at)), ({ public_key }) =>
    [
      `Set the ${noun} credentials of the ${environmentName(flags.environment)} environment.`,
      ...(public_key === null ? [] : [`Browsers subscribe with the key ${public_key}`]),
    ].join("\n"),
  );
});

const baseUrl = optionalFlag(
  "base-url",
  "Address of the push service, such as a proxy's; its own if left out",
);

const setFcm = command("fcm", {
  description: "Set the credentials for Firebase Cloud Messaging",
  examples: [
    "waypost transport set fcm --workspace Acme --environment production --service-account account.json",
  ],
  flags: {
    ...environmentFlags,
    file: Flag.File("service-account").pipe(
      Flag.withDescription("The JSON key file of a service account of the Firebase project"),
    ),
    baseUrl,
  },
  *run(flags) {
    const account = yield* parseJson(
      yield* readText(flags.file),
      `${flags.file} is not JSON: give the key file that Google made for the service account.`,
    );
    const payload = yield* parseFlags(FcmCredentials, {
      service_account: account,
      base_url: Option.getOrUndefined(flags.baseUrl),
    });
    yield* putCredentials(flags, "FCM", ({ transports }, ...at) => transports.putFcm(...at, payload));
  },
});

const setApns = command("apns", {
  description: "Set the credentials for the Apple Push Notification service",
  examples: [
    "waypost transport set apns --workspace Acme --environment production --private-key AuthKey.p8 " +
      "--key-id F6G7H8J9K0 --team-id A1B2C3D4E5 --topic com.example.shop",
  ],
  flags: {
    ...environmentFlags,
    file: Flag.File("private-key").pipe(Flag.withDescription("The signing key: the .p8 file from Apple")),
    keyId: textFlag("key-id", "Id of the signing key"),
    teamId: textFlag("team-id", "Id of the team at Apple"),
    topic: textFlag("topic", "Bundle id of the app"),
    baseUrl,
  },
  *run(flags) {
    const payload = yield* parseFlags(ApnsCredentials, {
      team_id: flags.teamId,
      key_id: flags.keyId,
      private_key: yield* readText(flags.file),
      topic: flags.topic,
      base_url: Option.getOrUndefined(flags.baseUrl),
    });
    yield* putCredentials(flags, "APNs", ({ transports }, ...at) => transports.putApns(...at, payload));
  },
});

const setWebPush = command("webpush", {
  description: "Set up Web Push. The server generates the keys",
  examples: [
    "waypost transport set webpush --workspace Acme --environment production " +
      "--subject mailto:push@example.com --default-url https://example.com/",
  ],
  flags: {
    ...environmentFlags,
    subject: textFlag("subject", "Contact for push services: a mailto: or https: address"),
    defaultUrl: optionalFlag(
      "default-url",
      "Web address that messages without one of their own open; none if left out",
    ),
  },
  *run(flags) {
    const payload = yield* parseFlags(WebPushCredentials, {
      subject: flags.subject,
      default_url: Option.getOrUndefined(flags.defaultUrl),
    });
    yield* putCredentials(flags, "Web Push", ({ transports }, ...at) =>
      transports.putWebPush(...at, payload),
    );
  },
});

const set = Command.make("set").pipe(
  Command.withDescription("Set the credentials of a push service. They replace those that were set"),
  Command.withSubcommands([setFcm, setApns, setWebPush]),
  Command.withExamples([
    {
      command:
        "waypost transport set fcm --workspace Acme --environment production --service-account account.json",
    },
  ]),
);

const test = command("test", {
  description: "Send one test push to a device and print what came back. Exit code 1 if it was not accepted",
  examples: [
    "waypost transport test fcm --workspace Acme --environment production " +
      "--device 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
  ],
  flags: {
    ...environmentFlags,
    transport: Argument.Literals("transport", PushProvider.literals).pipe(
      Argument.withDescription("fcm, apns or webpush"),
    ),
    device: textFlag("device", "Id of a registered device with an address of the transport"),
  },
  *run(flags) {
    const payload = yield* parseFlags(TransportTestDraft, { device_id: flags.device });
    const { ask, at } = yield* openEnvironment(flags);
    const result = yield* ask((client) => client.transports.test(...at, flags.transport, payload));
    const took = `after ${result.duration_ms} ms`;
    yield* printOne(result, ({ accepted, outcome, reason, transport }) =>
      accepted
        ? `${transport} accepted the test push ${took}.`
        : `${transport} did not accept the test push ${took} (${outcome}): ${reason ?? ""}`,
    );
    if (!result.accepted) yield* refused("The test push was not accepted.");
  },
});

const remove = command("delete", {
  description: "Delete the credentials of a push service",
  examples: ["waypost transport delete webpush --workspace Acme --environment sandbox"],
  flags: {
    ...environmentFlags,
    transport: Argument.Literals("transport", PushProvider.literals).pipe(
      Argument.withDescription("fcm, apns or webpush"),
    ),
  },
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const deleted = yield* ask((client) => client.transports.delete(...at, flags.transport));
    yield* printOne(deleted, ({ id }) => `Deleted the ${id} credentials. Deliveries to it fail from now on.`);
  },
});

/** `waypost transport …` */
export const transportCommand = operatorCommands("transport", {
  description: "Credentials with which pushes are sent to push services",
  examples: ["waypost transport list --workspace Acme --environment production"],
  commands: [list, set, test, remove],
});
