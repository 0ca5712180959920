import { Console, Deferred, Effect, Fiber } from "effect";
import { join } from "node:path";
import process from "node:process";
import { demo } from "../../src/demo/Demo.ts";

const launcher = join(import.meta.dirname, "../../bin/waypost.js");

/** Starts the demo, with the program of this source if no other command is given. */
export const startDemo = (command: ReadonlyArray<string> = [process.execPath, launcher]) =>
  Effect.gen(function* () {
    const lines: Array<string> = [];
    const printed = yield* Deferred.make<string>();
    const log = (line: string): void => {
      lines.push(line);
      const address = /http:\S+\/console\/sign-in#\S+/.exec(line)?.[0];
      if (address !== undefined) Deferred.doneUnsafe(printed, Effect.succeed(address));
    };
    const running = Effect.provideService(demo({ command }), Console.Console, { ...globalThis.console, log });
    const fiber = yield* Effect.forkChild(running);
    // A demo that fails prints no address.
    const ended = Effect.map(Fiber.await(fiber), String);
    return {
      fiber,
      /** The address of the console, which the demo prints at its end. */
      consoleAddress: Effect.raceFirst(Deferred.await(printed), ended),
      /** Everything printed so far. */
      text: () => lines.join("\n"),
    };
  });
