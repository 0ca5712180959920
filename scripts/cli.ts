/**
 * Generates docs/cli.md from the commands. With `--check` it writes nothing, and fails if the page is out of
 * date. It also fails if a command has no example, or has an example that the command line refuses.
 */
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Console, Effect, Option } from "effect";
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli";
import { FetchHttpClient } from "effect/http";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { format } from "prettier";
import { waypost } from "../src/cli/Cli.ts";
import { CliEnvironment } from "../src/cli/CliEnvironment.ts";
import { wrapText } from "../src/cli/terminal/WrappedText.ts";
import { usageProblems } from "../src/cli/UsageError.ts";

const pageColumns = 110;
const isCheck = process.argv.includes("--check");
const page = new URL("../docs/cli.md", import.meta.url);

const help = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
  const docs: Array<HelpDoc.HelpDoc> = [];
  yield* Command.runWith(waypost, { version: "" })([...path, "--help"]).pipe(
    Effect.provideService(CliOutput.Presenter, {
      present: (event) => Effect.sync(() => event._tag === "Help" && docs.push(event.helpDoc)),
    }),
  );
  const [doc] = docs;
  if (doc === undefined) throw new Error(`waypost ${path.join(" ")} --help prints nothing`);
  return doc;
});

interface Documented {
  readonly path: ReadonlyArray<string>;
  readonly doc: HelpDoc.HelpDoc;
}

