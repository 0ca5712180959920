/** Rules of the shape of a file: length, docstrings, layers, time and roles. */
import { dirname, join } from "node:path/posix";
import { codeLines, type Finding, matchingLines, type SourceFile } from "./finding.ts";

/** The maximum number of lines of a file of src/, and of any other file. */
export const maxLines = { program: 250, elsewhere: 300 };

/** A file is short enough to read in one go. */
export const fileLength = (file: SourceFile): ReadonlyArray<Finding> => {
  const lines = file.text.trimEnd().split("\n").length;
  const limit = /^(src|console|sdk)\//.test(file.path) ? maxLines.program : maxLines.elsewhere;
  const message = `${lines} lines; the maximum is ${limit}: split the noun, not the layer.`;
  return lines > limit ? [{ file: file.path, line: limit + 1, message }] : [];
};

/**
 * Each export of src/ has a docstring, or a schema with a `description`. A type that has the name of an
 * exported value shares the value's.
 */
export const documented = (file: SourceFile): ReadonlyArray<Finding> => {
  const lines = file.text.split("\n");
  const seen = new Set<string>();
  return lines.flatMap((line, index) => {
    const name = exportedName.exec(line)?.[1];
    if (name === undefined || seen.has(name.toLowerCase())) return [];
    seen.add(name.toLowerCase());
    let above = index - 1;
    while (/^\/\/ (oxlint|prettier)/.test(lines[above] ?? "")) above -= 1;
    if ((lines[above] ?? "").trimEnd().endsWith("*/") || statement(lines, index).includes("description:"))
      return [];
    const message = `The export ${name} needs a docstring: its promise, units, errors, source of a rule.`;
    return [{ file: file.path, line: index + 1, message }];
  });
};

const exportedName =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|function\*?|type|interface) (\w+)/;

/** The lines of a statement that starts at the margin, up to the next one. */
const statement = (lines: ReadonlyArray<string>, start: number): string => {
  const next = lines.findIndex((line, index) => index > start && /^[a-z/]/.test(line));
  return lines.slice(start, next === -1 ? undefined : next).join("\n");
};

const composition = new Set(["src/Waypost.ts", "src/Interfaces.ts"]);

/**
 * Layers are wired in Waypost.ts and Interfaces.ts. Elsewhere in src/ only a static layer of a class is
 * wired.
 */
export const layersMeetOnce = (file: SourceFile): ReadonlyArray<Finding> => {
  if (composition.has(file.path)) return [];
  const lines = codeLines(file.text);
  const isInStaticMember = (index: number): boolean => {
    for (let line = index; line >= 0; line -= 1) {
      const text = lines[line] ?? "";
      if (/^ {2}static\b/.test(text)) return true;
      if (/^( {2})?[A-Za-z@#]/.test(text)) return false;
    }
    return false;
  };
  const message =
    "Layer.provide belongs in Waypost.ts, static layers of classes and tests: leave the requirement open.";
  return lines.flatMap((line, index) =>
    /\bLayer\.provide(Merge)?\b/.test(line) && !isInStaticMember(index)
      ? [{ file: file.path, line: index + 1, message }]
      : [],
  );
};

/** Effects run in main.ts only, the process. */
export const runOnce = (file: SourceFile): ReadonlyArray<Finding> =>
  file.path === "src/main.ts"
    ? []
    : matchingLines(
        file,
        /\b(Effect\.run(Promise|Sync|Fork|Callback)|NodeRuntime\.runMain|ManagedRuntime\.make)/,
        "Only main.ts runs effects: return the effect, or take the fiber's services with Effect.context.",
      );

/** The file that imports the module of Citus, and those that tell people of Citus. */
const citusFiles = new Set([
  "src/database/SeveralNodes.ts",
  "src/doctor/DistributionHealthCheck.ts",
  "src/cli/commands/BackupCommands.ts",
  "src/cli/commands/DatabaseCommand.ts",
]);

/** Code and comments name Citus in its module only. */
export const citusInItsModule = ({ path, text }: SourceFile): ReadonlyArray<Finding> => {
  if (path.startsWith("src/database/citus/") || citusFiles.has(path)) return [];
  const message =
    "Citus stays in src/database/citus/: import SeveralNodes.ts, and name the reason, not the system.";
  return text
    .split("\n")
    .flatMap((line, index) => (/citus/i.test(line) ? [{ file: path, line: index + 1, message }] : []));
};

/** Groups of handlers are built by `handlerGroup`, which keeps the context of a request small. */
export const handlerGroups = (file: SourceFile): ReadonlyArray<Finding> =>
  file.path === "src/wire/HandlerGroup.ts"
    ? []
    : matchingLines(
        file,
        /\bHttpApiBuilder\.group\(/,
        "HttpApiBuilder.group copies all services into each request: use handlerGroup of HandlerGroup.ts.",
      );

/** No export has a name that ends in Live, Impl or Manager. */
export const exportNames = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /^export (abstract )?(const|class|function|type|interface) \w+(Live|Impl|Manager)\b/,
    "Live, Impl and Manager are vague: name what it is (the layer of a service is its static `layer`).",
  );

/** The program takes the time from Clock. */
export const timeFromClock = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /\bDate\.now\(|\bnew Date\(\)|\bDateTime\.(unsafeNow|nowUnsafe)\b/,
    "Take the time from Clock (Clock.currentTimeMillis, DateTime.now), so that TestClock controls it.",
  );

const databaseTime = [
  /(?<![.\w])(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)/,
  /\b(current_timestamp|current_date|localtimestamp)\b/,
];

/** No statement asks the database for the time. */
export const timeIsAParameter = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    new RegExp(databaseTime.map(({ source }) => source).join("|"), "i"),
    "Time in SQL is a parameter taken from Clock, never the database's own.",
  );

const sliceOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];

/** A service that a file of another slice imports declares its interface: its type is not that of `make`. */
export const declaredServices = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Finding> => {
  const imported = new Set<string>();
  for (const { path, text } of files)
    for (const [, names = "", from = ""] of text.matchAll(/^import [^;]*?\{([^}]*)\} from "(\.[^"]*)"/gm)) {
      const target = join(dirname(path), from);
      const isForeign = sliceOf(path) !== undefined && sliceOf(path) !== sliceOf(target);
      if (isForeign) for (const name of names.match(/\w+/g) ?? []) imported.add(`${target} ${name}`);
    }
  return files.flatMap(({ path, text }) =>
    codeLines(text).flatMap((code, index) => {
      const name = /^export class (\w+) extends (?:Context\.Service|SqlService)<\1>/.exec(code)?.[1];
      const message = `Another slice imports ${name}: declare its interface, as campaigns/Campaigns.ts does.`;
      return imported.has(`${path} ${name}`) ? [{ file: path, line: index + 1, message }] : [];
    }),
  );
};
