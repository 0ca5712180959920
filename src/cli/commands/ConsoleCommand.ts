import { Option } from "effect";
import { Argument, Command } from "effect/cli";
import { counted } from "../../wire/Text.ts";
import { badUsage } from "../CommandRefused.ts";
import { commandOn, installation } from "../CommandTarget.ts";
import { switchFlag, textArgument } from "../Flags.ts";
import { operatorFlags } from "../Operator.ts";
import { resource } from "../Resource.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";

const sessions = resource({
  target: installation,
  command: "console",
  list: (client, query) => client.sessions.list(query),
  columns: (session) => [
    "id",
    "name",
    ["token", session.token?.name ?? "operator"],
    ["workspace", session.workspace?.name ?? "all"],
    ["signed in", session.created_at, "instant"],
    ["from", session.address],
    "last_used_at",
    ["last from", session.last_address],
  ],
});

const end = commandOn(installation, "end", {
  description: "End a session of the console, or all: they end immediately",
  examples: ["waypost console end 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60", "waypost console end --all"],
  flags: {
    session: Argument.optional(textArgument("session", "The session, by id")),
    all: switchFlag("all", "End all sessions"),
  },
  *run(ask, { all, session }) {
    if (all === Option.isSome(session))
      return yield* badUsage("Name the session by its id, or give --all to end all.");
    if (Option.isSome(session)) {
      const ended = yield* ask((client) => client.sessions.end(session.value));
      return yield* printOne(ended, ({ id }) => `Ended the session ${id}.`);
    }
    const { ended } = yield* ask((client) => client.sessions.endAll());
    yield* printOne({ ended }, () => `Ended ${counted(ended, "session")}.`);
  },
});

/** `waypost console`, which prints an address, and its sessions. */
export const consoleCommand = commandOn(installation, "console", {
  description: "Print an address that signs you in to the console in a browser, once",
  examples: ["waypost console", "waypost console list"],
  flags: {},
  *run(ask) {
    yield* printOne(
      yield* ask((client) => client.console.issueAddress()),
      ({ expires_at: expiresAt, url }) =>
        `Open this address and press "Sign in". It works once, until ${formatInstant(expiresAt)}.\n\n${url}`,
    );
  },
}).pipe(
  Command.withSubcommands([
    sessions.list({
      description: "List who is signed in to the console, since when and from where",
      whenEmpty: "Nobody is signed in now.",
    }),
    end,
  ]),
  Command.withGlobalFlags(operatorFlags),
);