/** A command and all its subcommands, in depth-first order. */
const commandTree = (
  path: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<Documented>, unknown, Effect.Services<ReturnType<typeof help>>> =>
  Effect.gen(function* () {
    const doc = yield* help(path);
    const subcommands = (doc.subcommands ?? []).flatMap(({ commands }) => commands);
    const rest = yield* Effect.forEach(subcommands, ({ name }) => commandTree([...path, name]));
    return [{ path, doc }, ...rest.flat()];
  });

/** Runs an effect in the environment of a command. */
const run = <A>(effect: Effect.Effect<A, unknown, Effect.Services<ReturnType<typeof help>>>): Promise<A> =>
  Effect.runPromise(
    effect.pipe(
      Effect.provideService(CliEnvironment, {
        environment: {},
        columns: null,
        terminal: null,
        colors: { stdout: false, stderr: false },
      }),
      Effect.provideService(
        CliConfig.CliConfig,
        CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
      ),
      Effect.provide([FetchHttpClient.layer, NodeServices.layer]),
    ),
  );

const all = await run(commandTree([]));

const isGroup = ({ doc }: Documented): boolean => (doc.subcommands ?? []).length > 0;
/** Whether a command with subcommands also does something by itself, as one of its examples shows. */
const doesItself = ({ doc, path }: Documented): boolean =>
  (doc.examples ?? []).some(({ command }) => command === ["waypost", ...path].join(" "));
const escaped = (text: string): string => text.replaceAll("|", "\\|");
const described = (text: Option.Option<string>): string => escaped(Option.getOrElse(text, () => ""));

const flagNames = ({ aliases, name, type }: HelpDoc.FlagDoc): string =>
  [`--${name}`, ...aliases].map((each) => `\`${each}\``).join(", ") +
  (type === "boolean" ? "" : ` ${escaped(type)}`);

const rows = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => [
  ...(doc.args ?? []).map(
    ({ description, name, required }) =>
      `| \`${name}\`${required ? "" : ", optional"} | ${described(description)} |`,
  ),
  ...doc.flags.map(
    (flag) => `| ${flagNames(flag)}${flag.required ? ", required" : ""} | ${described(flag.description)} |`,
  ),
];

const paragraph = ({ description }: HelpDoc.HelpDoc): string =>
  wrapText(`${description}.`, pageColumns).join("\n");

const section = (command: Documented): string => {
  const { doc, path } = command;
  if (isGroup(command) && !doesItself(command)) return `## ${path.join(" ")}\n\n${paragraph(doc)}\n`;
  const heading = path.length === 1 ? "##" : "###";
  const examples = (doc.examples ?? []).flatMap(({ command: line, description }) =>
    description === undefined ? [line] : [`# ${description}`, line],
  );
  const table = rows(doc);
  return [
    `${heading} ${path.join(" ")}`,
    paragraph(doc),
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
    ...(table.length === 0 ? [] : [`| | |\n| --- | --- |\n${table.join("\n")}`]),
  ].join("\n\n");
};

const globals = (): string => {
  const programFlags = new Set((all[0]?.doc.globalFlags ?? []).map(({ name }) => name));
  const withServer = all.find(({ path }) => path.join(" ") === "workspace list")?.doc.globalFlags ?? [];
  const flags = withServer.filter(({ name }) => !programFlags.has(name));
  const lines = flags.map((flag) => `| ${flagNames(flag)} | ${described(flag.description)} |`);
  return `| | |\n| --- | --- |\n${lines.join("\n")}`;
};

const text = await format(
  `# The command line

\`npm run cli\` generates this page from the commands; \`waypost … --help\` prints the same. In a clone, run
\`npx waypost …\`. With the executable, run \`waypost …\`.

Commands that use a server find the one that runs on this machine by its data directory. To use another
server, give \`--url\` and \`--key\`, or set \`WAYPOST_URL\` and \`WAYPOST_OPERATOR_KEY\`. The result goes to
stdout, everything else to stderr. Colours, progress bars and fitted tables are for terminals only.

| exit code | |
| --- | --- |
| 0 | done |
| 1 | refused, or not possible now: stderr says why, and what to do |
| 2 | invalid usage: stderr says what is right |
| 130 | interrupted by Ctrl-C |

\`NO_COLOR=1\` turns colours off, and \`FORCE_COLOR=1\` turns them on for pipes too.
\`waypost help location import\` is the same as \`waypost location import --help\`.

One of these makes the Tab key complete commands, flags, choices and files:

| shell | |
| --- | --- |
| bash | \`source <(waypost --completions bash)\`, in \`~/.bashrc\` |
| zsh | \`source <(waypost --completions zsh)\`, in \`~/.zshrc\` after \`compinit\` |
| fish | \`waypost --completions fish > ~/.config/fish/completions/waypost.fish\` |

Every command that uses a server takes these flags:

${globals()}

${all
  .filter(({ path }) => path.length > 0)
  .map(section)
  .join("\n\n")}
`,
  { parser: "markdown", printWidth: 110 },
);

/** The same commands with handlers that do nothing. */
const withoutHandlers = (
  command: Command.Command.Any,
  path: ReadonlyArray<string> = [],
): Command.Command.Any => {
  const below = command.subcommands.flatMap(({ commands }) => commands);
  const globals =
    "globalFlags" in command ? (command.globalFlags as ReadonlyArray<typeof GlobalFlag.Help>) : [];
  if (below.length === 0)
    return Command.withHandler(command as Command.Command<string, never>, () => Effect.void);
  const isUseful = all.some((each) => each.path.join(" ") === path.join(" ") && doesItself(each));
  const made = isUseful ? Command.make(command.name, {}, () => Effect.void) : Command.make(command.name);
  return made.pipe(
    Command.withSubcommands(below.map((each) => withoutHandlers(each, [...path, each.name]))),
    Command.withGlobalFlags(globals),
  );
};
const parserOnly = withoutHandlers(waypost) as typeof waypost;

/** The words of an example after `waypost`, as a shell splits them; null if it does not call waypost. */
const wordsOf = (example: string): ReadonlyArray<string> | null => {
  const line = /^(?:[A-Z_]+=\S+ |source <\()?waypost (.*?)(?: > \S+|\))?$/.exec(
    example.replaceAll(/\$\([^)]*\)/g, "x"),
  )?.[1];
  if (line === undefined) return null;
  return (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
};

/** Why the command line refuses an example; null if it does not. */
const refusalOf = (example: string) =>
  Effect.gen(function* () {
    const words = wordsOf(example);
    if (words === null) return "does not call waypost.";
    const problems: Array<string> = [];
    const exit = yield* Effect.exit(
      Command.runWith(parserOnly, { version: "" })(words).pipe(
        Effect.provideService(CliOutput.Presenter, {
          present: (event) =>
            Effect.sync(() => {
              if (event._tag !== "InvalidInvocation") return;
              problems.push(...usageProblems(event.errors, event.helpDoc, event.commandPath, words));
            }),
        }),
        Effect.provideService(Console.Console, { ...console, log: () => undefined }),
      ),
    );
    if (exit._tag === "Success") return null;
    return `is refused: ${problems.join(" ") || "it names no command."}`;
  });

const findings: Array<string> = [];
for (const { doc, path } of all) {
  const examples = doc.examples ?? [];
  const name = ["waypost", ...path].join(" ");
  if (examples.length === 0) findings.push(`${name} has no example.`);
  for (const { command } of examples) {
    const why = await run(refusalOf(command));
    if (why !== null) findings.push(`${name}: the example "${command}" ${why}`);
  }
}
const isWritten = (() => {
  try {
    return readFileSync(page, "utf8") === text;
  } catch {
    return false;
  }
})();
if (!isCheck && !isWritten) writeFileSync(page, text);
if (isCheck && !isWritten) findings.push("docs/cli.md is out of date: run npm run cli, and commit it.");

for (const line of findings) console.error(line);
if (findings.length > 0) process.exitCode = 1;
else console.log(isWritten ? "docs/cli.md is up to date." : "Wrote docs/cli.md.");
