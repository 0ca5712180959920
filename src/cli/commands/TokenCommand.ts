import { Clock, Console, Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { abilities } from "../../access/Ability.ts";
import { TokenDraft } from "../../access/Token.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { pageOf } from "../Ask.ts";
import {
  environmentFlags,
  findCredential,
  findWorkspace,
  limitFlag,
  nameArgument,
  workspaceFlag,
} from "../Lookups.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { parseFlags } from "../RequestBodies.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";

const splitAbilities = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((ability) => ability.trim())
    .filter((ability) => ability !== "");

const issue = Command.make(
  "issue",
  {
    ...environmentFlags,
    name: Flag.String("name").pipe(
      Flag.withDescription("Purpose of the token"),
      Flag.withDefault("Issued on the command line"),
    ),
    abilities: Flag.String("abilities").pipe(
      Flag.withDescription(`Abilities, separated by commas; all if left out: ${abilities.join(", ")}`),
      Flag.optional,
    ),
    expiresAt: Flag.String("expires-at").pipe(
      Flag.withDescription(
        "When the token expires, such as 2027-01-01 or 2027-01-01T09:00:00+01:00; never if left out",
      ),
      Flag.optional,
    ),
  },
  Effect.fn(function* (flags) {
    const payload = yield* parseFlags(TokenDraft, {
      name: flags.name,
      environment: flags.environment,
      abilities: Option.match(flags.abilities, { onNone: () => [...abilities], onSome: splitAbilities }),
      expires_at: Option.getOrUndefined(flags.expiresAt),
    });
    const expiresAt =
      payload.expires_at === undefined || payload.expires_at === null
        ? null
        : new Date(payload.expires_at).toISOString();
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const issued = yield* ask((client) =>
      client.tokens.issue(workspace, { ...payload, expires_at: expiresAt }),
    );
    yield* printOne(issued, ({ environment, expires_at, name, token }) => {
      const expiry = expires_at === null ? "" : `, valid until ${formatInstant(expires_at)}`;
      return [
        `Issued the ${environmentName(environment)} token "${name}"${expiry}.`,
        "Copy it now: it is not shown again.",
        "",
        token,
      ].join("\n");
    });
    if (issued.expires_at !== null && Date.parse(issued.expires_at) <= (yield* Clock.currentTimeMillis))
      yield* Console.error("The token does not work: the time given by --expires-at is in the past.");
  }),
).pipe(
  Command.withDescription("Issue a platform API token"),
  Command.withExamples([
    { command: "waypost token issue --workspace Acme --environment sandbox" },
    {
      command:
        "waypost token issue -w Acme -e production --name Reports --abilities reports:read " +
        "--expires-at 2027-01-01",
    },
  ]),
);

const list = Command.make(
  "list",
  { workspace: workspaceFlag, limit: limitFlag },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    yield* printList(
      flags.limit,
      pageOf(ask, (client, query) => client.tokens.list(workspace, query)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "ENVIRONMENT", cell: ({ environment }) => environment },
        {
          heading: "ABILITIES",
          cell: (token) => (token.abilities.length === abilities.length ? "all" : token.abilities.join(",")),
        },
        { heading: "EXPIRES", kind: "instant", cell: ({ expires_at }) => expires_at },
        { heading: "REVOKED", kind: "instant", cell: ({ revoked_at }) => revoked_at },
        { heading: "LAST USED", kind: "instant", cell: ({ last_used_at }) => last_used_at },
      ],
      "The workspace has no tokens yet. See waypost token issue --help.",
    );
  }),
).pipe(
  Command.withDescription("List the tokens of a workspace, including revoked ones"),
  Command.withExamples([{ command: "waypost token list --workspace Acme" }]),
);

const revoke = Command.make(
  "revoke",
  { workspace: workspaceFlag, token: nameArgument("token") },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const token = yield* findCredential(
      "token",
      flags.token,
      pageOf(ask, (client, query) => client.tokens.list(workspace, query)),
    );
    const revoked = yield* ask((client) => client.tokens.revoke(workspace, token));
    yield* printOne(revoked, () => `Revoked the token ${token}. It no longer works.`);
  }),
).pipe(
  Command.withDescription("Revoke a token: it stops working immediately"),
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
