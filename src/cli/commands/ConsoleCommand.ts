import { Command } from "effect/cli";
import { command } from "../DeclaredCommand.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";

/** `waypost console` */
export const consoleCommand = command("console", {
  description: "Print an address that signs you in to the console in a browser, once",
  examples: ["waypost console"],
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
}).pipe(Command.withGlobalFlags(operatorFlags));
