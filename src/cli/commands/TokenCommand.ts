import { Clock, Console, Option } from "effect";
import { Flag } from "effect/cli";
import { abilities } from "../../access/Ability.ts";
import { TokenDraft } from "../../access/Token.ts";
import { commaList } from "../../wire/Text.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { listOf } from "../Ask.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { environmentFlags, limitFlag, nameArgument, optionalFlag, workspaceFlag } from "../Flags.ts";
import { findCredential, findWorkspace } from "../Lookups.ts";
import { operator } from "../Operator.ts";
import { parseFlags } from "../RequestBodies.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";

const issue = command("issue", {
  description: "Issue a platform API token",
  examples: [
    "waypost token issue --workspace Acme --environment sandbox",
    "waypost token issue -w Acme -e production --name Reports --abilities reports:read " +
      "--expires-at 2027-01-01",
  ],
  flags: {
    ...environmentFlags,
    name: Flag.String("name").pipe(
      Flag.withDescription("Purpose of the token"),
      Flag.withDefault("Issued on the command line"),
    ),
    abilities: optionalFlag(
      "abilities",
      `Abilities, separated by commas; all if left out: ${abilities.join(", ")}`,
    ),
    expiresAt: optionalFlag(
      "expires-at",
      "When the token expires, such as 2027-01-01 or 2027-01-01T09:00:00+01:00; never if left out",
    ),
  },
  *run(flags) {
    const payload = yield* parseFlags(TokenDraft, {
      name: flags.name,
      environment: flags.environment,
      abilities: Option.match(flags.abilities, { onNone: () => [...abilities], onSome: commaList }),
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
  },
});

const list = command("list", {
  description: "List the tokens of a workspace, including revoked ones",
  examples: ["waypost token list --workspace Acme"],
  flags: { workspace: workspaceFlag, limit: limitFlag },
  *run(flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    yield* printList(
      flags.limit,
      listOf(ask, (client, query) => client.tokens.list(workspace, query)),
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
  },
});

const revoke = command("revoke", {
  description: "Revoke a token: it stops working immediately",
  examples: ["waypost token revoke Reports --workspace Acme"],
  flags: { workspace: workspaceFlag, token: nameArgument("token") },
  *run(flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const token = yield* findCredential(
      "token",
      flags.token,
      listOf(ask, (client, query) => client.tokens.list(workspace, query)),
    );
    const revoked = yield* ask((client) => client.tokens.revoke(workspace, token));
    yield* printOne(revoked, () => `Revoked the token ${token}. It no longer works.`);
  },
});

/** `waypost token …` */
export const tokenCommand = operatorCommands("token", {
  description: "Platform API tokens of a workspace",
  examples: [
    "waypost token issue --workspace Acme --environment sandbox",
    "waypost token list --workspace Acme",
  ],
  commands: [issue, list, revoke],
});
