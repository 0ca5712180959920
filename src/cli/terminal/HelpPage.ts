/** The page of `--help`. It fits the terminal; in a pipe its lines have any length. */
import { Option } from "effect";
import { CliOutput, type HelpDoc } from "effect/cli";
import type { Paint } from "./Colors.ts";
import { wrapText } from "./WrappedText.ts";

interface Layout {
  /** Width in cells; null for any width. */
  readonly columns: number | null;
  readonly paint: Paint;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

const margin = "  ";
const gap = 2;
const maxNameCells = 30;
const minDescriptionCells = 24;

/** Shows the choices of a flag as its type, and removes them from the end of its description. */
const splitChoices = (type: string, description: string): Omit<Row, "name"> => {
  const [suffix, choices] = / \(choices: (.*)\)$/.exec(description) ?? [];
  return suffix === undefined || choices === undefined
    ? { type, description }
    : { type: choices.replaceAll(", ", "|"), description: description.slice(0, -suffix.length) };
};

const flagRow = (flag: HelpDoc.FlagDoc): Row => {
  const { description, type } = splitChoices(
    flag.type === "boolean" ? "" : flag.type,
    Option.getOrElse(flag.description, () => ""),
  );
  const name = [`--${flag.name}`, ...flag.aliases].join(", ");
  return { name, type, description: flag.required ? `${description} (required)` : description };
};

const argumentRow = ({ description, name, required }: HelpDoc.ArgDoc): Row => ({
  name: `<${name}>`,
  type: "",
  description: `${Option.getOrElse(description, () => "")}${required ? " (required)" : ""}`,
});

/** Names in one column, descriptions in another. A long name has its own line. */
const rowsText = (rows: ReadonlyArray<Row>, { columns, paint }: Layout): string => {
  const widths = rows.map(({ name, type }) => CliOutput.displayWidth(type === "" ? name : `${name} ${type}`));
  const nameColumn = Math.max(...widths.filter((width) => width <= maxNameCells), 8) + gap;
  const indent = margin + " ".repeat(nameColumn);
  const descriptionCells =
    columns === null ? null : Math.max(minDescriptionCells, columns - 1 - indent.length);
  return rows
    .map(({ description, name, type }, index) => {
      const painted = `${margin}${paint.green(name)}${type === "" ? "" : ` ${paint.faint(type)}`}`;
      const [first = "", ...more] = wrapText(description, descriptionCells);
      const width = widths[index] ?? 0;
      const padding = width <= maxNameCells ? " ".repeat(nameColumn - width) : `\n${indent}`;
      return [`${painted}${padding}${first}`, ...more.map((line) => indent + line)].join("\n");
    })
    .join("\n");
};

/** Flags of the program itself. Only the page of the program lists them. */
const programFlags = new Set(["version", "completions"]);

/** The help page of a command. */
export const helpPage = (doc: HelpDoc.HelpDoc, layout: Layout): string => {
  const { columns, paint } = layout;
  const isProgram = (doc.commandPath ?? []).length <= 1;
  const paragraph = (text: string): string =>
    wrapText(text, columns === null ? null : columns - 1 - margin.length)
      .map((line) => margin + line)
      .join("\n");
  const section = (title: string, body: string): ReadonlyArray<string> =>
    body === "" ? [] : [`${paint.bold(title)}\n${body}`];
  const subcommands = (doc.subcommands ?? [])
    .flatMap(({ commands }) => commands)
    .map(({ description, name, shortDescription }) => ({
      name,
      type: "",
      description: shortDescription ?? description,
    }));
  const examples = (doc.examples ?? []).flatMap(({ command, description }) => [
    ...(description === undefined ? [] : [margin + paint.faint(`# ${description}`)]),
    margin + paint.cyan(command),
  ]);
  const globalFlags = (doc.globalFlags ?? []).filter(({ name }) => isProgram || !programFlags.has(name));
  return [
    ...section("DESCRIPTION", paragraph(`${doc.description}.`)),
    ...section("USAGE", margin + paint.cyan(doc.usage)),
    ...section("ARGUMENTS", rowsText((doc.args ?? []).map(argumentRow), layout)),
    ...section("FLAGS", rowsText([...doc.flags, ...(doc.inheritedFlags ?? [])].map(flagRow), layout)),
    ...section("SUBCOMMANDS", rowsText(subcommands, layout)),
    ...section("GLOBAL FLAGS", rowsText(globalFlags.map(flagRow), layout)),
    ...section("EXAMPLES", examples.join("\n")),
  ].join("\n\n");
};
