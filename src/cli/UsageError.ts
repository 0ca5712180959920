/** Sentences for invalid usage of commands: what is wrong, and what is right. */
import { Option } from "effect";
import type { CliError, HelpDoc } from "effect/cli";
import { nearestNames, orList } from "../config/NearestName.ts";

const flagsOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.FlagDoc> => [
  ...doc.flags,
  ...(doc.inheritedFlags ?? []),
  ...(doc.globalFlags ?? []),
];

/** A description as the end of a sentence. It loses its capital, unless it is a name such as GeoJSON. */
const meaning = (description: Option.Option<string>): string => {
  const [text = "", choices] = Option.getOrElse(description, () => "").split(/ \(choices: (.*)\)$/);
  if (text === "") return "";
  const isOrdinaryWord = /^[A-Z][a-z ,]/.test(text) && !/^\S+[A-Z]/.test(text);
  const first = isOrdinaryWord ? text.charAt(0).toLowerCase() : text.charAt(0);
  const values = choices === undefined ? "" : `, ${orList(choices.split(", "))}`;
  return `: ${first}${text.slice(1)}${values}`;
};

/** The rule for a value of each type of flag. */
const typeNames: Readonly<Record<string, string>> = {
  integer: "a whole number",
  file: "a file",
  "key=value": "such as key=value",
};

const isGiven = ({ aliases, name }: HelpDoc.FlagDoc, parameters: ReadonlyArray<string>): boolean =>
  [`--${name}`, ...aliases].some((flag) =>
    parameters.some((parameter) => parameter === flag || parameter.startsWith(`${flag}=`)),
  );

const missingFlags = (doc: HelpDoc.HelpDoc, parameters: ReadonlyArray<string>): ReadonlyArray<string> =>
  doc.flags
    .filter((flag) => flag.required && !isGiven(flag, parameters))
    .map(({ description, name }) => `--${name} is missing${meaning(description)}.`);

const suggestion = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Did you mean ${orList(names)}?`;

const commandNames = (names: ReadonlyArray<string>): string =>
  names.length === 1
    ? ` Its only command is ${names.join()}.`
    : ` Its commands are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}.`;

const invalidValue = (error: CliError.InvalidValue, doc: HelpDoc.HelpDoc): string => {
  const name = error.kind === "flag" ? `--${error.option}` : `<${error.option}>`;
  const type = flagsOf(doc).find((flag) => flag.name === error.option)?.type ?? "";
  const isChoice = /^(Expected:? )?("[^"]*"( \| )?)+$/.test(error.expected);
  const choices = isChoice ? [...error.expected.matchAll(/"([^"]*)"/g)].map(([, choice = ""]) => choice) : [];
  const expected = choices.length > 0 ? orList(choices) : typeNames[type];
  if (error.value === "") return `${name} needs a value${expected === undefined ? "" : `: ${expected}`}.`;
  if (expected !== undefined && !error.expected.endsWith("."))
    return (
      `${name} must be ${expected}; it is "${error.value}".` + suggestion(nearestNames(error.value, choices))
    );
  return `${name} cannot be "${error.value}". ${error.expected}`;
};

const sentence = (error: CliError.NonShowHelpErrors, doc: HelpDoc.HelpDoc, path: string): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const names = flagsOf(doc).flatMap(({ aliases, name }) => [`--${name}`, ...aliases]);
      return `${path} has no flag ${error.option}.${suggestion(nearestNames(error.option, names))}`;
    }
    case "UnknownSubcommand": {
      const names = (doc.subcommands ?? []).flatMap(({ commands }) => commands).map(({ name }) => name);
      const hint = suggestion(nearestNames(error.subcommand, names)) || commandNames(names);
      return `${path} has no command "${error.subcommand}".${hint}`;
    }
    case "MissingArgument": {
      const argument = (doc.args ?? []).find(({ name }) => name === error.argument);
      return `<${error.argument}> is missing${meaning(argument?.description ?? Option.none())}.`;
    }
    case "UnexpectedArgument": {
      const [first] = doc.args ?? [];
      const accepted = first === undefined ? "no argument" : `one argument, <${first.name}>`;
      const extra = error.arguments.map((word) => JSON.stringify(word)).join(" ");
      return `${path} takes ${accepted}; remove ${extra}, or put a value with spaces in quotes.`;
    }
    case "InvalidValue":
      return invalidValue(error, doc);
    default:
      return error.message;
  }
};

/** One line for each problem, including every missing flag. */
export const usageProblems = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  doc: HelpDoc.HelpDoc,
  path: ReadonlyArray<string>,
  parameters: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  ...errors
    .filter((error) => error._tag !== "MissingOption")
    .map((error) => sentence(error, doc, path.join(" "))),
  ...(errors.some(({ _tag }) => _tag === "MissingOption" || _tag === "MissingArgument")
    ? missingFlags(doc, parameters)
    : []),
];
