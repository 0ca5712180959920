import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { pageOf } from "../Ask.ts";
import { BadUsage } from "../CommandRefused.ts";
import { limitFlag } from "../Lookups.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { counted } from "../../wire/Text.ts";

const list = Command.make(
  "list",
  { limit: limitFlag },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    yield* printList(
      flags.limit,
      pageOf(ask, (client, query) => client.sessions.list(query)),
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
  }),
).pipe(
  Command.withDescription("List who is signed in to the console, since when and from where"),
  Command.withExamples([{ command: "waypost console list" }]),
);

const end = Command.make(
  "end",
  {
    session: Argument.String("session").pipe(
      Argument.withDescription("The session, by id"),
      Argument.optional,
    ),
    all: Flag.Boolean("all").pipe(Flag.withDescription("End all sessions"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ all, session }) {
    if (all === Option.isSome(session))
      return yield* new BadUsage({ message: "Name the session by its id, or give --all to end all." });
    const ask = yield* operator;
    if (Option.isSome(session)) {
      const ended = yield* ask((client) => client.sessions.end(session.value));
      return yield* printOne(ended, ({ id }) => `Ended the session ${id}.`);
    }
    const { ended } = yield* ask((client) => client.sessions.endAll());
    yield* printOne({ ended }, () => `Ended ${counted(ended, "session")}.`);
  }),
).pipe(
  Command.withDescription("End a session of the console, or all: they end immediately"),
  Command.withExamples([
    { command: "waypost console end 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60" },
    { command: "waypost console end --all" },
  ]),
);

/** `waypost console`, which prints an address, and its sessions. */
export const consoleCommand = Command.make(
  "console",
  {},
  Effect.fn(function* () {
    const ask = yield* operator;
    const address = yield* ask((client) => client.console.issueAddress());
    yield* printOne(
      address,
      ({ expires_at: expiresAt, url }) =>
        `Open this address and press "Sign in". It works once, until ${formatInstant(expiresAt)}.\n\n${url}`,
    );
  }),
).pipe(
  Command.withDescription("Print an address that signs you in to the console in a browser, once"),
  Command.withSubcommands([list, end]),
  Command.withExamples([{ command: "waypost console" }, { command: "waypost console list" }]),
  Command.withGlobalFlags(operatorFlags),
);
