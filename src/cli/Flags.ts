/** Flags and arguments that many commands share, and the common kinds of them. */
import { Option } from "effect";
import { Argument, type Command, Flag } from "effect/cli";

/** A flag that may be left out, and then is undefined. */
export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined);

/** A text that a command needs. */
export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description));

/** A text that may be left out. */
export const optionalFlag = (name: string, description: string) => optional(textFlag(name, description));

/** One of some words, which may be left out. */
export const choiceFlag = <const Choices extends ReadonlyArray<string>>(
  name: string,
  choices: Choices,
  description: string,
) => optional(Flag.Literals(name, choices).pipe(Flag.withDescription(description)));

/** A text that may be given several times, or not at all. */
export const repeatedFlag = (name: string, description: string) =>
  textFlag(name, `${description}. May be repeated`).pipe(Flag.atLeast(0), Flag.withDefault([]));

/** A switch, which is off if it is left out. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** An argument that a command needs. */
export const textArgument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description));

/** The workspace of a command. */
export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withAlias("w"),
  Flag.withDescription("Workspace, by id or name"),
);

/** The environment of a command. */
export const environmentFlag = Flag.Literals("environment", ["sandbox", "production"]).pipe(
  Flag.withAlias("e"),
  Flag.withDescription("Environment"),
);

const defaultListLimit = 100;

/** The maximum number of listed items. */
export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription(`Maximum number of items, newest first; ${defaultListLimit} if left out`),
  Flag.filter(
    (limit) => limit >= 1,
    () => "The limit must be 1 or more.",
  ),
  Flag.withDefault(defaultListLimit),
);

/** An argument that names an item by id or name. */
export const nameArgument = (noun: string) =>
  Argument.String(noun).pipe(Argument.withDescription(`The ${noun}, by id or name`));

/** The values of some flags alone, such as the filters of a list for its query. */
export const only = <const Flags extends Command.Command.Config>(flags: Flags, values: object) =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => name in flags),
  ) as Command.Command.Config.Infer<Flags>;
