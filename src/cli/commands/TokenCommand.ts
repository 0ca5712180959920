import { Clock, Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { abilities } from "../../access/Ability.ts";
import { TokenDraft } from "../../access/Token.ts";
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
import { idColumn, moment, momentColumn } from "../terminal/Table.ts";

const issue = Command.make(
  "issue",
  {
    workspace: workspaceFlag,
    environment: environmentFlag,
    name: Flag.String("name").pipe(
      Flag.withDescription("What the token is for"),
      Flag.withDefault("Issued on the command line"),
    ),
    abilities: Flag.String("abilities").pipe(
      Flag.withDescription(`What it may do, separated by commas; all if left out: ${abilities.join(", ")}`),
      Flag.optional,
    ),
    expiresAt: Flag.String("expires-at").pipe(
      Flag.withDescription(
        "When it stops working, such as 2027-01-01 or 2027-01-01T09:00:00+01:00; never if left out",
      ),
      Flag.optional,
    ),
  },
  Effect.fn(function* (flags) {
    const body = yield* draft(TokenDraft, {
      name: flags.name,
      environment: flags.environment,
      abilities: Option.match(flags.abilities, {
        onNone: () => [...abilities],
        onSome: (text) =>
          text
            .split(",")
            .map((ability) => ability.trim())
            .filter((ability) => ability !== ""),
      }),
      expires_at: Option.getOrUndefined(flags.expiresAt),
    });
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const { data } = yield* ask((client) => client.tokens.issue({ params: { workspace }, payload: body }));
    yield* printOne(data, ({ environment, expires_at, name, token }) =>
      [
        `Issued the ${environmentName(environment)} token "${name}"${expires_at === null ? "" : `, good until ${moment(expires_at)}`}.`,
        "Keep it now: it is shown only this once.",
        "",
        token,
      ].join("\n"),
    );
    if (data.expires_at !== null && Date.parse(data.expires_at) <= (yield* Clock.currentTimeMillis))
      yield* Console.error("It does not work: the time given by --expires-at is past.");
  }),
).pipe(
  Command.withDescription("Issue a platform API token"),
  Command.withExamples([
    { command: "waypost token issue --workspace Acme --environment sandbox" },
    {
      command:
        "waypost token issue -w Acme -e production --name Reports --abilities reports:read --expires-at 2027-01-01",
    },
  ]),
);

const list = Command.make(
  "list",
  { workspace: workspaceFlag, limit: limitFlag },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const found = yield* readList(flags.limit, (query) =>
      ask((client) => client.tokens.list({ params: { workspace }, query })),
    );
    yield* printList(
      found,
      [
        idColumn("ID", ({ id }) => id),
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "ENVIRONMENT", cell: ({ environment }) => environment },
        {
          heading: "ABILITIES",
          cell: (token) => (token.abilities.length === abilities.length ? "all" : token.abilities.join(",")),
        },
        momentColumn("EXPIRES", ({ expires_at }) => expires_at),
        momentColumn("REVOKED", ({ revoked_at }) => revoked_at),
        momentColumn("LAST USED", ({ last_used_at }) => last_used_at),
      ],
      "The workspace has no tokens yet: see waypost token issue --help.",
    );
  }),
).pipe(
  Command.withDescription("List the tokens of a workspace, revoked ones included"),
  Command.withExamples([{ command: "waypost token list --workspace Acme" }]),
);

const revoke = Command.make(
  "revoke",
  { workspace: workspaceFlag, token: nameArgument("token") },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const token = yield* findCredential("token", flags.token, (query) =>
      ask((client) => client.tokens.list({ params: { workspace }, query })),
    );
    const { data } = yield* ask((client) => client.tokens.revoke({ params: { workspace, token } }));
    yield* printOne(data, () => `Revoked the token ${token}: it has stopped working.`);
  }),
).pipe(
  Command.withDescription("Revoke a token: it stops working at once"),
  Command.withExamples([{ command: "waypost token revoke Reports --workspace Acme" }]),
);

/** `waypost token …` */
export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Platform API tokens of a workspace"),
  Command.withSubcommands([issue, list, revoke]),
  Command.withExamples([
    { command: "waypost token issue --workspace Acme --environment sandbox" },
    { command: "waypost token list --workspace Acme" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
