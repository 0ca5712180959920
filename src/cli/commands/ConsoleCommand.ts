import { Option } from "effect";
import { Argument, Command } from "effect/cli";
import { counted } from "../../wire/Text.ts";
import { listOf } from "../Ask.ts";
import { badUsage } from "../CommandRefused.ts";
import { command } from "../DeclaredCommand.ts";
import { limitFlag, switchFlag, textArgument } from "../Flags.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";

const list = command("list", {
  description: "List who is signed in to the console, since when and from where",
  examples: ["waypost console list"],
  flags: { limit: limitFlag },
  *run(flags) {
    const ask = yield* operator;
    yield* printList(
      flags.limit,
      listOf(ask, (client, query) => client.sessions.list(query)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "TOKEN", cell: ({ token }) => token?.name ?? "operator" },
        { heading: "WORKSPACE", cell: ({ workspace }) => workspace?.name ?? "all" },
        { heading: "SIGNED IN", kind: "instant", cell: ({ created_at }) => created_at },
        { heading: "FROM", cell: ({ address }) => address },
        { heading: "LAST USED", kind: "instant", cell: ({ last_used_at }) => last_used_at },
        { heading: "LAST FROM", cell: ({ last_address }) => last_address },
      ],
      "Nobody is signed in now.",
    );
  },
});

const end = command("end", {
  description: "End a session of the console, or all: they end immediately",
  examples: ["waypost console end 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60", "waypost console end --all"],
  flags: {
    session: Argument.optional(textArgument("session", "The session, by id")),
    all: switchFlag("all", "End all sessions"),
  },
  *run({ all, session }) {
    if (all === Option.isSome(session))
      return yield* badUsage("Name the session by its id, or give --all to end all.");
    const ask = yield* operator;
    if (Option.isSome(session)) {
      const ended = yield* ask((client) => client.sessions.end(session.value));
      return yield* printOne(ended, ({ id }) => `Ended the session ${id}.`);
    }
    const { ended } = yield* ask((client) => client.sessions.endAll());
    yield* printOne({ ended }, () => `Ended ${counted(ended, "session")}.`);
  },
});

/** `waypost console`, which prints an address, and its sessions. */
export const consoleCommand = command("console", {
  description: "Print an address that signs you in to the console in a browser, once",
  examples: ["waypost console", "waypost console list"],
  flags: {},
  *run() {
    const ask = yield* operator;
    const address = yield* ask((client) => client.console.issueAddress());
    yield* printOne(
      address,
      ({ expires_at: expiresAt, url }) =>
        `Open this address and press "Sign in". It works once, until ${formatInstant(expiresAt)}.\n\n${url}`,
    );
  },
}).pipe(Command.withSubcommands([list, end]), Command.withGlobalFlags(operatorFlags));
