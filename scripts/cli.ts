/**
 * Writes docs/cli.md from the commands themselves. With `--check` it writes nothing and fails when the page
 * is not what they say. Either way it fails when a command has no example, or one that the program does not
 * take.
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
import { usageProblems } from "../src/cli/UsageError.ts";

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
  if (doc === undefined) throw new Error(`waypost ${path.join(" ")} --help says nothing`);
  return doc;
});

interface Documented {
  readonly path: ReadonlyArray<string>;
  readonly doc: HelpDoc.HelpDoc;
}

/** A command and all below it, each after the one that it belongs to. */
const tree = (
  path: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<Documented>, unknown, Effect.Services<ReturnType<typeof help>>> =>
  Effect.gen(function* () {
    const doc = yield* help(path);
    const below = (doc.subcommands ?? []).flatMap(({ commands }) => commands);
    const rest = yield* Effect.forEach(below, ({ name }) => tree([...path, name]));
    return [{ path, doc }, ...rest.flat()];
  });

/** Where the commands are given. */
const given = <A>(effect: Effect.Effect<A, unknown, Effect.Services<ReturnType<typeof help>>>): Promise<A> =>
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

const all = await given(tree([]));

const isGroup = ({ doc }: Documented): boolean => (doc.subcommands ?? []).length > 0;
const escaped = (text: string): string => text.replaceAll("|", "\\|");
const described = (text: Option.Option<string>): string => escaped(Option.getOrElse(text, () => ""));

const flagNames = ({ aliases, name, type }: HelpDoc.FlagDoc): string =>
  [`--${name}`, ...aliases].map((each) => `\`${each}\``).join(", ") +
  (type === "boolean" ? "" : ` ${escaped(type)}`);

const rows = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => [
  ...(doc.args ?? []).map(
    ({ description, name, required }) =>
      `| \`${name}\`${required ? "" : ", may be left out"} | ${described(description)} |`,
  ),
  ...doc.flags.map(
    (flag) => `| ${flagNames(flag)}${flag.required ? ", required" : ""} | ${described(flag.description)} |`,
  ),
];

const section = (command: Documented): string => {
  const { doc, path } = command;
  if (isGroup(command)) return `## ${path.join(" ")}\n\n${doc.description}.\n`;
  const heading = path.length === 1 ? "##" : "###";
  const examples = (doc.examples ?? []).flatMap(({ command: line, description }) =>
    description === undefined ? [line] : [`# ${description}`, line],
  );
  const table = rows(doc);
  return [
    `${heading} ${path.join(" ")}`,
    `${doc.description}.`,
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
    ...(table.length === 0 ? [] : [`| | |\n| --- | --- |\n${table.join("\n")}`]),
  ].join("\n\n");
};

const globals = (): string => {
  const ofAll = new Set((all[0]?.doc.globalFlags ?? []).map(({ name }) => name));
  const asking = all.find(({ path }) => path.join(" ") === "workspace list")?.doc.globalFlags ?? [];
  const flags = asking.filter(({ name }) => !ofAll.has(name));
  return `| | |\n| --- | --- |\n${flags.map((flag) => `| ${flagNames(flag)} | ${described(flag.description)} |`).join("\n")}`;
};

const text = await format(
  `# The command line

Written by \`npm run cli\` from the commands themselves; \`waypost … --help\` says the same. In a clone it is \`npx waypost …\`, from the
executable \`waypost …\`.

Commands that ask a server find the one that runs on this machine by its data directory; another is named by \`--url\` and \`--key\`, or by
\`WAYPOST_URL\` and \`WAYPOST_OPERATOR_KEY\`. What was asked for goes to stdout, everything else to stderr. Colours, progress and the width of tables
are for terminals: a pipe gets neither.

| exit code | |
| --- | --- |
| 0 | done |
| 1 | refused, or not possible now: stderr says why, and what would be right |
| 2 | not written as a command is: stderr names what was wrong |
| 130 | stopped by Ctrl-C |

\`NO_COLOR=1\` takes the colours away and \`FORCE_COLOR=1\` gives them to a pipe. \`waypost help location import\` is
\`waypost location import --help\`.

The Tab key completes commands, flags, choices and files after one of these:

| shell | |
| --- | --- |
| bash | \`source <(waypost --completions bash)\`, in \`~/.bashrc\` |
| zsh | \`source <(waypost --completions zsh)\`, in \`~/.zshrc\` after \`compinit\` |
| fish | \`waypost --completions fish > ~/.config/fish/completions/waypost.fish\` |

These flags go with every command that asks a server:

${globals()}

${all
  .filter(({ path }) => path.length > 0)
  .map(section)
  .join("\n\n")}
`,
  { parser: "markdown", printWidth: 110 },
);

/** The same commands, doing nothing. */
const idle = (command: Command.Command.Any): Command.Command.Any => {
  const below = command.subcommands.flatMap(({ commands }) => commands);
  const globals =
    "globalFlags" in command ? (command.globalFlags as ReadonlyArray<typeof GlobalFlag.Help>) : [];
  return below.length === 0
    ? Command.withHandler(command as Command.Command<string, never>, () => Effect.void)
    : Command.make(command.name).pipe(
        Command.withSubcommands(below.map(idle)),
        Command.withGlobalFlags(globals),
      );
};
const idleWaypost = idle(waypost) as typeof waypost;

/** The words of an example after `waypost`, as a shell splits them; null where that is not what it calls. */
const wordsOf = (example: string): ReadonlyArray<string> | null => {
  const line = /^(?:[A-Z_]+=\S+ |source <\()?waypost (.*?)(?: > \S+|\))?$/.exec(
    example.replaceAll(/\$\([^)]*\)/g, "x"),
  )?.[1];
  if (line === undefined) return null;
  return (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
};

/** Why an example is not taken, or null. */
const refusal = (example: string) =>
  Effect.gen(function* () {
    const words = wordsOf(example);
    if (words === null) return "calls no waypost";
    const troubles: Array<string> = [];
    const exit = yield* Effect.exit(
      Command.runWith(idleWaypost, { version: "" })(words).pipe(
        Effect.provideService(CliOutput.Presenter, {
          present: (event) =>
            Effect.sync(() => {
              if (event._tag !== "InvalidInvocation") return;
              troubles.push(...usageProblems(event.errors, event.helpDoc, event.commandPath, words));
            }),
        }),
        Effect.provideService(Console.Console, { ...console, log: () => undefined }),
      ),
    );
    if (exit._tag === "Success") return null;
    return `is not taken: ${troubles.join(" ") || "it names no command"}`;
  });

const wrong: Array<string> = [];
for (const { doc, path } of all) {
  const examples = doc.examples ?? [];
  const name = ["waypost", ...path].join(" ");
  if (examples.length === 0) wrong.push(`${name} has no example.`);
  for (const { command } of examples) {
    const why = await given(refusal(command));
    if (why !== null) wrong.push(`${name}: the example "${command}" ${why}`);
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
if (isCheck && !isWritten)
  wrong.push("docs/cli.md is not what the commands say: run npm run cli, and commit it.");

for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
else console.log(isWritten ? "docs/cli.md says what the commands say." : "Wrote docs/cli.md.");
