import { Effect } from "effect";
import { Command } from "effect/cli";
import { operatorFlags } from "./Operator.ts";

/** An example: a command line, or one with a comment. */
type Example = string | Required<Command.Command.Example>;

/** The texts of the help page of a command. */
export interface Help {
  readonly description: string;
  readonly examples: ReadonlyArray<Example>;
}

const examplesOf = ({ examples }: Help): ReadonlyArray<Command.Command.Example> =>
  examples.map((each) => (typeof each === "string" ? { command: each } : each));

/** Flags and arguments of a command. */
export type FlagSet = Command.Command.Config;

/** The values of flags and arguments. */
export type Values<Flags extends FlagSet> = Command.Command.Config.Infer<Flags>;

/** The steps of a command, as the body of an `Effect.gen`. */
export type Steps<Step> = Generator<Step, void, never>;

/** Declares a command: its help, its flags and arguments, and what it does with their values. */
export const command = <const Flags extends FlagSet, Step extends Effect.Effect<unknown, unknown, unknown>>(
  name: string,
  declared: Help & { readonly flags: Flags; readonly run: (flags: Values<Flags>) => Steps<Step> },
) =>
  Command.make(
    name,
    declared.flags,
    (flags): Effect.Effect<void, Effect.Error<Step>, Effect.Services<Step>> =>
      Effect.gen(() => declared.run(flags)) as never,
  ).pipe(Command.withDescription(declared.description), Command.withExamples(examplesOf(declared)));

/** Declares a command of several on the operator interface, with its global flags. */
export const operatorCommands = <const Commands extends ReadonlyArray<Command.Command.SubcommandEntry>>(
  name: string,
  declared: Help & { readonly commands: Commands },
) =>
  Command.make(name).pipe(
    Command.withDescription(declared.description),
    Command.withExamples(examplesOf(declared)),
    Command.withSubcommands(declared.commands),
    Command.withGlobalFlags(operatorFlags),
  );
