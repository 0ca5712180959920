/** What is wrong with how a command was written, in sentences that say what would be right. */
import { Option } from "effect";
import type { CliError, HelpDoc } from "effect/cli";
import { nearest } from "./NearestName.ts";

const flagsOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.FlagDoc> => [
  ...doc.flags,
  ...(doc.inheritedFlags ?? []),
  ...(doc.globalFlags ?? []),
];

const orList = (items: ReadonlyArray<string>): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;

/** A description as the rest of a sentence that began with a name. */
const meaning = (description: Option.Option<string>): string => {
  const [text = "", choices] = Option.getOrElse(description, () => "").split(/ \(choices: (.*)\)$/);
  if (text === "") return "";
  // A capital of a name, such as in GeoJSON, stays.
  const small =
    /^[A-Z][a-z ]/.test(text) && !/^\S+[A-Z]/.test(text) ? text.charAt(0).toLowerCase() : text.charAt(0);
  const values = choices === undefined ? "" : `, ${orList(choices.split(", "))}`;
  return `: ${small}${text.slice(1)}${values}`;
};

const kinds: Readonly<Record<string, string>> = {
  integer: "a whole number",
  file: "a file",
  "key=value": "such as key=value",
};

const isThere = ({ aliases, name }: HelpDoc.FlagDoc, given: ReadonlyArray<string>): boolean =>
  [`--${name}`, ...aliases].some((each) =>
    given.some((word) => word === each || word.startsWith(`${each}=`)),
  );

const missingFlags = (doc: HelpDoc.HelpDoc, given: ReadonlyArray<string>): ReadonlyArray<string> =>
  doc.flags
    .filter((flag) => flag.required && !isThere(flag, given))
    .map(({ description, name }) => `--${name} is missing${meaning(description)}.`);

const invalidValue = (error: CliError.InvalidValue, doc: HelpDoc.HelpDoc): string => {
  const name = error.kind === "flag" ? `--${error.option}` : `<${error.option}>`;
  const type = flagsOf(doc).find((flag) => flag.name === error.option)?.type ?? "";
  const quoted = [...error.expected.matchAll(/"([^"]*)"/g)].map(([, choice]) => choice ?? "");
  const choices = /^(Expected:? )?("[^"]*"( \| )?)+$/.test(error.expected) ? quoted : [];
  const right = choices.length > 0 ? orList(choices) : kinds[type];
  if (error.value === "") return `${name} needs a value${right === undefined ? "" : `: ${right}`}.`;
  const meant = nearest(error.value, choices);
  const hint = meant.length === 0 ? "" : ` Did you mean ${orList(meant)}?`;
  if (right !== undefined && !error.expected.endsWith("."))
    return `${name} must be ${right}; it is "${error.value}".${hint}`;
  return `${name} cannot be "${error.value}". ${error.expected}`;
};

const problem = (
  error: CliError.NonShowHelpErrors,
  doc: HelpDoc.HelpDoc,
  path: string,
): ReadonlyArray<string> => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const names = flagsOf(doc).flatMap(({ aliases, name }) => [`--${name}`, ...aliases]);
      const meant = nearest(error.option, names);
      const hint = meant.length === 0 ? "" : ` Did you mean ${orList(meant)}?`;
      return [`${path} has no flag ${error.option}.${hint}`];
    }
    case "UnknownSubcommand": {
      const names = (doc.subcommands ?? []).flatMap(({ commands }) => commands).map(({ name }) => name);
      const meant = nearest(error.subcommand, names);
      const hint = meant.length > 0 ? `Did you mean ${orList(meant)}?` : `There are ${names.join(", ")}.`;
      return [`${path} has no command "${error.subcommand}". ${hint}`];
    }
    case "MissingArgument": {
      const argument = (doc.args ?? []).find(({ name }) => name === error.argument);
      return [`<${error.argument}> is missing${meaning(argument?.description ?? Option.none())}.`];
    }
    case "UnexpectedArgument": {
      const most = (doc.args ?? []).length;
      const takes = most === 0 ? "no argument" : `one argument, <${doc.args?.[0]?.name}>`;
      const words = error.arguments.map((word) => JSON.stringify(word)).join(" ");
      return [`${path} takes ${takes}: ${words} is too much. A value with blanks in it goes in quotes.`];
    }
    case "InvalidValue":
      return [invalidValue(error, doc)];
    default:
      return [error.message];
  }
};

/** A line for each thing that is wrong, all flags that are missing included. */
export const usageTrouble = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  doc: HelpDoc.HelpDoc,
  path: ReadonlyArray<string>,
  given: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  ...errors
    .filter((error) => error._tag !== "MissingOption")
    .flatMap((error) => problem(error, doc, path.join(" "))),
  ...(errors.some(({ _tag }) => _tag === "MissingOption" || _tag === "MissingArgument")
    ? missingFlags(doc, given)
    : []),
];
