/** `waypost --completions`: the script by which a shell completes commands, flags, choices and files. */
import { Console, Effect, Option } from "effect";
import { Command, Completions, Flag, GlobalFlag } from "effect/cli";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

type Any = Command.Command.Any;
type Taken = Pick<GlobalFlag.GlobalFlag<unknown>, "flag">;

/** Flags that a command takes for itself and all below it. Effect keeps them, and leaves them out of its own scripts. */
const declaredBy = (command: Any): ReadonlyArray<Taken> =>
  "globalFlags" in command && Array.isArray(command.globalFlags)
    ? (command.globalFlags as ReadonlyArray<Taken>).filter((each) => each !== completionsFlag)
    : [];

/** That a flag can be taken back by --no-… is true, and would only stand in the way. */
const plain = (flag: Completions.FlagDescriptor): Completions.FlagDescriptor => ({
  ...flag,
  negation: false,
});

const described = (flags: ReadonlyArray<Taken>) =>
  Completions.fromCommand(
    Command.make("flags", Object.fromEntries(flags.map(({ flag }, at) => [String(at), flag]))),
  ).flags.map(plain);

/** Adds the flags of the commands above, and says of arguments called `file` that they are files. */
const complete = (
  command: Any,
  descriptor: Completions.CommandDescriptor,
  above: ReadonlyArray<Taken>,
): Completions.CommandDescriptor => {
  const globals = [...above, ...declaredBy(command)];
  const below = new Map(
    command.subcommands.flatMap(({ commands }) => commands).map((each) => [each.name, each] as const),
  );
  return {
    ...descriptor,
    flags: [...descriptor.flags.map(plain), ...described(globals)],
    arguments: descriptor.arguments.map((argument) =>
      argument.name === "file" ? { ...argument, type: { _tag: "Path", pathType: "file" } } : argument,
    ),
    subcommands: descriptor.subcommands.map((each) => {
      const found = below.get(each.name);
      return found === undefined ? each : complete(found, each, globals);
    }),
  };
};

/** The script for a shell; flags of the program alone are offered with no command. */
const script = (shell: Shell, command: Any): string => {
  const all = complete(command, Completions.fromCommand(command), [GlobalFlag.Help]);
  const flags = [...all.flags, ...described([GlobalFlag.Version, completionsFlag])];
  return Completions.generate(command.name, shell, { ...all, flags });
};

/** The flag `--completions`. */
export const completionsFlag: GlobalFlag.Action<Option.Option<Shell>> = GlobalFlag.Action({
  flag: Flag.Literals("completions", shells).pipe(
    Flag.withDescription("Print the script that completes commands in this shell"),
    Flag.optional,
  ),
  run: (shell, { command }) =>
    Option.isNone(shell) ? Effect.void : Console.log(script(shell.value, command)),
});
