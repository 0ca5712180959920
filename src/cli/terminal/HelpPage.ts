/** What `--help` prints: as wide as the terminal, and in a pipe as it comes. */
import { Option } from "effect";
import { CliOutput, type HelpDoc } from "effect/cli";
import type { Paint } from "./Colors.ts";
import { wrapped } from "./WrappedText.ts";

interface Look {
  /** Cells in a line; null for as many as it takes. */
  readonly columns: number | null;
  readonly paint: Paint;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

const margin = "  ";
const gap = 2;
const widestName = 30;
/** Descriptions have at least so much, however narrow the terminal. */
const leastRoom = 24;

/** Choices are shown where the value goes, so not once more behind the description. */
const withChoices = (type: string, description: string): Omit<Row, "name"> => {
  const [suffix, choices] = / \(choices: (.*)\)$/.exec(description) ?? [];
  return suffix === undefined || choices === undefined
    ? { type, about: description }
    : { type: choices.replaceAll(", ", "|"), about: description.slice(0, -suffix.length) };
};

const flagRow = ({ aliases, description, name, required, type }: HelpDoc.FlagDoc): Row => {
  const { about, type: value } = withChoices(
    type === "boolean" ? "" : type,
    Option.getOrElse(description, () => ""),
  );
  const names = [`--${name}`, ...aliases].join(", ");
  return { name: names, type: value, about: required ? `${about} (required)` : about };
};

const argumentRow = ({ description, name, required }: HelpDoc.ArgDoc): Row => ({
  name: `<${name}>`,
  type: "",
  about: `${Option.getOrElse(description, () => "")}${required ? " (required)" : ""}`,
});

/** Names in one column, what they mean in another; a long name has a line of its own. */
const rowsText = (rows: ReadonlyArray<Row>, { columns, paint }: Look): string => {
  const nameOf = ({ name, type }: Row): string => (type === "" ? name : `${name} ${type}`);
  const widths = rows.map((row) => CliOutput.displayWidth(nameOf(row)));
  const column = Math.max(...widths.filter((each) => each <= widestName), 8) + gap;
  const indent = margin + " ".repeat(column);
  const room = columns === null ? null : Math.max(leastRoom, columns - 1 - indent.length);
  return rows
    .map((row, at) => {
      const painted = `${margin}${paint.green(row.name)}${row.type === "" ? "" : ` ${paint.faint(row.type)}`}`;
      const [first = "", ...more] = wrapped(row.about, room);
      const width = widths[at] ?? 0;
      const blanks = width <= widestName ? " ".repeat(column - width) : `\n${indent}`;
      return [`${painted}${blanks}${first}`, ...more.map((line) => indent + line)].join("\n");
    })
    .join("\n");
};

/** Flags of the whole program, said once: with the program. */
const ofProgram = new Set(["version", "completions"]);

/** The help of a command as text. */
export const helpPage = (doc: HelpDoc.HelpDoc, look: Look): string => {
  const { columns, paint } = look;
  const isProgram = (doc.commandPath ?? []).length <= 1;
  const lines = (text: string): string =>
    wrapped(text, columns === null ? null : columns - 1 - margin.length)
      .map((line) => margin + line)
      .join("\n");
  const section = (title: string, body: string): ReadonlyArray<string> =>
    body === "" ? [] : [`${paint.bold(title)}\n${body}`];
  const commands = (doc.subcommands ?? []).flatMap((group) => group.commands);
  const examples = (doc.examples ?? []).flatMap(({ command, description }) => [
    ...(description === undefined ? [] : [margin + paint.faint(`# ${description}`)]),
    margin + paint.cyan(command),
  ]);
  const globals = (doc.globalFlags ?? []).filter(({ name }) => isProgram || !ofProgram.has(name));
  return [
    ...section("DESCRIPTION", lines(`${doc.description}.`)),
    ...section("USAGE", margin + paint.cyan(doc.usage)),
    ...section("ARGUMENTS", rowsText((doc.args ?? []).map(argumentRow), look)),
    ...section("FLAGS", rowsText([...doc.flags, ...(doc.inheritedFlags ?? [])].map(flagRow), look)),
    ...section(
      "SUBCOMMANDS",
      rowsText(
        commands.map(({ description, name, shortDescription }) => ({
          name,
          type: "",
          about: shortDescription ?? description,
        })),
        look,
      ),
    ),
    ...section("GLOBAL FLAGS", rowsText(globals.map(flagRow), look)),
    ...section("EXAMPLES", examples.join("\n")),
  ].join("\n\n");
};
