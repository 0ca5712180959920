import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { readFile } from "node:fs/promises";
import type { Transport } from "../../client/OperatorClient.ts";
import {
  ApnsCredentials,
  FcmCredentials,
  PushProvider,
  WebPushCredentials,
} from "../../sending/credentials/PushCredential.ts";
import { TransportTestDraft } from "../../sending/push/TransportTest.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { pageOf } from "../Ask.ts";
import { CommandRefused } from "../CommandRefused.ts";
import { environmentFlags, openEnvironment } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { parseFlags } from "../RequestBodies.ts";
import { yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import type { Column } from "../terminal/Table.ts";

const columns: ReadonlyArray<Column<Transport>> = [
  { heading: "TRANSPORT", cell: ({ transport }) => transport },
  { heading: "CONFIGURED", cell: ({ configured }) => yesNo(configured) },
  { heading: "SET", kind: "instant", cell: ({ updated_at }) => updated_at },
  { heading: "PUBLIC KEY", kind: "id", cell: ({ public_key }) => public_key },
];

const list = Command.make(
  "list",
  environmentFlags,
  Effect.fn(function* (flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const transports = pageOf(ask, (client) => client.transports.list(...at));
    yield* printList(Number.POSITIVE_INFINITY, transports, columns, "");
  }),
).pipe(
  Command.withDescription("List the push services of an environment, and which have credentials"),
  Command.withExamples([{ command: "waypost transport list --workspace Acme --environment production" }]),
);

const readText = (path: string): Effect.Effect<string, CommandRefused> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: () => new CommandRefused({ message: `The file ${path} cannot be read.` }),
  });

const printSet =
  (flags: { readonly environment: "sandbox" | "production" }, noun: string) => (transport: Transport) =>
    printOne(transport, ({ public_key }) =>
      [
        `Set the ${noun} credentials of the ${environmentName(flags.environment)} environment.`,
        ...(public_key === null ? [] : [`Browsers subscribe with the key ${public_key}`]),
      ].join("\n"),
    );

const baseUrl = Flag.String("base-url").pipe(
  Flag.withDescription("Address of the push service, such as a proxy's; its own if left out"),
  Flag.optional,
);

const setFcm = Command.make(
  "fcm",
  {
    ...environmentFlags,
    file: Flag.File("service-account").pipe(
      Flag.withDescription("The JSON key file of a service account of the Firebase project"),
    ),
    baseUrl,
  },
  Effect.fn(function* (flags) {
    const text = yield* readText(flags.file);
    const account = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () =>
        new CommandRefused({
          message: `${flags.file} is not JSON: give the key file that Google made for the service account.`,
        }),
    });
    const payload = yield* parseFlags(FcmCredentials, {
      service_account: account,
      base_url: Option.getOrUndefined(flags.baseUrl),
    });
    const { ask, at } = yield* openEnvironment(flags);
    yield* Effect.flatMap(
      ask((client) => client.transports.putFcm(...at, payload)),
      printSet(flags, "FCM"),
    );
  }),
).pipe(
  Command.withDescription("Set the credentials for Firebase Cloud Messaging"),
  Command.withExamples([
    {
      command:
        "waypost transport set fcm --workspace Acme --environment production --service-account account.json",
    },
  ]),
);

