import { Effect } from "effect";
import { Command } from "effect/cli";
import { operator, operatorFlags } from "../Operator.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";

/** `waypost console` */
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
  Command.withExamples([{ command: "waypost console" }]),
  Command.withGlobalFlags(operatorFlags),
);
