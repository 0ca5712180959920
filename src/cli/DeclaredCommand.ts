import { Effect } from "effect";
import { Command } from "effect/cli";
import { operatorFlags } from "./Operator.ts";

/** An example: a command line, or one with a comment. */
type Example = string | Required<Command.Command.Example>;

/** The texts of the help page of a command. */
interface Help {
  readonly description: string;
  readonly examples: ReadonlyArray<Example>;
}

const examplesOf = ({ examples }: Help): ReadonlyArray<Command.Command.Example> =>
  examples.map((each) => (typeof each === "string" ? { command: each } : each));

/** Declares a command: its help, its flags and arguments, and what it does with their values. */
export const command = <
  Name extends string,
  const Flags extends Command.Command.Config,
  Step extends Effect.Effect<unknown, unknown, unknown>,
>(
  name: Name,
  declared: Help & {
    readonly flags: Flags;
    readonly run: (flags: Command.Command.Config.Infer<Flags>) => Generator<Step, void, never>;
  },
) =>
  Command.make(
    name,
    declared.flags,
    (flags): Effect.Effect<void, Effect.Error<Step>, Effect.Services<Step>> =>
      Effect.gen(() => declared.run(flags)) as never,
  ).pipe(Command.withDescription(declared.description), Command.withExamples(examplesOf(declared)));

/** Declares a command of several on the operator interface, with its global flags. */
export const operatorCommands = <
  Name extends string,
  const Commands extends ReadonlyArray<Command.Command.SubcommandEntry>,
>(
  name: Name,
  declared: Help & { readonly commands: Commands },
) =>
  Command.make(name).pipe(
    Command.withDescription(declared.description),
    Command.withExamples(examplesOf(declared)),
    Command.withSubcommands(declared.commands),
    Command.withGlobalFlags(operatorFlags),
  );
