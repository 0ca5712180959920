import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { SdkKeyDraft } from "../../access/Token.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { pageOf } from "../Ask.ts";
import { environmentFlags, findCredential, limitFlag, nameArgument, openEnvironment } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { parseFlags } from "../RequestBodies.ts";
import { printList, printOne } from "../terminal/Output.ts";

const issue = Command.make(
  "issue",
  {
    ...environmentFlags,
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the app that uses the key"),
      Flag.withDefault("Issued on the command line"),
    ),
  },
  Effect.fn(function* (flags) {
    const payload = yield* parseFlags(SdkKeyDraft, { name: flags.name });
    const { ask, at } = yield* openEnvironment(flags);
    const issued = yield* ask((client) => client.sdkKeys.issue(...at, payload));
    yield* printOne(issued, ({ environment, name, sdk_key }) =>
      [
        `Issued the ${environmentName(environment)} SDK key "${name}".`,
        "Copy it now: it is not shown again.",
        "",
        sdk_key,
      ].join("\n"),
    );
  }),
).pipe(
  Command.withDescription("Issue an SDK key"),
  Command.withExamples([
    { command: 'waypost sdk-key issue --workspace Acme --environment production --name "iOS app"' },
  ]),
);

const list = Command.make(
  "list",
  { ...environmentFlags, limit: limitFlag },
  Effect.fn(function* (flags) {
    const { ask, at } = yield* openEnvironment(flags);
    yield* printList(
      flags.limit,
      pageOf(ask, (client, query) => client.sdkKeys.list(...at, query)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "REVOKED", kind: "instant", cell: ({ revoked_at }) => revoked_at },
        { heading: "LAST USED", kind: "instant", cell: ({ last_used_at }) => last_used_at },
        { heading: "CREATED", kind: "instant", cell: ({ created_at }) => created_at },
      ],
      "The environment has no SDK keys yet. See waypost sdk-key issue --help.",
    );
  }),
).pipe(
  Command.withDescription("List the SDK keys of an environment, including revoked ones"),
  Command.withExamples([{ command: "waypost sdk-key list --workspace Acme --environment production" }]),
);

const revoke = Command.make(
  "revoke",
  { ...environmentFlags, key: nameArgument("key") },
  Effect.fn(function* (flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const key = yield* findCredential(
      "SDK key",
      flags.key,
      pageOf(ask, (client, query) => client.sdkKeys.list(...at, query)),
    );
    const revoked = yield* ask((client) => client.sdkKeys.revoke(...at, key));
    yield* printOne(revoked, () => `Revoked the SDK key ${key}. It can no longer register devices.`);
  }),
).pipe(
  Command.withDescription("Revoke an SDK key, so that it can no longer register devices"),
  Command.withExamples([
    { command: 'waypost sdk-key revoke "Android app" --workspace Acme --environment production' },
  ]),
);

/** `waypost sdk-key …` */
export const sdkKeyCommand = Command.make("sdk-key").pipe(
  Command.withDescription("SDK keys, with which apps register devices"),
  Command.withSubcommands([issue, list, revoke]),
  Command.withExamples([
    { command: 'waypost sdk-key issue --workspace Acme --environment production --name "iOS app"' },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
