/** `waypost --completions`: the script with which a shell completes commands, flags, choices and files. */
import { Console, Effect, Option } from "effect";
import { Command, Completions, Flag, GlobalFlag } from "effect/cli";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

type AnyCommand = Command.Command.Any;
type AnyFlag = Pick<GlobalFlag.GlobalFlag<unknown>, "flag">;

/** Global flags that a command declares for its subcommands too. Effect's own scripts leave them out. */
const globalFlagsOf = (command: AnyCommand): ReadonlyArray<AnyFlag> =>
  "globalFlags" in command && Array.isArray(command.globalFlags)
    ? (command.globalFlags as ReadonlyArray<AnyFlag>).filter((each) => each !== completionsFlag)
    : [];

/** A flag without its `--no-…` form, which would only clutter the list. */
const withoutNegation = (flag: Completions.FlagDescriptor): Completions.FlagDescriptor => ({
  ...flag,
  negation: false,
});

const describeFlags = (flags: ReadonlyArray<AnyFlag>) =>
  Completions.fromCommand(
    Command.make("flags", Object.fromEntries(flags.map(({ flag }, index) => [String(index), flag]))),
  ).flags.map(withoutNegation);

/** Adds the global flags of parent commands, and marks arguments called `file` as paths. */
const complete = (
  command: AnyCommand,
  descriptor: Completions.CommandDescriptor,
  inherited: ReadonlyArray<AnyFlag>,
): Completions.CommandDescriptor => {
  const globals = [...inherited, ...globalFlagsOf(command)];
  const subcommands = new Map(
    command.subcommands.flatMap(({ commands }) => commands).map((each) => [each.name, each] as const),
  );
  return {
    ...descriptor,
    flags: [...descriptor.flags.map(withoutNegation), ...describeFlags(globals)],
    arguments: descriptor.arguments.map((argument) =>
      argument.name === "file" ? { ...argument, type: { _tag: "Path", pathType: "file" } } : argument,
    ),
    subcommands: descriptor.subcommands.map((each) => {
      const subcommand = subcommands.get(each.name);
      return subcommand === undefined ? each : complete(subcommand, each, globals);
    }),
  };
};

/** The script of a shell. Flags of the program itself are completed at the top level only. */
const script = (shell: Shell, command: AnyCommand): string => {
  const root = complete(command, Completions.fromCommand(command), [GlobalFlag.Help]);
  const flags = [...root.flags, ...describeFlags([GlobalFlag.Version, completionsFlag])];
  return Completions.generate(command.name, shell, { ...root, flags });
};

/** The flag `--completions`. */
export const completionsFlag: GlobalFlag.Action<Option.Option<Shell>> = GlobalFlag.Action({
  flag: Flag.Literals("completions", shells).pipe(
    Flag.withDescription("Print the completion script of a shell"),
    Flag.optional,
  ),
  run: (shell, { command }) =>
    Option.isNone(shell) ? Effect.void : Console.log(script(shell.value, command)),
});
