import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { SdkKeyDraft } from "../../access/Token.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { draft } from "../RequestBodies.ts";
import {
  environmentFlag,
  findCredential,
  findWorkspace,
  limitFlag,
  nameArgument,
  readList,
  workspaceFlag,
} from "../Lookups.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { idColumn, momentColumn } from "../terminal/Table.ts";

const issue = Command.make(
  "issue",
  {
    workspace: workspaceFlag,
    environment: environmentFlag,
    name: Flag.String("name").pipe(
      Flag.withDescription("Which app uses the key"),
      Flag.withDefault("Issued on the command line"),
    ),
  },
  Effect.fn(function* (flags) {
    const body = yield* draft(SdkKeyDraft, { name: flags.name });
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const { data } = yield* ask((client) =>
      client.sdkKeys.issue({ params: { workspace, env: flags.environment }, payload: body }),
    );
    yield* printOne(data, ({ environment, name, sdk_key }) =>
      [
        `Issued the ${environmentName(environment)} SDK key "${name}".`,
        "Keep it now: it is shown only this once.",
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
  { workspace: workspaceFlag, environment: environmentFlag, limit: limitFlag },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const params = { workspace, env: flags.environment };
    const found = yield* readList(flags.limit, (query) =>
      ask((client) => client.sdkKeys.list({ params, query })),
    );
    yield* printList(
      found,
      [
        idColumn("ID", ({ id }) => id),
        { heading: "NAME", cell: ({ name }) => name },
        momentColumn("REVOKED", ({ revoked_at }) => revoked_at),
        momentColumn("LAST USED", ({ last_used_at }) => last_used_at),
        momentColumn("CREATED", ({ created_at }) => created_at),
      ],
      "The environment has no SDK keys yet: see waypost sdk-key issue --help.",
    );
  }),
).pipe(
  Command.withDescription("List the SDK keys of an environment, revoked ones included"),
  Command.withExamples([{ command: "waypost sdk-key list --workspace Acme --environment production" }]),
);

const revoke = Command.make(
  "revoke",
  { workspace: workspaceFlag, environment: environmentFlag, key: nameArgument("key") },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const params = { workspace, env: flags.environment };
    const key = yield* findCredential("SDK key", flags.key, (query) =>
      ask((client) => client.sdkKeys.list({ params, query })),
    );
    const { data } = yield* ask((client) => client.sdkKeys.revoke({ params: { ...params, key } }));
    yield* printOne(data, () => `Revoked the SDK key ${key}: it registers no more devices.`);
  }),
).pipe(
  Command.withDescription("Revoke an SDK key: it registers no more devices"),
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
