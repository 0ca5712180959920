/** `waypost token …` and `waypost sdk-key …` */
import { Clock, Console } from "effect";
import { Flag } from "effect/cli";
import { abilities } from "../../access/Ability.ts";
import { SdkKeyDraft, TokenDraft } from "../../access/Token.ts";
import { commaList } from "../../wire/Text.ts";
import { type Environment, environmentName } from "../../workspaces/Environment.ts";
import { commandOn, environmentTarget, workspaceTarget } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { nameArgument, optionalFlag, textFlag } from "../Flags.ts";
import { findCredential } from "../Lookups.ts";
import { parseFlags } from "../RequestBodies.ts";
import { inProduction, inSandbox, resource } from "../Resource.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";

const issuedText = (environment: Environment, credential: string, secret: string): string =>
  [
    `Issued the ${environmentName(environment)} ${credential}.`,
    "Copy it now: it is not shown again.",
    "",
    secret,
  ].join("\n");

const tokens = resource({
  target: workspaceTarget,
  command: "token",
  at: "--workspace Acme",
  sample: "Reports",
  list: (client, query, workspace) => client.tokens.list(workspace, query),
  find: findCredential,
  columns: (token) => [
    "id",
    "name",
    "environment",
    ["abilities", token.abilities.length === abilities.length ? "all" : token.abilities.join(",")],
    "expires_at",
    "revoked_at",
    "last_used_at",
  ],
});

const issueToken = commandOn(environmentTarget, "issue", {
  description: "Issue a platform API token",
  examples: [
    `waypost token issue ${inSandbox}`,
    "waypost token issue -w Acme -e production --name Reports --abilities reports:read " +
      "--expires-at 2027-01-01",
  ],
  flags: {
    name: textFlag("name", "Purpose of the token").pipe(Flag.withDefault("Issued on the command line")),
    abilities: optionalFlag(
      "abilities",
      `Abilities, separated by commas; all if left out: ${abilities.join(", ")}`,
    ),
    expiresAt: optionalFlag(
      "expires-at",
      "When the token expires, such as 2027-01-01 or 2027-01-01T09:00:00+01:00; never if left out",
    ),
  },
  *run(ask, flags, { environment }) {
    const payload = yield* parseFlags(TokenDraft, {
      name: flags.name,
      environment,
      abilities: flags.abilities === undefined ? [...abilities] : commaList(flags.abilities),
      expires_at: flags.expiresAt,
    });
    const expiresAt =
      payload.expires_at === undefined || payload.expires_at === null
        ? null
        : new Date(payload.expires_at).toISOString();
    const issued = yield* ask((client, workspace) =>
      client.tokens.issue(workspace, { ...payload, expires_at: expiresAt }),
    );
    yield* printOne(issued, ({ expires_at, name, token }) => {
      const expiry = expires_at === null ? "" : `, valid until ${formatInstant(expires_at)}`;
      return issuedText(environment, `token "${name}"${expiry}`, token);
    });
    if (issued.expires_at !== null && Date.parse(issued.expires_at) <= (yield* Clock.currentTimeMillis))
      yield* Console.error("The token does not work: the time given by --expires-at is in the past.");
  },
});

/** `waypost token …` */
export const tokenCommand = operatorCommands("token", {
  description: "Platform API tokens of a workspace",
  examples: [`waypost token issue ${inSandbox}`, "waypost token list --workspace Acme"],
  commands: [
    issueToken,
    tokens.list({
      description: "List the tokens of a workspace, including revoked ones",
      whenEmpty: "The workspace has no tokens yet. See waypost token issue --help.",
    }),
    tokens.item("revoke", {
      description: "Revoke a token: it stops working immediately",
      request: (client, workspace, id) => client.tokens.revoke(workspace, id),
      text: ({ id }) => `Revoked the token ${id}. It no longer works.`,
    }),
  ],
});

const sdkKeys = resource({
  target: environmentTarget,
  command: "sdk-key",
  noun: "SDK key",
  at: inProduction,
  sample: '"Android app"',
  argument: nameArgument("key"),
  list: (client, query, ...at) => client.sdkKeys.list(...at, query),
  find: findCredential,
  columns: () => ["id", "name", "revoked_at", "last_used_at", "created_at"],
});

const issueKey = commandOn(environmentTarget, "issue", {
  description: "Issue an SDK key",
  examples: [
    `waypost sdk-key issue ${inProduction} --name "iOS app"`,
    "waypost sdk-key issue -w Acme -e production --name Shop --allowed-origins https://shop.example",
  ],
  flags: {
    allowedOrigins: optionalFlag(
      "allowed-origins",
      "Origins whose pages may use the key, separated by commas; any if left out",
    ),
    name: textFlag("name", "Name of the app that uses the key").pipe(
      Flag.withDefault("Issued on the command line"),
    ),
  },
  *run(ask, { allowedOrigins, name }) {
    const payload = yield* parseFlags(SdkKeyDraft, {
      name,
      allowed_origins: allowedOrigins === undefined ? null : commaList(allowedOrigins),
    });
    const issued = yield* ask((client, ...at) => client.sdkKeys.issue(...at, payload));
    yield* printOne(issued, (key) => issuedText(key.environment, `SDK key "${key.name}"`, key.sdk_key));
  },
});

/** `waypost sdk-key …` */
export const sdkKeyCommand = operatorCommands("sdk-key", {
  description: "SDK keys, with which apps register devices",
  examples: [`waypost sdk-key issue ${inProduction} --name "iOS app"`],
  commands: [
    issueKey,
    sdkKeys.list({
      description: "List the SDK keys of an environment, including revoked ones",
      whenEmpty: "The environment has no SDK keys yet. See waypost sdk-key issue --help.",
    }),
    sdkKeys.item("revoke", {
      description: "Revoke an SDK key, so that it can no longer register devices",
      request: (client, workspace, environment, key) => client.sdkKeys.revoke(workspace, environment, key),
      text: ({ id }) => `Revoked the SDK key ${id}. It can no longer register devices.`,
    }),
  ],
});