const setApns = Command.make(
  "apns",
  {
    ...environmentFlags,
    file: Flag.File("private-key").pipe(Flag.withDescription("The signing key: the .p8 file from Apple")),
    keyId: Flag.String("key-id").pipe(Flag.withDescription("Id of the signing key")),
    teamId: Flag.String("team-id").pipe(Flag.withDescription("Id of the team at Apple")),
    topic: Flag.String("topic").pipe(Flag.withDescription("Bundle id of the app")),
    baseUrl,
  },
  Effect.fn(function* (flags) {
    const payload = yield* parseFlags(ApnsCredentials, {
      team_id: flags.teamId,
      key_id: flags.keyId,
      private_key: yield* readText(flags.file),
      topic: flags.topic,
      base_url: Option.getOrUndefined(flags.baseUrl),
    });
    const { ask, at } = yield* openEnvironment(flags);
    yield* Effect.flatMap(
      ask((client) => client.transports.putApns(...at, payload)),
      printSet(flags, "APNs"),
    );
  }),
).pipe(
  Command.withDescription("Set the credentials for the Apple Push Notification service"),
  Command.withExamples([
    {
      command:
        "waypost transport set apns --workspace Acme --environment production --private-key AuthKey.p8 " +
        "--key-id F6G7H8J9K0 --team-id A1B2C3D4E5 --topic com.example.shop",
    },
  ]),
);

const setWebPush = Command.make(
  "webpush",
  {
    ...environmentFlags,
    subject: Flag.String("subject").pipe(
      Flag.withDescription("Contact for push services: a mailto: or https: address"),
    ),
  },
  Effect.fn(function* (flags) {
    const payload = yield* parseFlags(WebPushCredentials, { subject: flags.subject });
    const { ask, at } = yield* openEnvironment(flags);
    yield* Effect.flatMap(
      ask((client) => client.transports.putWebPush(...at, payload)),
      printSet(flags, "Web Push"),
    );
  }),
).pipe(
  Command.withDescription("Set up Web Push. The server generates the keys"),
  Command.withExamples([
    {
      command:
        "waypost transport set webpush --workspace Acme --environment production " +
        "--subject mailto:push@example.com",
    },
  ]),
);

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

const test = Command.make(
  "test",
  {
    ...environmentFlags,
    transport: Argument.Literals("transport", PushProvider.literals).pipe(
      Argument.withDescription("fcm, apns or webpush"),
    ),
    device: Flag.String("device").pipe(
      Flag.withDescription("Id of a registered device with an address of the transport"),
    ),
  },
  Effect.fn(function* (flags) {
    const payload = yield* parseFlags(TransportTestDraft, { device_id: flags.device });
    const { ask, at } = yield* openEnvironment(flags);
    const result = yield* ask((client) => client.transports.test(...at, flags.transport, payload));
    const took = `after ${result.duration_ms} ms`;
    yield* printOne(result, ({ accepted, outcome, reason, transport }) =>
      accepted
        ? `${transport} accepted the test push ${took}.`
        : `${transport} did not accept the test push ${took} (${outcome}): ${reason ?? ""}`,
    );
    if (!result.accepted) yield* new CommandRefused({ message: "The test push was not accepted." });
  }),
).pipe(
  Command.withDescription(
    "Send one test push to a device and print what came back. Exit code 1 if it was not accepted",
  ),
  Command.withExamples([
    {
      command:
        "waypost transport test fcm --workspace Acme --environment production " +
        "--device 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
    },
  ]),
);

const remove = Command.make(
  "delete",
  {
    ...environmentFlags,
    transport: Argument.Literals("transport", PushProvider.literals).pipe(
      Argument.withDescription("fcm, apns or webpush"),
    ),
  },
  Effect.fn(function* (flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const deleted = yield* ask((client) => client.transports.delete(...at, flags.transport));
    yield* printOne(deleted, ({ id }) => `Deleted the ${id} credentials. Deliveries to it fail from now on.`);
  }),
).pipe(
  Command.withDescription("Delete the credentials of a push service"),
  Command.withExamples([
    { command: "waypost transport delete webpush --workspace Acme --environment sandbox" },
  ]),
);

/** `waypost transport …` */
export const transportCommand = Command.make("transport").pipe(
  Command.withDescription("Credentials with which pushes are sent to push services"),
  Command.withSubcommands([list, set, test, remove]),
  Command.withExamples([{ command: "waypost transport list --workspace Acme --environment production" }]),
  Command.withGlobalFlags(operatorFlags),
);
