import { Option } from "effect";
import { Flag } from "effect/cli";
import { SdkKeyDraft } from "../../access/Token.ts";
import { commaList } from "../../wire/Text.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { listOf } from "../Ask.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { environmentFlags, limitFlag, nameArgument, optionalFlag } from "../Flags.ts";
import { findCredential, openEnvironment } from "../Lookups.ts";
import { parseFlags } from "../RequestBodies.ts";
import { printList, printOne } from "../terminal/Output.ts";

const issue = command("issue", {
  description: "Issue an SDK key",
  examples: [
    'waypost sdk-key issue --workspace Acme --environment production --name "iOS app"',
    "waypost sdk-key issue -w Acme -e production --name Shop --allowed-origins https://shop.example",
  ],
  flags: {
    ...environmentFlags,
    allowedOrigins: optionalFlag(
      "allowed-origins",
      "Origins whose pages may use the key, separated by commas; any if left out",
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the app that uses the key"),
      Flag.withDefault("Issued on the command line"),
    ),
  },
  *run(flags) {
    const payload = yield* parseFlags(SdkKeyDraft, {
      name: flags.name,
      allowed_origins: Option.getOrNull(Option.map(flags.allowedOrigins, commaList)),
    });
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
  },
});

const list = command("list", {
  description: "List the SDK keys of an environment, including revoked ones",
  examples: ["waypost sdk-key list --workspace Acme --environment production"],
  flags: { ...environmentFlags, limit: limitFlag },
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    yield* printList(
      flags.limit,
      listOf(ask, (client, query) => client.sdkKeys.list(...at, query)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "REVOKED", kind: "instant", cell: ({ revoked_at }) => revoked_at },
        { heading: "LAST USED", kind: "instant", cell: ({ last_used_at }) => last_used_at },
        { heading: "CREATED", kind: "instant", cell: ({ created_at }) => created_at },
      ],
      "The environment has no SDK keys yet. See waypost sdk-key issue --help.",
    );
  },
});

const revoke = command("revoke", {
  description: "Revoke an SDK key, so that it can no longer register devices",
  examples: ['waypost sdk-key revoke "Android app" --workspace Acme --environment production'],
  flags: { ...environmentFlags, key: nameArgument("key") },
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const key = yield* findCredential(
      "SDK key",
      flags.key,
      listOf(ask, (client, query) => client.sdkKeys.list(...at, query)),
    );
    const revoked = yield* ask((client) => client.sdkKeys.revoke(...at, key));
    yield* printOne(revoked, () => `Revoked the SDK key ${key}. It can no longer register devices.`);
  },
});

/** `waypost sdk-key …` */
export const sdkKeyCommand = operatorCommands("sdk-key", {
  description: "SDK keys, with which apps register devices",
  examples: ['waypost sdk-key issue --workspace Acme --environment production --name "iOS app"'],
  commands: [issue, list, revoke],
});
