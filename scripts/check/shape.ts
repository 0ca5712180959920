import { codeLines, type Finding, matchingLines, type SourceFile } from "./finding.ts";

const maxLines = 300;

/** Rule 8: at most 300 lines a file. */
export const fileLength = (file: SourceFile): ReadonlyArray<Finding> => {
  const lines = file.text.trimEnd().split("\n").length;
  const message = `${lines} lines, at most ${maxLines}: split the noun, not the layer.`;
  return lines > maxLines ? [{ file: file.path, line: maxLines + 1, message }] : [];
};

/**
 * Rule 8: each export of src/ has its sentence, above it or as its schema's `description`. A type that carries the
 * name of an exported value shares the value's.
 */
export const documented = (file: SourceFile): ReadonlyArray<Finding> => {
  const lines = file.text.split("\n");
  const seen = new Set<string>();
  return lines.flatMap((line, at) => {
    const name = exportedName.exec(line)?.[1];
    if (name === undefined || seen.has(name.toLowerCase())) return [];
    seen.add(name.toLowerCase());
    let above = at - 1;
    while (/^\/\/ (oxlint|prettier)/.test(lines[above] ?? "")) above -= 1;
    if ((lines[above] ?? "").trimEnd().endsWith("*/") || statement(lines, at).includes("description:"))
      return [];
    const message = `The export ${name} needs one sentence: what it promises, units, errors, source of a rule.`;
    return [{ file: file.path, line: at + 1, message }];
  });
};

const exportedName =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|function\*?|type|interface) (\w+)/;

/** From the line that opens a statement at the margin to the line before the next one. */
const statement = (lines: ReadonlyArray<string>, at: number): string => {
  const next = lines.findIndex((line, each) => each > at && /^[a-z/]/.test(line));
  return lines.slice(at, next === -1 ? undefined : next).join("\n");
};

const composition = new Set(["src/Waypost.ts", "src/Interfaces.ts"]);

/** Rule 4: layers meet in Waypost.ts and Interfaces.ts; elsewhere in src/ only a class's own static layer may be given its parts. */
export const layersMeetOnce = (file: SourceFile): ReadonlyArray<Finding> => {
  if (composition.has(file.path)) return [];
  const lines = codeLines(file.text);
  const inStaticMember = (at: number): boolean => {
    for (let line = at; line >= 0; line -= 1) {
      const text = lines[line] ?? "";
      if (/^ {2}static\b/.test(text)) return true;
      if (/^( {2})?[A-Za-z@#]/.test(text)) return false;
    }
    return false;
  };
  const message =
    "Layer.provide belongs in Waypost.ts, a class's static layer and tests: leave the requirement open.";
  return lines.flatMap((line, at) =>
    /\bLayer\.provide(Merge)?\b/.test(line) && !inStaticMember(at)
      ? [{ file: file.path, line: at + 1, message }]
      : [],
  );
};

const edges = new Set(["src/main.ts", "src/client/WaypostClient.ts"]);

/** main.ts is the process, WaypostClient.ts the edge of the client in a process of others: only there effects are run. */
export const runOnce = (file: SourceFile): ReadonlyArray<Finding> =>
  edges.has(file.path)
    ? []
    : matchingLines(
        file,
        /\b(Effect\.run(Promise|Sync|Fork|Callback)|NodeRuntime\.runMain|ManagedRuntime\.make)/,
        "Only main.ts runs effects: return the effect, or take the running fiber's services with Effect.context.",
      );

/** Rule 5: no export called …Live, …Impl or …Manager. */
export const exportNames = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /^export (abstract )?(const|class|function|type|interface) \w+(Live|Impl|Manager)\b/,
    "Live, Impl and Manager say nothing: name what it is (a service's layer is its static `layer`).",
  );

/** Rule 6: time is a parameter taken from Clock. */
export const timeFromClock = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /\bDate\.now\(|\bnew Date\(\)|\bDateTime\.(unsafeNow|nowUnsafe)\b/,
    "Take the time from Clock (Clock.currentTimeMillis, DateTime.now), so that TestClock rules it.",
  );

/** Rule 6: no statement asks the database for the time. */
export const timeIsAParameter = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /(?<![.\w])(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\b(current_timestamp|current_date|localtimestamp)\b/i,
    "Time in SQL is always a parameter taken from Clock, never the database's own.",
  );
