import { Effect } from "effect";
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
import type { Ask } from "../Ask.ts";
import { refused } from "../CommandRefused.ts";
import { commandOn, environmentTarget } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { optionalFlag, textFlag } from "../Flags.ts";
import { parseFlags, parseJson, readText } from "../RequestBodies.ts";
import { inProduction, inSandbox, resource } from "../Resource.ts";
import { printOne } from "../terminal/Output.ts";

const transport = Argument.Literals("transport", PushProvider.literals).pipe(
  Argument.withDescription("fcm, apns or webpush"),
);

const transports = resource({
  target: environmentTarget,
  command: "transport",
  at: inProduction,
  list: (client, _, ...at) => client.transports.list(...at),
  isWhole: true,
  columns: ({ public_key, updated_at }) => [
    "transport",
    "configured",
    ["set", updated_at, "instant"],
    "default_url",
    ["public key", public_key, "id"],
  ],
});

/** Sets credentials of an environment, and prints what browsers need. */
const putCredentials = Effect.fnUntraced(function* (
  ask: Ask<OperatorClient, [string, Environment]>,
  noun: string,
  environment: Environment,
  put: (group: OperatorClient["transports"], ...at: [string, Environment]) => Promise<Transport>,
) {
  yield* printOne(yield* ask((client, ...at) => put(client.transports, ...at)), ({ public_key }) =>
    [
      `Set the ${noun} credentials of the ${environmentName(environment)} environment.`,
      ...(public_key === null ? [] : [`Browsers subscribe with the key ${public_key}`]),
    ].join("\n"),
  );
});

const baseUrl = optionalFlag(
  "base-url",
  "Address of the push service, such as a proxy's; its own if left out",
);

const setFcm = commandOn(environmentTarget, "fcm", {
  description: "Set the credentials for Firebase Cloud Messaging",
  examples: [`waypost transport set fcm ${inProduction} --service-account account.json`],
  flags: {
    file: Flag.File("service-account").pipe(
      Flag.withDescription("The JSON key file of a service account of the Firebase project"),
    ),
    base_url: baseUrl,
  },
  *run(ask, flags, { environment }) {
    const account = yield* parseJson(
      yield* readText(flags.file),
      `${flags.file} is not JSON: give the key file that Google made for the service account.`,
    );
    const payload = yield* parseFlags(FcmCredentials, { ...flags, service_account: account });
    yield* putCredentials(ask, "FCM", environment, (group, ...at) => group.putFcm(...at, payload));
  },
});

const setApns = commandOn(environmentTarget, "apns", {
  description: "Set the credentials for the Apple Push Notification service",
  examples: [
    `waypost transport set apns ${inProduction} --private-key AuthKey.p8 ` +
      "--key-id F6G7H8J9K0 --team-id A1B2C3D4E5 --topic com.example.shop",
  ],
  flags: {
    file: Flag.File("private-key").pipe(Flag.withDescription("The signing key: the .p8 file from Apple")),
    key_id: textFlag("key-id", "Id of the signing key"),
    team_id: textFlag("team-id", "Id of the team at Apple"),
    topic: textFlag("topic", "Bundle id of the app"),
    base_url: baseUrl,
  },
  *run(ask, flags, { environment }) {
    const payload = yield* parseFlags(ApnsCredentials, {
      ...flags,
      private_key: yield* readText(flags.file),
    });
    yield* putCredentials(ask, "APNs", environment, (group, ...at) => group.putApns(...at, payload));
  },
});

const setWebPush = commandOn(environmentTarget, "webpush", {
  description: "Set up Web Push. The server generates the keys",
  examples: [
    `waypost transport set webpush ${inProduction} ` +
      "--subject mailto:push@example.com --default-url https://example.com/",
  ],
  flags: {
    subject: textFlag("subject", "Contact for push services: a mailto: or https: address"),
    default_url: optionalFlag(
      "default-url",
      "Web address that messages without one of their own open; none if left out",
    ),
  },
  *run(ask, flags, { environment }) {
    const payload = yield* parseFlags(WebPushCredentials, flags);
    yield* putCredentials(ask, "Web Push", environment, (group, ...at) => group.putWebPush(...at, payload));
  },
});

const set = Command.make("set").pipe(
  Command.withDescription("Set the credentials of a push service. They replace those that were set"),
  Command.withSubcommands([setFcm, setApns, setWebPush]),
  Command.withExamples([
    { command: `waypost transport set fcm ${inProduction} --service-account account.json` },
  ]),
);

const test = commandOn(environmentTarget, "test", {
  description: "Send one test push to a device and print what came back. Exit code 1 if it was not accepted",
  examples: [`waypost transport test fcm ${inProduction} --device 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60`],
  flags: {
    transport,
    device_id: textFlag("device", "Id of a registered device with an address of the transport"),
  },
  *run(ask, flags) {
    const payload = yield* parseFlags(TransportTestDraft, flags);
    const result = yield* ask((client, ...at) => client.transports.test(...at, flags.transport, payload));
    const took = `after ${result.duration_ms} ms`;
    yield* printOne(result, ({ accepted, outcome, reason, transport: name }) =>
      accepted
        ? `${name} accepted the test push ${took}.`
        : `${name} did not accept the test push ${took} (${outcome}): ${reason ?? ""}`,
    );
    if (!result.accepted) yield* refused("The test push was not accepted.");
  },
});

const remove = commandOn(environmentTarget, "delete", {
  description: "Delete the credentials of a push service",
  examples: [`waypost transport delete webpush ${inSandbox}`],
  flags: { transport },
  *run(ask, flags) {
    const deleted = yield* ask((client, ...at) => client.transports.delete(...at, flags.transport));
    yield* printOne(deleted, ({ id }) => `Deleted the ${id} credentials. Deliveries to it fail from now on.`);
  },
});

/** `waypost transport …` */
export const transportCommand = operatorCommands("transport", {
  description: "Credentials with which pushes are sent to push services",
  examples: [`waypost transport list ${inProduction}`],
  commands: [
    transports.list({
      description: "List the push services of an environment, and which have credentials",
      whenEmpty: "",
    }),
    set,
    test,
    remove,
  ],
});
